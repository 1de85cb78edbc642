import type pg from 'pg';

import { ProgressBar } from './progress-bar.ts';
import { definitionsOf } from './token-fill.ts';

/** So many challenges go in at once. */
const CHUNK = 500_000;

/**
 * Adds closed challenges, one after the other for each token. Indexes and constraints of the table are away meanwhile.
 * @param tokens their number, with the ids from 1
 */
export async function fillClosedChallenges(
  client: pg.Client,
  challenges: number,
  tokens: number,
): Promise<void> {
  const bar = new ProgressBar(`${challenges.toLocaleString('en')} closed challenges`, challenges * 1.5);
  const definitions = await definitionsOf(client, 'challenges');
  for (const { drop } of definitions) {
    await client.query(drop);
  }
  for (let first = 1; first <= challenges; first += CHUNK) {
    const last = Math.min(challenges, first + CHUNK - 1);
    await client.query(`
      INSERT INTO challenges (transaction_id, token_id, question, data, issued_at, open_until, received_tan, valid_tan, closed_by,
        closed_at)
      SELECT substr(md5('closed ' || n), 1, 20), 1 + (n::bigint * 7919) % ${tokens}, '${'0123456789abcdef'.repeat(4)}',
        'Transfer 12 EUR', clock_timestamp(), clock_timestamp(), true, true, 'accepted', clock_timestamp()
      FROM generate_series(${first}, ${last}) AS n`);
    bar.show(last);
  }
  for (const { create } of definitions) {
    await client.query(create);
  }
  await client.query('VACUUM (ANALYZE, FREEZE) challenges');
  bar.show(challenges * 1.5);
}
