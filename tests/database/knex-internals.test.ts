import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import knex from 'knex';
import type { Knex } from 'knex';
import pg from 'pg';

import {
  cutConnection,
  hookedClient,
  markLongWork,
  type PoolHooks,
  poolUsageOf,
  retireAfter,
  withExtraConnection,
  withPooledConnection,
} from '../../src/database/knex-internals.ts';
import { createTestDatabase, type TestDatabase } from '../support/database/test-database.ts';
import { until } from '../support/values/until.ts';

const PASSED_ON: PoolHooks = {
  acquire: (acquire) => acquire(),
  answer: (answer) => answer,
  translate: (fault) => fault,
};

const nothing = (): void => undefined;
const SILENT: Knex.Logger = { warn: nothing, error: nothing, deprecate: nothing, debug: nothing };
/** Otherwise the server notices at the end of the statement only that its client is gone. */
const NOTICE_CUTS = "SET client_connection_check_interval = '20ms'";

let test: TestDatabase;
const opened: Knex[] = [];

beforeAll(async () => {
  test = await createTestDatabase();
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((pool) => pool.destroy()));
});
afterAll(() => test.drop());

/** A pool of one connection. */
function open(hooks: Partial<PoolHooks> = {}, pool: Knex.PoolConfig = {}): Knex {
  const made = knex({
    client: hookedClient({ ...PASSED_ON, ...hooks }, pg.Client),
    connection: test.url,
    pool: { min: 0, max: 1, ...pool },
    log: SILENT,
  });
  opened.push(made);
  return made;
}

async function pidOf(sql: Knex, connection?: unknown): Promise<number | undefined> {
  const statement = sql.raw<{ rows: { pid: number }[] }>('SELECT pg_backend_pid() AS pid');
  const { rows } = await (connection === undefined ? statement : statement.connection(connection));
  return rows[0]?.pid;
}

async function faultOf(work: PromiseLike<unknown>): Promise<unknown> {
  try {
    await work;
  } catch (fault) {
    return fault;
  }
  throw new Error('There was no fault');
}

describe('a hooked client', () => {
  it('speaks the dialect of PostgreSQL', () => {
    expect((open().client as Knex.Client).dialect).toBe('postgresql');
  });

  it('has faults of statements, transactions and connecting translated', async () => {
    const translate = (fault: unknown, isInTransaction: boolean): Error =>
      new Error(`${isInTransaction} ${(fault as { code?: string }).code}`);
    const pool = open({ translate });
    const wrong = 'SELECT 1 / 0';
    expect(await faultOf(pool.raw(wrong))).toEqual(new Error('false 22012'));
    // Within the transaction, and again where the transaction itself is awaited.
    let within: unknown;
    await pool.transaction(async (sql) => {
      within = await faultOf(sql.raw(wrong));
    });
    expect(within).toEqual(new Error('true 22012'));
    await pool.destroy();
    const url = new URL(test.url);
    url.pathname = '/no_such_database';
    const away = knex({
      client: hookedClient({ ...PASSED_ON, translate }, pg.Client),
      connection: url.href,
      log: SILENT,
    });
    opened.push(away);
    expect(await faultOf(away.transaction(() => Promise.resolve()))).toEqual(new Error('false 3D000'));
  });

  it('has connections waited for, with the number of those who wait', async () => {
    const waits: number[] = [];
    const pool = open({
      acquire: (acquire, waiting) => {
        waits.push(waiting);
        return acquire();
      },
    });
    await Promise.all([pidOf(pool), pidOf(pool), pidOf(pool)]);
    expect(waits).toEqual([0, 1, 2]);
  });

  it('takes a connection back that nobody wants any more', async () => {
    let isUnwanted = true;
    const pool = open({
      acquire: async (acquire, _waiting, giveBack) => {
        const connection = await acquire();
        if (isUnwanted) {
          isUnwanted = false;
          giveBack(connection);
          throw new Error('unwanted');
        }
        return connection;
      },
    });
    expect(await faultOf(pidOf(pool))).toEqual(new Error('unwanted'));
    expect(await pidOf(pool)).toBeGreaterThan(0);
  });

  it('has answers waited for, knows those of long work, and ends their connection', async () => {
    const isLongs: boolean[] = [];
    let end = nothing;
    const pool = open({
      answer: (answer, endConnection, isLong) => {
        isLongs.push(isLong);
        end = endConnection;
        return answer;
      },
    });
    await pool.transaction(async (sql) => {
      await sql.raw('SELECT 1');
      markLongWork(sql);
      await sql.raw('SELECT 2');
    });
    await pool.raw(NOTICE_CUTS);
    // BEGIN, 1, 2, COMMIT, SET
    expect(isLongs).toEqual([false, false, true, true, false]);
    const answer = faultOf(pool.raw('SELECT pg_sleep(60)'));
    await until(() => isLongs.length === 6);
    end();
    expect(await answer).toMatchObject({ message: expect.stringContaining('Connection terminated') });
  });
});

describe('the usage of a pool', () => {
  it('counts connections in use, those free, and those waited for', async () => {
    const pool = open();
    expect(poolUsageOf(pool)).toEqual({ used: 0, free: 0, waiting: 0 });
    const transaction = await pool.transaction();
    const waiting = pidOf(pool);
    await until(() => poolUsageOf(pool).waiting === 1);
    expect(poolUsageOf(pool)).toEqual({ used: 1, free: 0, waiting: 1 });
    await transaction.rollback();
    await waiting;
    expect(poolUsageOf(pool)).toEqual({ used: 0, free: 1, waiting: 0 });
    await pool.destroy();
    expect(poolUsageOf(pool)).toEqual({ used: 0, free: 0, waiting: 0 });
  });
});

describe('a connection', () => {
  it('is not used again after a fault that retires it, and is after others', async () => {
    const pool = open({}, { afterCreate: retireAfter(/^22012$/) });
    const first = await pidOf(pool);
    await faultOf(pool.raw('SELECT no_such_column'));
    expect(await pidOf(pool)).toBe(first);
    await faultOf(pool.raw('SELECT 1 / 0'));
    expect(await pidOf(pool)).not.toBe(first);
  });

  it('of the pool serves several statements, and goes back after a fault', async () => {
    const pool = open();
    const failed = withPooledConnection(pool, async (connection) => {
      const pid = await pidOf(pool, connection);
      expect(await pidOf(pool, connection)).toBe(pid);
      expect(poolUsageOf(pool).used).toBe(1);
      throw new Error('halfway');
    });
    expect(await faultOf(failed)).toEqual(new Error('halfway'));
    expect(poolUsageOf(pool)).toEqual({ used: 0, free: 1, waiting: 0 });
  });

  it('beside the pool needs none of it, runs a transaction, and is closed', async () => {
    const pool = open();
    const transaction = await pool.transaction();
    const pid = await withExtraConnection(pool, (connection) =>
      pool.transaction((sql) => pidOf(sql), { connection }),
    );
    expect(poolUsageOf(pool)).toEqual({ used: 1, free: 0, waiting: 0 });
    await transaction.rollback();
    expect(pid).toBeGreaterThan(0);
    await until(async () => {
      const { rowCount } = await pool.raw<{ rowCount: number }>(
        'SELECT 1 FROM pg_stat_activity WHERE pid = ?',
        [pid ?? 0],
      );
      return rowCount === 0;
    });
  });

  it('that is cut fails the statement that runs there', async () => {
    const client = new pg.Client({ connectionString: test.url });
    client.on('error', nothing);
    await client.connect();
    await client.query(NOTICE_CUTS);
    const answer = faultOf(client.query('SELECT pg_sleep(60)'));
    cutConnection(client);
    expect(await answer).toMatchObject({ message: expect.stringContaining('Connection terminated') });
  });
});
