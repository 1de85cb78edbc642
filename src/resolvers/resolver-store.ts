import { createHash } from 'node:crypto';

import type { Knex } from 'knex';

import type { Resolver, ResolverKind } from '../configuration/configuration.ts';
import { assertResolverUnchanged, type ExpectedResolver } from '../configuration/expected-state.ts';
import { ServiceError } from '../kernel/errors.ts';
import type { Sealed, Vault } from '../keys/vault.ts';
import type { Database } from '../database/database.ts';
import { kindIsFixed, secretNeededAgain } from './resolver-trial.ts';
import { ResolverUnavailable } from './resolver-unavailable.ts';

/** A resolver as it is stored. */
export interface ResolverEntry {
  readonly name: string;
  readonly kind: ResolverKind;
  readonly settings: Readonly<Record<string, string>>;
  /** Its file must be below a folder of RESOLVER_FILE_DIRS. Default true. */
  readonly isBounded?: boolean;
  /** Its login secret, sealed for 'resolver' and its name. Null: none; undefined: the present one is kept. */
  readonly secret?: Sealed | null | undefined;
  /** Names of the settings that determine the receiver of the secret. */
  readonly secretBoundTo?: readonly string[];
  /** The one that is replaced. Undefined: any. */
  readonly expected?: ExpectedResolver | undefined;
}

interface KnownRow {
  readonly id: string;
  readonly kind: Resolver['kind'];
  readonly settings: Resolver['settings'];
  readonly has_secret: boolean;
}

/**
 * Creates or changes a resolver. The caller holds the lock of the configuration.
 * @returns true if it is new
 * @throws ServiceError 'resolver.invalid' if its kind would change, or a kept secret would go to another server;
 *   'resolver.changed'
 */
export async function storeResolver(
  transaction: Knex.Transaction,
  { name, kind, settings, isBounded = true, secret, secretBoundTo = [], expected }: ResolverEntry,
): Promise<boolean> {
  const columns = {
    settings: JSON.stringify(settings),
    is_bounded: isBounded,
    ...(secret !== undefined && { secret }),
  };
  const known = await transaction('resolvers')
    .where({ name })
    .first<KnownRow | undefined>(
      'id',
      'kind',
      'settings',
      transaction.raw('secret IS NOT NULL AS has_secret'),
    );
  if (expected !== undefined) {
    assertResolverUnchanged(name, expected, known?.settings ?? null);
  }
  if (known === undefined) {
    await transaction('resolvers').insert({ name, kind, ...columns });
    return true;
  }
  assertChangeable(known, { name, kind, settings, secret, secretBoundTo });
  await transaction('resolvers').where({ id: known.id }).update(columns);
  return false;
}

/** @throws ServiceError 'resolver.invalid' */
function assertChangeable(
  known: KnownRow,
  {
    name,
    kind,
    settings,
    secret,
    secretBoundTo,
  }: Pick<ResolverEntry, 'name' | 'kind' | 'settings' | 'secret'> & {
    readonly secretBoundTo: readonly string[];
  },
): void {
  if (known.kind !== kind) {
    throw kindIsFixed({ name, kind: known.kind }, kind);
  }
  const changed = secretBoundTo.filter((setting) => known.settings[setting] !== settings[setting]);
  if (known.has_secret && secret === undefined && changed.length > 0) {
    throw secretNeededAgain(name, changed);
  }
}

/**
 * Removes a resolver, and the users of a managed one. The caller holds the lock of the configuration.
 *
 * A transaction that assigns a token holds the resolver's row (FOR KEY SHARE) until commit: under the lock of that row,
 * all references are visible and no further one can be added.
 * @returns true if it existed
 * @throws ServiceError 'resolver.in-use'
 */
export async function removeResolver(transaction: Knex.Transaction, name: string): Promise<boolean> {
  const resolver = await transaction('resolvers')
    .where({ name })
    .forUpdate()
    .first<{ id: string } | undefined>('id');
  if (resolver === undefined) {
    return false;
  }
  const realms = await transaction('realm_resolvers')
    .join('realms', 'realms.id', 'realm_resolvers.realm_id')
    .where({ resolver_id: resolver.id })
    .orderBy('realms.name')
    .pluck<string[]>('realms.name');
  if (realms.length > 0) {
    throw new ServiceError(
      'resolver.in-use',
      `The resolver '${name}' is in use by the realms ${realms.join(', ')}`,
    );
  }
  const owned: unknown = await transaction('tokens').where({ owner_resolver_id: resolver.id }).first('id');
  if (owned !== undefined) {
    throw new ServiceError('resolver.in-use', `The resolver '${name}' is in use by owners of tokens`);
  }
  await transaction('resolvers').where({ id: resolver.id }).delete();
  return true;
}

/** The credentials of resolvers, sealed in their rows. They are read for each new connection and not kept. */
export class ResolverSecretStore {
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
