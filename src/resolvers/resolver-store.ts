import { createHash } from 'node:crypto';

import type { Knex } from 'knex';

import type { Resolver, ResolverKind } from '../configuration/configuration.ts';
import { lastChangedBy } from '../audit/rows-store.ts';
import { assertResolverUnchanged, type ExpectedResolver } from '../configuration/expected-state.ts';
import { ServiceError } from '../kernel/errors.ts';
import type { Sealed, Vault } from '../keys/vault.ts';
import type { Database } from '../database/database.ts';
import { assertChangeable } from './resolver-draft.ts';
import { renameResolverIn } from '../policy/policy-conditions.ts';
import { unknownReference } from './resolver-lookup.ts';
import { ResolverUnavailable } from './user-source.ts';

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
  /** The name that it had; undefined: the same. */
  readonly previousName?: string | undefined;
  /** Seals a kept secret anew for the new name. */
  readonly reseal?: ((secret: Sealed, previousName: string) => Sealed) | undefined;
  /** The one that is replaced. Undefined: any. */
  readonly expected?: ExpectedResolver | undefined;
}

interface KnownRow {
  readonly id: string;
  readonly kind: Resolver['kind'];
  readonly settings: Resolver['settings'];
  readonly secret: Sealed | null;
}

/**
 * Creates, changes or renames a resolver. The caller holds the lock of the configuration, so of two renamings the second
 * finds the old name no more.
 * @returns true if it is new
 * @throws ServiceError 'resolver.invalid' if its kind would change, a kept secret would go to another server, or the new
 *   name is in use; 'resolver.unknown' for the previous name; 'resolver.changed'
 */
export async function storeResolver(transaction: Knex.Transaction, entry: ResolverEntry): Promise<boolean> {
  const { name, kind, settings, isBounded = true, secret } = entry;
  const columns = {
    settings: JSON.stringify(settings),
    is_bounded: isBounded,
    ...(secret !== undefined && { secret }),
  };
  const known = await readKnown(transaction, entry);
  if (known === undefined) {
    await transaction('resolvers').insert({ name, kind, ...columns });
    return true;
  }
  const { secretBoundTo = [] } = entry;
  assertChangeable({ ...entry, secret, secretBoundTo }, { ...known, hasSecret: known.secret !== null });
  const renamed = await renamedColumns(transaction, entry, known);
  await transaction('resolvers')
    .where({ id: known.id })
    .update({ ...columns, ...renamed });
  return false;
}

/** @returns the row that is changed or renamed; undefined where the resolver is new */
async function readKnown(
  transaction: Knex.Transaction,
  { name, previousName, expected }: ResolverEntry,
): Promise<KnownRow | undefined> {
  const known = await transaction('resolvers')
    .where({ name: previousName ?? name })
    .first<KnownRow | undefined>('id', 'kind', 'settings', 'secret');
  if (expected !== undefined) {
    const read = previousName ?? name;
    const by = await lastChangedBy(transaction, 'resolver', [read]);
    assertResolverUnchanged(read, expected, known?.settings ?? null, by);
  }
  if (known === undefined && previousName !== undefined) {
    throw unknownReference('resolver', previousName);
  }
  return known;
}

/**
 * Realms and tokens refer to the id. Policies and the notes of imports have the name, and follow here.
 * @returns the columns that a new name changes
 */
async function renamedColumns(
  transaction: Knex.Transaction,
  { name, previousName, secret, reseal }: ResolverEntry,
  known: KnownRow,
): Promise<{ readonly name?: string; readonly secret?: Sealed }> {
  if (previousName === undefined) {
    return {};
  }
  if ((await transaction('resolvers').where({ name }).first<unknown>('id')) !== undefined) {
    throw new ServiceError('resolver.invalid', `There is a resolver '${name}' already`);
  }
  await renameInPolicies(transaction, previousName, name);
  await transaction('imported_entries').where({ kind: 'resolver', name }).delete();
  await transaction('imported_entries').where({ kind: 'resolver', name: previousName }).update({ name });
  return secret === undefined && known.secret !== null && reseal !== undefined
    ? { name, secret: reseal(known.secret, previousName) }
    : { name };
}

async function renameInPolicies(transaction: Knex.Transaction, from: string, to: string): Promise<void> {
  const policies = await transaction('policies').select<{ name: string; username: string }[]>(
    'name',
    'username',
  );
  for (const { name, username } of policies) {
    const renamed = renameResolverIn(username, from, to);
    if (renamed !== username) {
      await transaction('policies').where({ name }).update({ username: renamed });
    }
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

  async open({
    id,
    name,
    secretStamp,
  }: Pick<Resolver, 'id' | 'name' | 'secretStamp'>): Promise<string | undefined> {
    const row = await this.#database
      .knex('resolvers')
      .where({ id })
      .first<{ secret: Buffer | null } | undefined>('secret');
    const sealed = row?.secret ?? undefined;
    // As in the configuration.
    const present = sealed === undefined ? null : createHash('sha256').update(sealed).digest('hex');
    if (secretStamp !== undefined && present !== secretStamp) {
      throw new ResolverUnavailable({ resolver: name, reason: 'its password was changed at this moment' });
    }
    return sealed === undefined
      ? undefined
      : this.#vault.open(sealed as Sealed, 'resolver', name).toString('utf8');
  }
}
