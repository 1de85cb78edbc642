import type { Knex } from 'knex';

/**
 * Closes a token's open challenges but for the newest `keep`, for ever. The caller has written the token's row before, in
 * this transaction. Newest by id, not by time: ids are given under the token's lock, times by servers whose clocks differ.
 */
export async function supersede(transaction: Knex.Transaction, tokenId: string, keep: number): Promise<void> {
  await transaction.raw(
    `UPDATE challenges SET closed_by = 'superseded', closed_at = clock_timestamp()
     WHERE token_id = ? AND closed_by IS NULL AND id <= (
       SELECT id FROM challenges WHERE token_id = ? AND closed_by IS NULL
       ORDER BY id DESC OFFSET ? LIMIT 1)`,
    [tokenId, tokenId, keep],
  );
}
