import type { Knex } from 'knex';

import { isStorable } from '../database/stored-text.ts';

/** Tokens by their ids, by their serials, or by their owner. */
export type LockSelection =
  | { readonly ids: readonly string[] }
  | { readonly serials: readonly string[] }
  | { readonly owner: { readonly resolverId: string; readonly userId: string } };

/** A token whose row is locked. */
export interface LockedToken {
  readonly id: string;
  readonly serial: string;
}

/** `remove` also blocks transactions that only refer to the row; `change` lets them pass. */
type LockStrength = 'change' | 'remove';

/**
 * Locks the rows of the selected tokens until the end of the transaction, in the order of their ids, then runs `work`.
 * `work` itself reads the data for its decision, in statements that begin under the lock: one statement for lock and
 * read would return the new token with the challenges of its old snapshot (docs/adr/0003-accepting-a-response-once.md).
 * @param work receives the tokens that exist; also runs if none does
 */
export async function withLockedTokens<T>(
  transaction: Knex.Transaction,
  selection: LockSelection,
  work: (locked: readonly LockedToken[]) => Promise<T>,
  strength: LockStrength = 'change',
): Promise<T> {
  const query = transaction('tokens')
    .modify(select, selection)
    .orderBy('id')
    .select<LockedToken[]>('id', 'serial');
  return work(await (strength === 'remove' ? query.forUpdate() : query.forNoKeyUpdate()));
}

function select(query: Knex.QueryBuilder, selection: LockSelection): void {
  if ('ids' in selection) {
    query.whereIn('id', selection.ids);
  } else if ('serials' in selection) {
    query.whereIn(
      'serial',
      selection.serials.filter((serial) => isStorable(serial)),
    );
  } else {
    const { resolverId, userId } = selection.owner;
    query.where({ owner_resolver_id: resolverId, owner_user_id: userId });
  }
}
