import { createHash } from 'node:crypto';
import type { ResolverSecrets } from './ports.ts';
import type { Resolver } from '../configuration/configuration.ts';
import { ResolverUnavailable } from './resolver-unavailable.ts';
import type { Sealed, Vault } from '../keys/vault.ts';
import type { Database } from '../storage/database/database.ts';

/** The credentials of resolvers, sealed in their rows. They are read for each new connection and not kept. */
export class SqlResolverSecrets implements ResolverSecrets {
  readonly #database: Database;
  readonly #vault: Vault;

  constructor({ database, vault }: { readonly database: Database; readonly vault: Vault }) {
    this.#database = database;
    this.#vault = vault;
  }

  async open(
    { id, name }: Pick<Resolver, 'id' | 'name'>,
    stamp?: string | null,
  ): Promise<string | undefined> {
    const row = await this.#database
      .knex('resolvers')
      .where({ id })
      .first<{ secret: Buffer | null } | undefined>('secret');
    const sealed = row?.secret ?? undefined;
    if (stamp !== undefined && stampOf(sealed) !== stamp) {
      throw new ResolverUnavailable({ resolver: name, reason: 'its password was changed at this moment' });
    }
    return sealed === undefined
      ? undefined
      : this.#vault.open(sealed as Sealed, 'resolver', name).toString('utf8');
  }
}

/** @returns the stamp as in the configuration */
function stampOf(sealed: Buffer | undefined): string | null {
  return sealed === undefined ? null : createHash('sha256').update(sealed).digest('hex');
}
