import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import { CountModel } from './count-model.ts';
import { anyRun } from './count-model-changes.ts';
import { campaignSeed } from '../../support/campaign.ts';
import { createTestDatabase } from '../../support/database/test-database.ts';

/** Runs within which a fault must be found, or the model cannot see it; most are found within ten. */
const RUNS = 600;
const SEED = campaignSeed(1);

const UPDATE_TRIGGER = `DROP TRIGGER tokens_count_update ON tokens;
  CREATE TRIGGER tokens_count_update AFTER UPDATE OF`;
const APPEND = 'FOR EACH ROW EXECUTE FUNCTION append_token_deltas()';

/** A function of the database, with `from` replaced by `to`. */
function changed(name: string, from: string, to: string): string {
  return `DO $do$
    DECLARE source text := pg_get_functiondef('${name}'::regproc);
    BEGIN
      IF position($q$${from}$q$ IN source) = 0 THEN RAISE EXCEPTION 'There is no such text in ${name}'; END IF;
      EXECUTE replace(source, $q$${from}$q$, $q$${to}$q$);
    END $do$`;
}

const FAULTS: readonly (readonly [title: string, sql: string])[] = [
  ['removed tokens still count', 'DROP TRIGGER tokens_count_delete ON tokens'],
  ['a lock goes unseen', 'DROP TRIGGER tokens_count_locked_update ON tokens'],
  [
    'a fold of locked tokens forgets those of before',
    changed('fold_counts', 'SET tokens = k.tokens + excluded.tokens', 'SET tokens = excluded.tokens'),
  ],
  ['an emptied table still counts', 'DROP TRIGGER tokens_count_truncate ON tokens'],
  [
    'moves between realms go unseen',
    `${UPDATE_TRIGGER} active, owner_resolver_id, owner_user_id ON tokens ${APPEND}`,
  ],
  [
    'somebody with two tokens in a realm is gone with the first one, once folded',
    changed('fold_counts', 'FILTER (WHERE after > 0)', 'FILTER (WHERE after > 0 AND after >= before)'),
  ],
  [
    'somebody with tokens of two realms counts in one',
    changed(
      'fold_counts',
      'array_agg(realm_set_id ORDER BY realm_set_id) FILTER (WHERE after > 0)',
      'array[max(realm_set_id) FILTER (WHERE after > 0)]',
    ),
  ],
  [
    'inactive tokens make active users',
    changed('read_counts', 'WHERE active AND resolver_id IS NOT NULL', 'WHERE resolver_id IS NOT NULL'),
  ],
  [
    'a fold goes unseen',
    changed(
      'fold_counts',
      'SET revision = revision + 1, changed_at = clock_timestamp()',
      'SET revision = revision',
    ),
  ],
  ['users keep their old resolver', 'DROP TRIGGER users_count_update ON users'],
];

describe('the model finds out when', () => {
  it.each(FAULTS)('%s', async (_fault, sql) => {
    const test = await createTestDatabase();
    try {
      await test.rows(sql);
      const model = await CountModel.open(test.url);
      const found = await fc
        .check(
          fc.asyncProperty(anyRun, (run) => model.run(run)),
          { numRuns: RUNS, seed: SEED, endOnFailure: true },
        )
        .finally(() => model.close());
      expect(found.failed).toBe(true);
      expect(String(found.errorInstance)).toMatch(/answered/);
    } finally {
      await test.drop();
    }
  });
});
