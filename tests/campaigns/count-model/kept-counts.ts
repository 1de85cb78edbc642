import { expect } from '@jest/globals';

import { foldCounts, TokenCountStore } from '../../../src/monitoring/token-count-store.ts';
import type { Database } from '../../../src/database/database.ts';
import { CountModelAnswers } from './count-model-answers.ts';

/** @returns the number of pending deltas */
export async function pendingDeltas({ knex }: Database): Promise<number> {
  const { rows } = await knex.raw<{ rows: { pending: string }[] }>(
    `SELECT (SELECT count(*) FROM count_deltas) + (SELECT count(*) FROM user_count_deltas)
       + (SELECT count(*) FROM locked_token_deltas) AS pending`,
  );
  return Number(rows[0]?.pending);
}

/** Expects that every answer equals a count of tokens and users one by one, for any pending and folded parts. */
export async function expectRightAnswers(database: Database): Promise<void> {
  const compared = await new CountModelAnswers(database).compare();
  expect(compared.length).toBeGreaterThan(0);
  expect(compared.map(({ of, answered }) => [of, answered])).toEqual(
    compared.map(({ of, recounted }) => [of, recounted]),
  );
}

/** Expects the same before a fold, during one, and after it, and no pending delta at the end. */
export async function expectRightCounts(database: Database): Promise<void> {
  await expectRightAnswers(database);
  await database.knex.raw('SELECT fold_counts(1)');
  await expectRightAnswers(database);
  await foldCounts(database);
  await expectRightAnswers(database);
  expect(await pendingDeltas(database)).toBe(0);
  expect(await new TokenCountStore({ database }).verify()).toEqual({ total: 0, drifts: [] });
  const { rows } = await database.knex.raw<{ rows: unknown[] }>(`
    SELECT 'tokens' FROM token_counts WHERE tokens <= 0
    UNION ALL SELECT 'user tokens' FROM active_user_tokens WHERE tokens <= 0
    UNION ALL SELECT 'active users' FROM active_user_counts WHERE users <= 0
    UNION ALL SELECT 'users' FROM user_counts WHERE users <= 0
    UNION ALL SELECT 'locked tokens' FROM locked_token_counts WHERE tokens <= 0`);
  expect(rows).toEqual([]);
}
