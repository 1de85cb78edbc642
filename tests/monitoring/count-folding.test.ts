import { beforeAll, describe, expect, it } from '@jest/globals';
import { setTimeout as sleep } from 'node:timers/promises';

import { countFolding } from '../../src/monitoring/token-count-store.ts';
import { openDatabase } from '../../src/database/database.ts';
import { expectRightCounts, pendingDeltas } from '../campaigns/count-model/count-model-answers.ts';
import { databaseOfTests } from '../support/database/test-database.ts';
import { insertState } from '../support/database/token-rows.ts';
import { until } from '../support/values/until.ts';

const test = databaseOfTests();

beforeAll(() =>
  insertState(test.database, {
    resolvers: ['people'],
    realms: [{ name: 'north', resolvers: ['people'] }],
    tokens: [
      { serial: 'T1', realms: ['north'], owner: { resolver: 'people', userId: '1' } },
      { serial: 'T2', realms: [] },
    ],
  }),
);

function recordingLog(): { lines: string[]; log: Parameters<typeof countFolding>[0]['log'] } {
  const lines: string[] = [];
  const at = (level: string) => (message: string) => void lines.push(`${level} ${message}`);
  return { lines, log: { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') } };
}

const insertUsers = (from: number, to: number): Promise<unknown> =>
  test.database.knex.raw(
    'INSERT INTO users (resolver_id, login) SELECT id, n FROM resolvers, generate_series(?::int, ?::int) AS n',
    [from, to],
  );

/** @returns bytes */
async function sizeOfDeltas(): Promise<number> {
  const { rows } = await test.database.knex.raw<{ rows: { size: string }[] }>(
    "SELECT pg_relation_size('user_count_deltas') AS size",
  );
  return Number(rows[0]?.size);
}

describe('folding in the background', () => {
  it('folds what comes, more than one batch of it too, clears away after itself, and stops', async () => {
    const { lines, log } = recordingLog();
    const folding = countFolding({ database: test.database, log, pause: 20 });
    folding.start();
    await insertUsers(1, 25_000);
    await until(async () => (await pendingDeltas(test.database)) === 0);
    let users = 25_000;
    // A look at the table while it is cleared may keep its space until the next time.
    while ((await sizeOfDeltas()) > 0) {
      await insertUsers(users + 1, (users += 1_000));
      await until(async () => (await pendingDeltas(test.database)) === 0);
      await sleep(500);
      expect(users).toBeLessThan(35_000);
    }
    await folding.stop();
    // Where a turn was under way, stopping may have been faster.
    await until(() => test.database.usage().used + test.database.usage().waiting === 0);
    await insertUsers(users + 1, users + 2);
    await sleep(100);
    expect(await pendingDeltas(test.database)).toBe(2);
    expect(new Set(lines)).toEqual(new Set(['debug Folded counts']));
    await expectRightCounts(test.database);
  });

  it('clears away after an autovacuum that is at work', async () => {
    const { log } = recordingLog();
    const { knex } = test.database;
    // The lock of VACUUM.
    const other = await knex.transaction();
    await other.raw('LOCK TABLE user_count_deltas IN SHARE UPDATE EXCLUSIVE MODE');
    const folding = countFolding({ database: test.database, log, pause: 20 });
    folding.start();
    await insertUsers(40_001, 42_000);
    await until(async () => {
      const { rows } = await knex.raw<{ rows: { waiting: boolean }[] }>(
        "SELECT EXISTS (SELECT FROM pg_locks WHERE relation = 'user_count_deltas'::regclass AND NOT granted) AS waiting",
      );
      return rows[0]?.waiting === true;
    });
    expect(await pendingDeltas(test.database)).toBe(0);
    await other.commit();
    await until(async () => (await sizeOfDeltas()) === 0);
    await knex('users').whereRaw('login::int > 40000').delete();
    await until(async () => (await pendingDeltas(test.database)) === 0);
    await folding.stop();
  });

  it('is quiet while the database is away, and folds again when it is back', async () => {
    const { lines, log } = recordingLog();
    const { database } = test;
    let away = true;
    let requested = 0;
    const nowhere = openDatabase({ connection: 'postgres://nobody@127.0.0.1:1/nothing' });
    const folding = countFolding({
      database: {
        ...database,
        get knex() {
          requested += 1;
          return away ? nowhere.knex : database.knex;
        },
      },
      log,
      pause: 5,
    });
    folding.start();
    await insertUsers(30_001, 30_002);
    await until(() => requested > 3);
    expect(lines).toEqual([]);
    away = false;
    await until(async () => (await pendingDeltas(database)) === 0);
    await folding.stop();
    await nowhere.close();
  });

  it('says once what else keeps it from folding', async () => {
    const { lines, log } = recordingLog();
    const { knex } = test.database;
    await knex.raw('ALTER TABLE count_state RENAME TO hidden');
    await knex.raw("DELETE FROM tokens WHERE serial = 'T2'");
    const folding = countFolding({ database: test.database, log, pause: 5 });
    folding.start();
    await until(() => lines.length > 0);
    await sleep(100);
    await folding.stop();
    await knex.raw('ALTER TABLE hidden RENAME TO count_state');
    expect(lines).toEqual(['warn Counts cannot be folded: they stay right, but take longer to read']);
  });
});

describe('a server that has begun with few users', () => {
  const TOKENS = 2_000;
  const enrol = `
    INSERT INTO tokens (serial, type, active, realm_set_id, owner_resolver_id, owner_user_id, owner_login)
    SELECT 'P' || n, 'ocra', true, 1, resolvers.id, 'p' || n, n FROM resolvers, generate_series(?::int, ?::int) AS n`;
  const read = `SELECT read_counts('another version') FROM generate_series(1, 10)`;

  it('looks up each user by the key, however it planned to when they were few', async () => {
    const { database } = test;
    await database.transact(async ({ sql: session }) => {
      // Plans are made for what there is, and kept after some uses.
      await session.raw('ANALYZE active_user_tokens');
      for (let n = 1; n <= 10; n += 1) {
        await session.raw(enrol, [n, n]);
        await session.raw('SELECT fold_counts(10)');
      }
      await session.raw(enrol, [11, 11]);
      await session.raw(read);
      await session.raw(enrol, [101, 100 + TOKENS]);
      await session.raw('SELECT fold_counts(10000)');
      await session.raw(enrol, [100_001, 100_000 + TOKENS]);
      await session.raw(read);
      await session.raw('SELECT fold_counts(10000)');
      const { rows } = await session.raw<{ rows: { passed: string }[] }>(
        "SELECT pg_stat_get_xact_tuples_returned('active_user_tokens'::regclass) AS passed",
      );
      // By reading the table for each of them it would be some millions.
      expect(Number(rows[0]?.passed)).toBeLessThan(100 * TOKENS);
    });
    await expectRightCounts(database);
    await database.knex.raw("DELETE FROM tokens WHERE serial LIKE 'P%'");
  });
});
