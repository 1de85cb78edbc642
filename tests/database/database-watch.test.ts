import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { setImmediate } from 'node:timers/promises';

import { isServiceError } from '../../src/kernel/errors.ts';
import { ConnectionGate } from '../../src/database/connection-gate.ts';
import { type Database, openDatabase, poolUsage } from '../../src/database/database.ts';
import { DatabaseClock } from '../../src/database/database-clock.ts';
import { DatabaseWatch } from '../../src/database/database-watch.ts';
import { DatabaseProxy } from '../support/database/database-proxy.ts';
import { createTestDatabase, type TestDatabase } from '../support/database/test-database.ts';
import { until } from '../support/values/until.ts';

/** So long that within a test it never comes: whoever waited for a connection would fail the test. */
const ACQUIRE_MS = 60_000;
/** The time limit for a sign of life where the database counts as present, and where it counts as missing. */
const [LONG_MS, SHORT_MS] = [10_000, 1_500];

let test: TestDatabase;
const endings: (() => Promise<void>)[] = [];

beforeAll(async () => {
  test = await createTestDatabase();
});
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) {
    await end();
  }
});
afterAll(() => test.drop());

interface Watched {
  readonly proxy: DatabaseProxy;
  readonly database: Database;
  readonly gate: ConnectionGate;
  readonly lines: string[];
}

/** A pool that reaches the database through a proxy, as a server has it. */
async function watched({
  poolSize = 4,
  acquireTimeoutMs = ACQUIRE_MS,
  timeoutMs = LONG_MS,
  parameters = '',
  afterStart = () => Promise.resolve(),
  clock = new DatabaseClock(),
} = {}): Promise<Watched> {
  const proxy = await DatabaseProxy.start(test.url);
  const gate = new ConnectionGate();
  const lines: string[] = [];
  const at = (level: string) => (message: string) => void lines.push(`${level} ${message}`);
  const log = { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
  const options = { connection: `${proxy.url}${parameters}`, poolSize, acquireTimeoutMs };
  const database = openDatabase({ ...options, gate });
  const watch = new DatabaseWatch({
    database: { ...options, applicationName: 'watch' },
    gate,
    clock,
    log,
    interval: 100,
    timeoutMs,
  });
  await database.ready();
  watch.start();
  await afterStart();
  // It has looked once: from now on it has a connection that stands.
  await until(async () => (await connectionsOf('watch')) === 1);
  endings.push(
    () => proxy.stop(),
    () => database.close(),
    () => watch.stop(),
  );
  return { proxy, database, gate, lines };
}

async function connectionsOf(application: string): Promise<number> {
  const { rows } = await test.database.knex.raw<{ rows: unknown[] }>(
    `SELECT FROM pg_stat_activity
     WHERE datname = current_database() AND application_name = ? AND state = 'idle'
       AND query LIKE '%pg_is_in_recovery%'`,
    [application],
  );
  return rows.length;
}

/** @returns the message of the fault */
async function faultOf(work: PromiseLike<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    if (isServiceError(error, 'database.unavailable')) {
      return error.message;
    }
    throw error;
  }
  throw new Error('There was no fault');
}

describe('a database that stops', () => {
  it('is known to be away: each question is answered at once, and works again when it is back', async () => {
    const { proxy, database, gate, lines } = await watched();
    await proxy.cut();
    await until(() => gate.reason !== undefined);
    const asking = Array.from({ length: 50 }, () => faultOf(database.knex.raw('SELECT 1')));
    const transacting = faultOf(database.transact(({ sql: one }) => one.raw('SELECT 1')));
    for (const message of await Promise.all([...asking, transacting])) {
      expect(message).toMatch(
        /^the database is not available: (?:no server is listening there|the connection was lost)$/,
      );
    }
    await proxy.restore();
    await until(() => gate.reason === undefined);
    await database.ready();
    expect(lines).toEqual([
      'error The database is away: until it is back, what needs it is answered with 503 at once',
      'info The database is back',
    ]);
    expect(poolUsage(database)).toMatchObject({ used: 0, waiting: 0 });
  });
});

describe('a process that is busy itself', () => {
  it('does not take the database for missing, as it cannot read the answers', async () => {
    const { gate, lines } = await watched({
      afterStart: async () => {
        for (let times = 0; times < 4; times += 1) {
          await setImmediate();
          const end = Date.now() + SHORT_MS + 100;
          while (Date.now() < end);
        }
      },
    });
    expect(gate.reason).toBeUndefined();
    expect(lines).toEqual([]);
  });
});

describe('a statement that takes longer than it may', () => {
  it('is a sign of life, and no reason to look for the database anew', async () => {
    const gate = new ConnectionGate();
    const database = openDatabase({ connection: test.url, gate });
    endings.push(() => database.close());
    let troubles = 0;
    gate.onTrouble(() => {
      troubles += 1;
    });
    const late = database.transact(async ({ sql }) => {
      await sql.raw('SET LOCAL statement_timeout = 50');
      await sql.raw('SELECT pg_sleep(10)');
    });
    expect(await faultOf(late)).toBe('the database is not available: the database took too long');
    expect(troubles).toBe(0);
    const ended = database.knex.raw('SELECT pg_terminate_backend(pg_backend_pid())');
    expect(await faultOf(ended)).toBe('the database is not available: the connection was lost');
    expect(troubles).toBeGreaterThan(0);
  });
});

describe('a network that swallows everything', () => {
  it('ends what is under way and what waits for a connection, long before any time-out', async () => {
    const { proxy, database, gate } = await watched({ poolSize: 2, timeoutMs: SHORT_MS });
    // Two statements under way and two that wait for a connection.
    const hanging = Array.from({ length: 4 }, () => faultOf(database.knex.raw('SELECT pg_sleep(60)')));
    await until(() => poolUsage(database).waiting === 2);
    proxy.freeze();
    await Promise.all(hanging);
    await until(() => gate.reason !== undefined);
    await faultOf(database.ready());
    expect(poolUsage(database).used).toBe(0);
    proxy.thaw();
    await until(() => gate.reason === undefined);
    await database.ready();
    // What came for those who were refused meanwhile is given back.
    await until(() => poolUsage(database).used + poolUsage(database).waiting === 0);
  });

  it('for old connections only: new ones take their place', async () => {
    const { proxy, database, gate } = await watched({ timeoutMs: SHORT_MS });
    const hanging = faultOf(database.knex.raw('SELECT pg_sleep(60)'));
    await until(() => poolUsage(database).used === 1);
    proxy.silence();
    expect(await hanging).toContain('the connection was lost');
    expect(gate.reason).toBeUndefined();
    await database.ready();
  });
});

describe('a pool whose connections are all taken', () => {
  it('has one wait at a time, once one has waited in vain, until one is free', async () => {
    const { database, gate } = await watched({ poolSize: 1, acquireTimeoutMs: 3_000 });
    const taken = await database.knex.transaction();
    await faultOf(database.knex.raw('SELECT 1'));
    const waiting = database.knex.raw('SELECT 1');
    const next = waiting.then(() => 'answered');
    await until(() => poolUsage(database).waiting === 1);
    expect(await faultOf(database.knex.raw('SELECT 1'))).toBe(
      'the database is not available: no connection became free in time',
    );
    // It has not waited at all: whoever came before it still does.
    expect(poolUsage(database).waiting).toBe(1);
    await taken.rollback();
    expect(await next).toBe('answered');
    // From now on they queue again.
    await Promise.all(Array.from({ length: 5 }, () => database.knex.raw('SELECT 1')));
    expect(gate.reason).toBeUndefined();
  });
});

describe('a single backend that is ended', () => {
  it('fails what ran there, and nothing else', async () => {
    const { database, gate, lines } = await watched();
    const hanging = faultOf(database.knex.raw('SELECT pg_sleep(60)'));
    await until(() => poolUsage(database).used === 1);
    await test.database.knex.raw(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND query LIKE 'SELECT pg_sleep%'`,
    );
    expect(await hanging).toContain('the connection was lost');
    await database.ready();
    expect(gate.reason).toBeUndefined();
    expect(lines).toEqual([]);
    await until(() => poolUsage(database).used === 0);
  });
});

describe('a database that accepts no writes any more', () => {
  async function endWatch(): Promise<void> {
    await test.database.knex.raw(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND application_name = 'watch'`,
    );
  }

  it('is not taken for one that is there (a standby)', async () => {
    // The tests have no standby, so what is asked of one is answered by a function of ours.
    await test.database.knex.raw('CREATE SCHEMA standby');
    const { database, gate } = await watched({ parameters: '?options=-c%20search_path=standby,pg_catalog' });
    await test.database.knex.raw(
      'CREATE FUNCTION standby.pg_is_in_recovery() RETURNS boolean LANGUAGE sql AS $$ SELECT true $$',
    );
    await until(() => gate.reason === 'the server accepts no writes');
    expect(await faultOf(database.ready())).toContain('accepts no writes');
    await test.database.knex.raw('DROP FUNCTION standby.pg_is_in_recovery()');
    await until(() => gate.reason === undefined);
    await test.database.knex.raw('DROP SCHEMA standby');
  });

  it('is not taken for one that is there (made read-only)', async () => {
    const { database, gate } = await watched();
    const name = new URL(test.url).pathname.slice(1);
    await test.database.knex.raw(`ALTER DATABASE ${name} SET default_transaction_read_only = on`);
    await endWatch();
    await until(() => gate.reason === 'the server accepts no writes');
    expect(await faultOf(database.ready())).toContain('accepts no writes');
    await test.database.knex.raw(`ALTER DATABASE ${name} RESET default_transaction_read_only`);
    await until(() => gate.reason === undefined);
  });
});
