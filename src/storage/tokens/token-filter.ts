import type { Knex } from 'knex';
import type { TokenFilter } from '../../tokens/ports.ts';
import { isRowId, isStorable } from '../../database/stored-text.ts';

/** @returns false if a text or id cannot be stored in the database, and so matches nothing */
export function canMatch({ serial, serialPrefix, owner, realm }: TokenFilter): boolean {
  return (
    isStorable(serial, serialPrefix, owner?.userId, realm ?? undefined) &&
    (owner === undefined || isRowId(owner.resolverId))
  );
}

/** Adds the conditions of the filter to a query over `tokens`. */
export function narrow(query: Knex.QueryBuilder, filter: TokenFilter): void {
  if (filter.serial !== undefined) {
    query.where('tokens.serial', filter.serial);
  }
  if (filter.serialPrefix !== undefined) {
    query.whereRaw('starts_with(tokens.serial, ?)', [filter.serialPrefix]);
  }
  if (filter.owner !== undefined) {
    const { resolverId, userId } = filter.owner;
    query.where({ 'tokens.owner_resolver_id': resolverId, 'tokens.owner_user_id': userId });
  }
  if (filter.active !== undefined) {
    query.where('tokens.active', filter.active);
  }
  if (filter.assigned !== undefined) {
    query[filter.assigned ? 'whereNotNull' : 'whereNull']('tokens.owner_user_id');
  }
  if (filter.realm !== undefined) {
    narrowToRealm(query, filter.realm);
  }
  if (filter.inRealms !== undefined) {
    query.whereRaw(
      `tokens.realm_set_id IN (SELECT sets.id FROM realm_sets AS sets
         JOIN realms ON sets.realm_ids @> ARRAY[realms.id] WHERE realms.name = ANY (?))`,
      [filter.inRealms.filter((name) => isStorable(name))],
    );
  }
}

function narrowToRealm(query: Knex.QueryBuilder, realm: string | null): void {
  if (realm === null) {
    query.whereRaw("tokens.realm_set_id = (SELECT id FROM realm_sets WHERE realm_ids = '{}')");
    return;
  }
  query.whereRaw(
    `tokens.realm_set_id IN (SELECT sets.id FROM realm_sets AS sets
       JOIN realms ON sets.realm_ids @> ARRAY[realms.id] WHERE realms.name = ?)`,
    [realm.trim().toLowerCase()],
  );
}
