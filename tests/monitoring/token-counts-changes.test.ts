import { beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { Knex } from 'knex';

import type { Database } from '../../src/database/database.ts';
import { TokenCountStore } from '../../src/monitoring/token-count-store.ts';
import {
  expectRightAnswers,
  expectRightCounts,
  pendingDeltas,
} from '../campaigns/count-model/count-model-answers.ts';
import { databaseOfTests } from '../support/database/test-database.ts';
import { insertState, insertTokens } from '../support/database/token-rows.ts';

const RESOLVERS = ['people', 'staff'];
const TOKENS = [
  { serial: 'T1', realms: ['north'], owner: { resolver: 'people', userId: '1' } },
  { serial: 'T2', realms: ['north', 'south'], owner: { resolver: 'people', userId: '1' } },
  { serial: 'T3', realms: ['south'], active: false, owner: { resolver: 'people', userId: '2' } },
  { serial: 'T4', realms: [], owner: { resolver: 'staff', userId: '1' } },
  { serial: 'T5', realms: ['north'] },
  { serial: 'T6', realms: [], active: false },
];

const test = databaseOfTests();
let database: Database;
let knex: Knex;

beforeAll(() => {
  ({ database } = test);
  ({ knex } = database);
});

beforeEach(async () => {
  await knex.raw(
    'TRUNCATE tokens, users, realm_resolvers, realms, resolvers CASCADE; DELETE FROM realm_sets WHERE id > 1',
  );
  await insertState(database, {
    resolvers: RESOLVERS,
    realms: ['north', 'south'].map((name) => ({ name, resolvers: RESOLVERS })),
    tokens: TOKENS,
  });
  await knex.raw(`INSERT INTO users (resolver_id, login) SELECT id, 'ann' FROM resolvers`);
});

/** The number of tokens, as monitoring reads it. */
async function total(): Promise<number> {
  const { tokens } = await new TokenCountStore({ database }).snapshot();
  return tokens.reduce((sum, row) => sum + row.tokens, 0);
}

const setOf = (...realms: string[]): string =>
  `intern_realm_set(ARRAY(SELECT id FROM realms WHERE name IN ('${realms.join(`','`)}')))`;
const resolver = (name: string): string => `(SELECT id FROM resolvers WHERE name = '${name}')`;

/** What `tests/campaigns/count-model` meets too seldom in its short form; all else of triggers and folds is there. */
describe('counts are right after a change by hand', () => {
  it('that moves, unlocks or removes locked tokens, at every stage of folding', async () => {
    await knex.raw(`
      UPDATE tokens SET fail_count = 10;
      UPDATE tokens SET realm_set_id = 1 WHERE serial IN ('T1', 'T2');
      UPDATE tokens SET max_fail = 11 WHERE serial = 'T2';
      UPDATE tokens SET fail_count = 12 WHERE serial = 'T3';
      DELETE FROM tokens WHERE serial = 'T5'`);
    await expectRightCounts(database);
  });

  it('of the realms that a set stands for, also to a server that has read the counts before', async () => {
    const counts = new TokenCountStore({ database });
    await knex.raw("INSERT INTO realms (name) VALUES ('west'); SELECT fold_counts(1000)");
    await counts.snapshot();
    await knex.raw(`
      UPDATE realm_sets SET realm_ids = array_replace(realm_ids,
        (SELECT id FROM realms WHERE name = 'south'), (SELECT id FROM realms WHERE name = 'west'))`);
    expect(await counts.snapshot()).toEqual(await new TokenCountStore({ database }).snapshot());
    await expectRightCounts(database);
  });

  it('with any search path', async () => {
    await knex.transaction(async (transaction) => {
      await transaction.raw(`
        CREATE TEMPORARY TABLE count_deltas (LIKE public.count_deltas) ON COMMIT DROP;
        SET LOCAL search_path = pg_temp, pg_catalog;
        INSERT INTO public.tokens (serial, type, active, realm_set_id) VALUES ('P', 'ocra', true, 1)`);
    });
    await expectRightCounts(database);
    expect(await total()).toBe(TOKENS.length + 1);
  });
});

describe('writers at the same time', () => {
  const levels = ['read committed', 'repeatable read', 'serializable'] as const;
  const orders = [
    [0, 1],
    [1, 0],
  ] as const;

  it.each(levels.flatMap((level) => orders.map((order) => [level, order] as const)))(
    'at %s change tokens of one user in one realm without waiting, and commit in the order %s',
    async (isolationLevel, order) => {
      await knex.raw('SELECT fold_counts(1000)');
      const writers = [
        await knex.transaction({ isolationLevel }),
        await knex.transaction({ isolationLevel }),
      ] as const;
      const statements = [
        `UPDATE tokens SET active = false WHERE serial = 'T1'; INSERT INTO tokens
           (serial, type, active, realm_set_id, owner_resolver_id, owner_user_id, owner_login)
         VALUES ('W', 'ocra', true, ${setOf('north')}, ${resolver('people')}, '1', 'ann')`,
        `DELETE FROM tokens WHERE serial = 'T2'; UPDATE tokens SET active = true WHERE serial = 'T3'`,
      ] as const;
      for (const [index, writer] of writers.entries()) {
        // Far more than two writes take; a lock would be waited for until the other one has committed.
        await writer.raw(`SET LOCAL lock_timeout = '5s'; ${statements[index] ?? ''}`);
        await knex.raw('SELECT fold_counts(1000)');
      }
      await writers[order[0]].commit();
      await expectRightAnswers(database);
      await knex.raw('SELECT fold_counts(1)');
      await writers[order[1]].commit();
      await expectRightCounts(database);
    },
  );

  it('and folds in between leave nothing wrong', async () => {
    const writing = Array.from({ length: 12 }, async (_, index) => {
      const serial = `C${index}`;
      const owner = { resolver: 'people', userId: String(index % 3) };
      await insertTokens(database, [{ serial, realms: ['north'], owner }]);
      await knex.raw('SELECT fold_counts(3)');
      await knex.raw('UPDATE tokens SET active = NOT active WHERE serial = ?', [serial]);
      await knex.raw('SELECT fold_counts(2)');
      if (index % 2 === 0) {
        await knex('tokens').where({ serial }).delete();
      }
    });
    await Promise.all([...writing, expectRightAnswers(database), expectRightAnswers(database)]);
    await expectRightCounts(database);
    expect(await total()).toBe(TOKENS.length + 6);
  });
});

describe('folding', () => {
  it('is done by one at a time', async () => {
    const first = await knex.transaction();
    await first.raw('SELECT fold_counts(1)');
    const second = await knex.raw<{ rows: unknown[] }>('SELECT fold_counts(1000) AS folded');
    expect(second.rows).toEqual([{ folded: null }]);
    await expectRightAnswers(database);
    await first.commit();
    await expectRightCounts(database);
  });

  it('that is taken back has folded nothing', async () => {
    const pending = await pendingDeltas(database);
    const folding = await knex.transaction();
    await folding.raw('SELECT fold_counts(1000)');
    await folding.rollback();
    expect(await pendingDeltas(database)).toBe(pending);
    await expectRightCounts(database);
  });

  it.each(['fold_counts(1)', 'rebuild_counts()'])(
    'by %s is refused in a snapshot that may be older than its lock',
    async (call) => {
      const attempt = knex.transaction((transaction) => transaction.raw(`SELECT ${call}`), {
        isolationLevel: 'repeatable read',
      });
      await expect(attempt).rejects.toThrow('READ COMMITTED only');
    },
  );
});

describe('a bulk load with triggers disabled', () => {
  it('is counted by rebuild_counts in the same transaction', async () => {
    await knex.raw('SELECT fold_counts(2)');
    await knex.raw(`
      BEGIN; ALTER TABLE tokens DISABLE TRIGGER USER; ALTER TABLE users DISABLE TRIGGER USER;
      INSERT INTO tokens (serial, type, active, realm_set_id, owner_resolver_id, owner_user_id, owner_login)
      SELECT 'L' || n, 'ocra', n % 3 > 0, ${setOf('north')}, ${resolver('staff')}, n % 7, n % 7
      FROM generate_series(1, 50) AS n;
      INSERT INTO users (resolver_id, login) SELECT ${resolver('staff')}, n FROM generate_series(1, 9) AS n;
      ALTER TABLE tokens ENABLE TRIGGER USER; ALTER TABLE users ENABLE TRIGGER USER;
      SELECT rebuild_counts(); COMMIT`);
    expect(await pendingDeltas(database)).toBe(0);
    await expectRightCounts(database);
    expect(await total()).toBe(TOKENS.length + 50);
  });
});
