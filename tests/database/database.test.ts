import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { createServer, type AddressInfo } from 'node:net';
import { type ServiceError, isServiceError } from '../../src/kernel/errors.ts';
import { type Database, type DatabaseOptions, openDatabase } from '../../src/database/database.ts';
import {
  describeDatabaseAddress,
  describeDatabaseFault,
  isPassing,
  translateDatabaseFault,
} from '../../src/database/database-faults.ts';
import { DatabaseProxy } from '../support/database/database-proxy.ts';
import { eventualRefusal } from '../support/values/refusal.ts';
import { freePort } from '../support/servers/wait-for-port.ts';
import { connectionsLeft, createTestDatabase, databaseOfTests } from '../support/database/test-database.ts';
import { queryOnce, testServer, withDatabase } from '../support/database/test-server.ts';

const test = databaseOfTests();
const opened: Database[] = [];
const proxies: DatabaseProxy[] = [];

beforeAll(() =>
  test.database.knex.raw('CREATE TABLE counters (name text PRIMARY KEY, value bigint NOT NULL)'),
);
afterEach(async () => {
  await Promise.all(opened.splice(0).map((database) => database.close()));
  await Promise.all(proxies.splice(0).map((proxy) => proxy.stop()));
});

function open(options: Partial<DatabaseOptions> = {}): Database {
  const database = openDatabase({ connection: test.url, ...options });
  opened.push(database);
  return database;
}

async function faultOf(work: PromiseLike<unknown>): Promise<ServiceError> {
  try {
    await work;
  } catch (error) {
    if (isServiceError(error)) {
      return error;
    }
    throw error;
  }
  throw new Error('There was no fault');
}

describe('a database that is away', () => {
  it('is reported as such by single statements, transactions and the sign of life', async () => {
    const port = await freePort();
    const away = open({ connection: `postgres://anna:hush@127.0.0.1:${port}/bank` });
    const faults = await Promise.all([
      faultOf(away.knex('counters').select()),
      faultOf(away.transact(({ sql }) => sql('counters').select())),
      faultOf(away.knex.transaction((sql) => sql('counters').select())),
      faultOf(away.ready()),
    ]);
    for (const { code, message, detail } of faults) {
      expect(code).toBe('database.unavailable');
      expect(message).toBe('the database is not available: no server is listening there');
      expect(detail).toContain(String(port));
    }
  });

  it('is reported when its socket, or the database on the server, does not exist', async () => {
    const socket = open({ connection: 'postgres://anna@localhost/bank?host=/nonexistent' });
    expect((await faultOf(socket.ready())).message).toContain('no server is listening there');
    const nameless = open({ connection: withDatabase(testServer().url, 'no_such_database') });
    expect((await faultOf(nameless.ready())).message).toContain('there is no such database');
  });

  it('is reported within the time allowed when it accepts connections and says nothing', async () => {
    const mute = createServer((socket) => socket.resume());
    await new Promise<void>((resolve) => mute.listen(0, '127.0.0.1', resolve));
    const { port } = mute.address() as AddressInfo;
    const database = open({ connection: `postgres://anna@127.0.0.1:${port}/bank`, acquireTimeoutMs: 200 });
    expect((await faultOf(database.ready())).code).toBe('database.unavailable');
    await new Promise((resolve) => mute.close(resolve));
  });

  it('is described at the start with its address and never with the password', () => {
    const refused = Object.assign(new Error('connect ECONNREFUSED 192.0.2.1:6543'), { code: 'ECONNREFUSED' });
    const url = 'postgres://anna:hu%40sh@db.example:6543/bank?sslmode=require';
    expect(describeDatabaseFault(translateDatabaseFault(refused), url)).toBe(
      "the database 'bank' on db.example, port 6543 is not available: no server is listening there",
    );
    const login = Object.assign(new Error('password authentication failed for user "anna"'), {
      code: '28P01',
    });
    expect(describeDatabaseFault(login, url)).toContain('the user or the password is wrong');
  });

  it.each([
    ['postgres://localhost/bank', "'bank' on localhost, port 5432"],
    ['postgres://anna@/bank?host=/run/postgresql', "'bank' on /run/postgresql, port 5432"],
    ['postgres://anna@localhost/bank?host=%2Fa%2Fb&port=7', "'bank' on /a/b, port 7"],
    ['hush', 'at the given URL (which is none of the form postgres://user:password@host:port/database)'],
  ])('names the address in %s', (url, address) => {
    expect(describeDatabaseAddress(url)).toBe(address);
  });
});

describe('a fault of the database', () => {
  // prettier-ignore
  it.each([
    'EMFILE', 'ENFILE', '57P01', '57P03', '57P04', '57P05', '53100', '58030', '53300', '08006', '28P01',
    '3D000', '57014', '25006', 'ECONNRESET', 'ETIMEDOUT',
  ])('%s means that it is not available', (code) => {
    const translated = translateDatabaseFault(Object.assign(new Error('secret text'), { code }));
    expect(isServiceError(translated, 'database.unavailable')).toBe(true);
    expect((translated as Error).message).not.toContain('secret');
  });

  it.each(['23505', '42P01', '22P02'])('%s stays what it is', (code) => {
    const error = Object.assign(new Error('timeout expired, says the statement'), { code });
    expect(translateDatabaseFault(error)).toBe(error);
  });

  it.each([
    ['57P03', 'the database system is starting up', 'the server is starting or stopping', true],
    ['53300', 'sorry, too many clients already', 'the server has no connection left', true],
    ['08P01', 'server login has been failing (server_login_retry)', 'server login has been failing', true],
    ['28P01', 'password authentication failed', 'the user or the password is wrong', false],
    ['28000', 'no pg_hba.conf entry for host', 'the user or the password is wrong', false],
    ['3D000', 'database "bank" does not exist', 'there is no such database', false],
    ['08P01', 'no such database: bank', 'no such database', false],
    ['08P01', 'unsupported startup parameter: options', 'set ignore_startup_parameters = options', false],
    ['08P01', 'unsupported startup parameter: x', 'set ignore_startup_parameters = options', false],
    ['0A000', 'unsupported frontend protocol 3.0', 'unsupported frontend protocol', false],
  ])('%s (%s) is told as "%s", and whether a server waits for its end is %s', (code, text, told, waits) => {
    const fault = translateDatabaseFault(Object.assign(new Error(text), { code }));
    expect(describeDatabaseFault(fault, 'postgres://anna@db/bank')).toContain(told);
    expect(isPassing(fault)).toBe(waits);
  });

  it('of a statement does not quote the values, which may be secret', async () => {
    const insert = (): PromiseLike<unknown> =>
      test.database.knex('counters').insert({ name: 'hush', value: 1 });
    await insert();
    const fault = await Promise.resolve(insert()).catch((error: unknown) => error as Error);
    expect(fault).toMatchObject({ code: '23505', message: expect.not.stringContaining('hush') });
  });
});

describe('the pool', () => {
  it('survives the loss of its idle connections', async () => {
    const database = open({ applicationName: 'victim' });
    await database.ready();
    await test.database.knex.raw(
      "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = 'victim'",
    );
    // The loss is noticed between two statements; whichever is first may still meet it.
    await database.ready().catch((error: unknown) => {
      expect(isServiceError(error, 'database.unavailable')).toBe(true);
    });
    await database.ready();
  });

  it('does not use a connection again that takes no writes', async () => {
    const database = open({ poolSize: 1 });
    // As one that a failover has left at what is a standby now.
    await database.knex.raw('SET default_transaction_read_only = on');
    const write = (): Promise<unknown> =>
      database.knex.raw("INSERT INTO counters VALUES ('writable', 1) ON CONFLICT DO NOTHING");
    expect(await faultOf(write())).toMatchObject({ code: 'database.unavailable' });
    await expect(write()).resolves.toMatchObject({ rowCount: 1 });
  });

  it('does not use a connection again that the database has ended', async () => {
    const database = open({ poolSize: 1 });
    const end = (): Promise<unknown> => database.knex.raw('SELECT pg_terminate_backend(pg_backend_pid())');
    const prepared = (): Promise<unknown> => database.prepared.run({ name: 'two', text: 'SELECT 2' }, []);
    for (let time = 0; time < 10; time += 1) {
      expect(await faultOf(end())).toMatchObject({ code: 'database.unavailable' });
      await expect(prepared()).resolves.toHaveLength(1);
    }
  });

  it('does not use a connection again on which no answer came in time', async () => {
    const proxy = await DatabaseProxy.start(test.url);
    proxies.push(proxy);
    const database = open({ connection: proxy.url, poolSize: 1, statementTimeoutMs: 100 });
    await database.ready();
    proxy.silence();
    const transacting = database.transact(({ sql }) => sql.raw('SELECT 1'));
    expect((await faultOf(transacting)).message).toMatch(
      /the (?:server did not answer in time|connection was lost)$/,
    );
    await database.ready();
    proxy.silence();
    const prepared = database.prepared.run({ name: 'one', text: 'SELECT 1' }, []);
    expect((await faultOf(prepared)).message).toContain('the server did not answer in time');
    await database.ready();
    expect(database.usage()).toEqual({ used: 0, free: 1, waiting: 0 });
  });

  it('of a server takes no standby, and nothing that is read-only', async () => {
    // The tests have no standby, so what is asked of one is answered by a function of ours.
    await test.database.knex.raw(
      `CREATE SCHEMA standby;
       CREATE FUNCTION standby.pg_is_in_recovery() RETURNS boolean LANGUAGE sql AS $$ SELECT true $$`,
    );
    for (const setting of ['search_path=standby,pg_catalog', 'default_transaction_read_only=on']) {
      const connection = `${test.url}${test.url.includes('?') ? '&' : '?'}options=-c%20${setting}`;
      expect((await faultOf(open({ connection, writes: true }).ready())).message).toBe(
        'the database is not available: the server accepts no writes',
      );
      await open({ connection }).ready();
    }
    await test.database.knex.raw('DROP SCHEMA standby CASCADE');
  });

  it('reports a connection that is lost in the middle of a transaction', async () => {
    const database = open();
    const fault = await faultOf(
      database.transact(async ({ sql }) => {
        const { rows } = await sql.raw<{ rows: { pid: number }[] }>('SELECT pg_backend_pid() AS pid');
        await test.database.knex.raw('SELECT pg_terminate_backend(?, 5000)', [rows[0]?.pid ?? 0]);
        await sql('counters').select();
      }),
    );
    expect(fault).toMatchObject({ code: 'database.unavailable' });
    await database.ready();
  });

  it('makes nobody wait for ever for a connection', async () => {
    const database = open({ poolSize: 1, acquireTimeoutMs: 3_000 });
    const fault = await database.transact(() => faultOf(database.ready()));
    expect(fault.message).toBe('the database is not available: no connection became free in time');
  });

  it('stops a statement that takes too long', async () => {
    const database = open({ statementTimeoutMs: 50 });
    const fault = await faultOf(database.knex.raw('SELECT pg_sleep(60)'));
    expect(fault.message).toBe('the database is not available: the database took too long');
  });

  it('reads bigint exactly, as text, and points in time as Date', async () => {
    const { rows } = await test.database.knex.raw<{ rows: unknown[] }>(
      "SELECT 9223372036854775807::bigint AS big, timestamptz '2026-11-20 12:00:00.123+02' AS moment",
    );
    expect(rows).toEqual([{ big: '9223372036854775807', moment: new Date('2026-11-20T10:00:00.123Z') }]);
  });

  it('leaves no connection behind when it is closed', async () => {
    const other = await createTestDatabase();
    await other.database.ready();
    const [row] = await queryOnce<{ count: string }>(
      testServer().url,
      `SELECT count(*) FROM pg_stat_activity WHERE datname = $1 AND backend_type = 'client backend'`,
      [new URL(other.url).pathname.slice(1)],
    );
    expect(row?.count).toBe('1');
    await other.database.close();
    expect(await connectionsLeft(other.url)).toEqual([]);
    await other.drop();
  });
});

describe('a transaction', () => {
  const count = async (name: string): Promise<unknown> =>
    (await test.database.knex<{ name: string; value: string }>('counters').where({ name }).first('value'))
      ?.value;
  const add = (name: string) => (sql: Database['knex']) =>
    sql('counters').where({ name }).increment('value', 1);

  beforeAll(() =>
    test.database.knex('counters').insert(['a', 'b', 'c', 'd'].map((name) => ({ name, value: 0 }))),
  );

  it('leaves nothing when its work fails, and fails with the same error', async () => {
    const fault = new Error('halfway');
    const work = test.database.transact(async ({ sql }) => {
      await add('a')(sql);
      throw fault;
    });
    await expect(work).rejects.toBe(fault);
    expect(await count('a')).toBe('0');
  });

  it('is run again when PostgreSQL gives it up because of a deadlock', async () => {
    let waiting = 0;
    let letGo = (): void => undefined;
    const both = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    let runs = 0;
    const inOrder = ([first, second]: readonly [string, string]): Promise<unknown> =>
      test.database.transact(async ({ sql }) => {
        runs += 1;
        await add(first)(sql);
        waiting += 1;
        if (waiting === 2) {
          letGo();
        }
        await both;
        await add(second)(sql);
      });
    await Promise.all([inOrder(['b', 'c']), inOrder(['c', 'b'])]);
    // Twice, and once more for whoever was given up: it may meet the other one again.
    expect(runs).toBeGreaterThanOrEqual(3);
    expect([await count('b'), await count('c')]).toEqual(['2', '2']);
  });

  it('is given up itself in the end', async () => {
    let runs = 0;
    const work = test.database.transact(async ({ sql }) => {
      runs += 1;
      await sql.raw("DO $$ BEGIN RAISE EXCEPTION 'again' USING ERRCODE = '40001'; END $$");
    });
    // The client is told to try again, and not that something is broken.
    const { code, cause } = await eventualRefusal(work);
    expect([code, cause]).toEqual(['database.unavailable', expect.objectContaining({ code: '40001' })]);
    expect(runs).toBe(5);
  });

  it.each(['40001', '40P01'])('of a single statement is given up at once (%s)', async (given) => {
    const statement = test.database.knex.raw(
      `DO $$ BEGIN RAISE EXCEPTION 'x' USING ERRCODE = '${given}'; END $$`,
    );
    const { code, message } = await eventualRefusal(Promise.resolve(statement));
    expect([code, message]).toEqual([
      'database.unavailable',
      'the database is not available: others are at the same rows',
    ]);
  });
});
