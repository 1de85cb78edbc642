import type { Knex } from 'knex';

import { lastChangedBy } from '../audit/rows-store.ts';
import { assertRealmUnchanged, type ExpectedRealm } from '../configuration/expected-state.ts';
import { ServiceError } from '../kernel/errors.ts';

/**
 * Creates the realm or replaces its resolvers. The caller holds the lock of the configuration.
 * @param expected the one that is replaced; undefined: any
 * @returns true if it is new
 * @throws ServiceError 'resolver.unknown', 'realm.changed'
 */
export async function storeRealm(
  transaction: Knex.Transaction,
  name: string,
  resolvers: readonly string[],
  expected?: ExpectedRealm,
): Promise<boolean> {
  const known = await transaction('realms').where({ name }).first<{ id: string } | undefined>('id');
  if (expected !== undefined) {
    assertRealmUnchanged(
      name,
      expected,
      known === undefined ? null : await resolversOf(transaction, known.id),
      await lastChangedBy(transaction, 'realm', [name]),
    );
  }
  const resolverIds = await findResolvers(transaction, [...new Set(resolvers)]);
  const id = known?.id ?? (await insertRealm(transaction, name));
  await transaction('realm_resolvers').where({ realm_id: id }).delete();
  if (resolverIds.length > 0) {
    await transaction('realm_resolvers').insert(
      resolverIds.map((resolver, position) => ({ realm_id: id, resolver_id: resolver, position })),
    );
  }
  return known === undefined;
}

/**
 * Removes the realm, also from every token's set of realms. The caller holds the lock of the configuration.
 *
 * No token is missed: a transaction that gives a token a realm holds the realm's row (FOR KEY SHARE) until commit. This
 * one waits for it and sees its token, and a later one finds no such realm.
 * @returns the number of tokens that were in it; undefined if there is no such realm
 */
export async function removeRealm(transaction: Knex.Transaction, name: string): Promise<number | undefined> {
  const realm = await transaction('realms')
    .where({ name })
    .forUpdate()
    .first<{ id: string } | undefined>('id');
  if (realm === undefined) {
    return undefined;
  }
  // Realm sets before tokens, and tokens in the order of their ids: the order of locks everywhere.
  const moves = await reduceSets(transaction, realm.id);
  const moved = await moveTokens(transaction, moves);
  await transaction('realm_sets')
    .whereIn(
      'id',
      moves.map(({ id }) => id),
    )
    .delete();
  await transaction('realms').where({ id: realm.id }).delete();
  return moved;
}

/**
 * Removes the realm, which is about to be removed itself, from some of its tokens, so that very many tokens are not
 * locked at once. The caller holds the lock of the configuration.
 * @param after the id of the token where the last call has ended; 0 for the first
 * @param max the approximate number of tokens
 * @returns their number and the id of the last; undefined, with nothing changed, if fewer are left: `removeRealm` takes
 *   these
 */
export async function thinRealm(
  transaction: Knex.Transaction,
  name: string,
  after: string,
  max: number,
): Promise<{ readonly tokens: number; readonly last: string } | undefined> {
  const { rows } = await transaction.raw<{ rows: { realm: string; last: string }[] }>(
    `SELECT realms.id AS realm, tokens.id AS last FROM realms JOIN tokens ON realm_set_id = ANY (
       ARRAY(SELECT realm_sets.id FROM realm_sets JOIN realms ON realm_ids @> ARRAY[realms.id] WHERE name = :name))
     WHERE realms.name = :name AND tokens.id > :after ORDER BY tokens.id OFFSET :before LIMIT 1`,
    { name, after, before: max - 1 },
  );
  const [found] = rows;
  if (found === undefined) {
    return undefined;
  }
  const moves = await reduceSets(transaction, found.realm);
  return { tokens: await moveTokens(transaction, moves, after, found.last), last: found.last };
}

/** A set of realms, and the set that remains of it. */
interface Move {
  readonly id: string;
  readonly reduced: string;
}

async function reduceSets(transaction: Knex.Transaction, realm: string): Promise<readonly Move[]> {
  const { rows } = await transaction.raw<{ rows: Move[] }>(
    `SELECT id, intern_realm_set(array_remove(realm_ids, :realm::bigint)) AS reduced
     FROM realm_sets WHERE realm_ids @> ARRAY[:realm::bigint] ORDER BY id`,
    { realm },
  );
  return rows;
}

/**
 * @param after and `last`: limit it to ids above the one, up to the other; default: all tokens.
 * @returns their number
 */
async function moveTokens(
  transaction: Knex.Transaction,
  moves: readonly Move[],
  after = '0',
  last = '9223372036854775807',
): Promise<number> {
  const left = moves.map(({ id }) => id);
  await transaction.raw(
    `SELECT count(*) FROM (
       SELECT id FROM tokens WHERE realm_set_id = ANY (?::bigint[]) AND id > ? AND id <= ?
       ORDER BY id FOR NO KEY UPDATE) AS locked`,
    [left, after, last],
  );
  const { rowCount } = await transaction.raw<{ rowCount: number }>(
    `UPDATE tokens SET realm_set_id = moves.reduced
     FROM unnest(?::bigint[], ?::bigint[]) AS moves (id, reduced)
     WHERE tokens.realm_set_id = moves.id AND tokens.id > ? AND tokens.id <= ?`,
    [left, moves.map(({ reduced }) => reduced), after, last],
  );
  return rowCount;
}

/** @returns the names of the resolvers, in their order */
function resolversOf(transaction: Knex.Transaction, realm: string): Promise<string[]> {
  return transaction('realm_resolvers')
    .join('resolvers', 'resolvers.id', 'realm_resolvers.resolver_id')
    .where({ realm_id: realm })
    .orderBy('position')
    .pluck<string[]>('resolvers.name');
}

/** The first realm becomes the default one. */
async function insertRealm(transaction: Knex.Transaction, name: string): Promise<string> {
  const { rows } = await transaction.raw<{ rows: { id: string }[] }>(
    `INSERT INTO realms (name, is_default) SELECT ?, NOT EXISTS (SELECT FROM realms) RETURNING id`,
    [name],
  );
  return rows[0]?.id ?? '';
}

async function findResolvers(
  transaction: Knex.Transaction,
  names: readonly string[],
): Promise<readonly string[]> {
  const found = await transaction('resolvers')
    .whereIn('name', names)
    .select<{ id: string; name: string }[]>('id', 'name');
  return names.map((name) => {
    const resolver = found.find((candidate) => candidate.name === name);
    if (resolver === undefined) {
      throw new ServiceError('resolver.unknown', `There is no resolver '${name}'`, { name });
    }
    return resolver.id;
  });
}
