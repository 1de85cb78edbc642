import type { Knex } from 'knex';

import { ServiceError } from '../kernel/errors.ts';

/**
 * Creates the realm or replaces its resolvers. The caller holds the lock of the setup.
 * @returns whether it is new
 * @throws ServiceError 'resolver.unknown'
 */
export async function storeRealm(
  transaction: Knex.Transaction,
  name: string,
  resolvers: readonly string[],
): Promise<boolean> {
  const resolverIds = await findResolvers(transaction, [...new Set(resolvers)]);
  const known = await transaction('realms').where({ name }).first<{ id: string } | undefined>('id');
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
 * Removes the realm and takes it from every token's set of realms. The caller holds the lock of the setup.
 *
 * No token can be missed or left behind: who gives a token a realm holds that realm's row (FOR KEY SHARE) until commit.
 * So this waits for all who are at it, sees what they did, and whoever comes later finds no such realm.
 * @returns how many tokens were in it, undefined when there is no such realm
 */
export async function removeRealm(transaction: Knex.Transaction, name: string): Promise<number | undefined> {
  const realm = await transaction('realms')
    .where({ name })
    .forUpdate()
    .first<{ id: string } | undefined>('id');
  if (realm === undefined) {
    return undefined;
  }
  // Realm sets before tokens, and tokens in the order of their ids: as everybody takes locks, so none is deadlocked.
  const { rows: moves } = await transaction.raw<{ rows: { id: string; reduced: string }[] }>(
    `SELECT id, intern_realm_set(array_remove(realm_ids, :realm::bigint)) AS reduced
     FROM realm_sets WHERE realm_ids @> ARRAY[:realm::bigint] ORDER BY id`,
    { realm: realm.id },
  );
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

async function moveTokens(
  transaction: Knex.Transaction,
  moves: readonly { id: string; reduced: string }[],
): Promise<number> {
  const left = moves.map(({ id }) => id);
  await transaction.raw(
    `SELECT count(*) FROM (
       SELECT id FROM tokens WHERE realm_set_id = ANY (?::bigint[]) ORDER BY id FOR NO KEY UPDATE) AS locked`,
    [left],
  );
  const { rowCount } = await transaction.raw<{ rowCount: number }>(
    `UPDATE tokens SET realm_set_id = moves.reduced
     FROM unnest(?::bigint[], ?::bigint[]) AS moves (id, reduced)
     WHERE tokens.realm_set_id = moves.id`,
    [left, moves.map(({ reduced }) => reduced)],
  );
  return rowCount;
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
      throw new ServiceError('resolver.unknown', `There is no resolver '${name}'`);
    }
    return resolver.id;
  });
}
