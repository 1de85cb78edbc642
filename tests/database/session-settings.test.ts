import { afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';

import { isServiceError } from '../../src/kernel/errors.ts';
import { type Database, openDatabase } from '../../src/database/database.ts';
import { connectionSettings } from '../../src/database/pool.ts';
import { beginSession } from '../../src/database/session-settings.ts';
import { databaseOfTests } from '../support/database/test-database.ts';

/** Values that a role, a database or the configuration may have, of settings that the program relies on. */
const FOREIGN: readonly (readonly [name: string, value: string])[] = [
  ['DateStyle', 'German, DMY'],
  ['TimeZone', 'Asia/Kathmandu'],
  ['standard_conforming_strings', 'off'],
  ['IntervalStyle', 'iso_8601'],
  ['bytea_output', 'escape'],
  ['extra_float_digits', '-15'],
  ['array_nulls', 'off'],
  ['transform_null_equals', 'on'],
  ['quote_all_identifiers', 'on'],
  ['gin_fuzzy_search_limit', '1'],
  ['search_path', 'elsewhere'],
  ['default_transaction_isolation', 'serializable'],
  ['default_transaction_deferrable', 'on'],
  ['synchronous_commit', 'off'],
  ['exit_on_error', 'on'],
  ['statement_timeout', '1ms'],
  ['lock_timeout', '1ms'],
  ['idle_session_timeout', '1ms'],
  ['idle_in_transaction_session_timeout', '1h'],
  ['tcp_user_timeout', '1h'],
];

const test = databaseOfTests();
const opened: Database[] = [];

beforeAll(() => test.database.knex.raw('CREATE SCHEMA elsewhere'));
afterEach(async () => {
  await Promise.all(opened.splice(0).map((database) => database.close()));
  await forDatabase('RESET ALL');
});

/** A pool that is opened now: sessions keep what they began with. */
function open(options?: string): Database {
  const url = new URL(test.url);
  if (options !== undefined) {
    url.searchParams.set('options', options);
  }
  const database = openDatabase({ connection: url.href });
  opened.push(database);
  return database;
}

async function forDatabase(change: string): Promise<void> {
  await test.database.knex.raw(`ALTER DATABASE "${new URL(test.url).pathname.slice(1)}" ${change}`);
}

async function setForeign(): Promise<void> {
  for (const [name, value] of FOREIGN) {
    await forDatabase(`SET ${name} = '${value}'`);
  }
}

const QUESTION = `SELECT json_object_agg(name, current_setting(name)) AS settings FROM unnest($1::text[]) AS name`;
const NAMES = FOREIGN.map(([name]) => name);
const WANTED = {
  DateStyle: 'ISO, MDY',
  TimeZone: 'UTC',
  standard_conforming_strings: 'on',
  IntervalStyle: 'postgres',
  bytea_output: 'hex',
  extra_float_digits: '1',
  array_nulls: 'on',
  transform_null_equals: 'off',
  quote_all_identifiers: 'off',
  gin_fuzzy_search_limit: '0',
  search_path: '"$user", public',
  default_transaction_isolation: 'read committed',
  default_transaction_deferrable: 'off',
  synchronous_commit: 'on',
  exit_on_error: 'off',
  statement_timeout: '30s',
  lock_timeout: '0',
  idle_session_timeout: '0',
  idle_in_transaction_session_timeout: '10s',
};

describe('whatever the database sets', () => {
  it('a pool reads and writes as ever', async () => {
    await setForeign();
    const database = open();
    const { knex, prepared } = database;
    await database.ready();
    const [answer] = await prepared.run<{ settings: object }>({ name: 'settings', text: QUESTION }, [NAMES]);
    expect(answer?.settings).toMatchObject(WANTED);
    const moment = new Date('2024-02-03T04:05:06.789Z');
    const { rows } = await knex.raw<{ rows: object[] }>(
      String.raw`SELECT ?::timestamptz AS at, '\x00ff'::bytea AS bytes, 0.1::float8 + 0.2::float8 AS sum,
         ARRAY[1, NULL]::text AS list, (NULL = NULL) IS NULL AS unknown, to_regclass('tokens')::text AS tokens`,
      [moment],
    );
    expect(rows).toEqual([
      {
        at: moment,
        bytes: Buffer.from([0, 255]),
        sum: 0.1 + 0.2,
        list: '{1,NULL}',
        unknown: true,
        tokens: 'tokens',
      },
    ]);
  });

  it('a connection beside the pool has the same settings', async () => {
    await setForeign();
    const client = new pg.Client(connectionSettings({ connection: test.url }));
    await client.connect();
    await beginSession(client, '');
    const { rows } = await client.query<{ settings: object }>(QUESTION, [NAMES]);
    await client.end();
    expect(rows[0]?.settings).toMatchObject(WANTED);
  });

  it('long work ends by no limit of a transaction', async () => {
    await forDatabase("SET transaction_timeout = '300ms'");
    const work = open().transact(
      async ({ sql }) => {
        await sql.raw('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY');
        await sql.raw('SELECT pg_sleep(0.6)');
        const { rows } = await sql.raw<{ rows: object[] }>(
          `SELECT current_setting('statement_timeout') AS statement, current_setting('idle_in_transaction_session_timeout') AS idle`,
        );
        return rows;
      },
      { isLong: true },
    );
    expect(await work).toEqual([{ statement: '0', idle: '0' }]);
  });
});

describe('the options of DATABASE_URL', () => {
  it('choose the schema, and nothing that the program relies on', async () => {
    const { knex } = open('-c search_path=elsewhere -c DateStyle=German -c work_mem=5MB');
    const { rows } = await knex.raw<{ rows: object[] }>(
      `SELECT current_schema() AS schema, current_setting('DateStyle') AS dates, current_setting('work_mem') AS memory`,
    );
    expect(rows).toEqual([{ schema: 'elsewhere', dates: 'ISO, MDY', memory: '5MB' }]);
  });
});

describe('the schema that DATABASE_URL asks for', () => {
  it.each(['nowhere', 'nowhere,public', '"Elsewhere"', String.raw`"$user",\ nowhere,\ public`])(
    'must be that of the session, which the sign of life notices: %s',
    async (path) => {
      await expect(open(`-c search_path=${path}`).ready()).rejects.toMatchObject({
        code: 'configuration.invalid',
        message: expect.stringMatching(/asks for the schema (nowhere|Elsewhere), .*SET search_path = /),
      });
    },
  );

  it.each([
    'elsewhere',
    'Elsewhere,public',
    '"elsewhere"',
    '"$user",public',
    String.raw`elsewhere,\ nowhere`,
  ])('is found however it is written: %s', async (path) => {
    await expect(open(`-c search_path=nowhere --search_path=${path}`).ready()).resolves.toBeUndefined();
  });

  it('is noticed where a pooler drops the options', async () => {
    const client = new pg.Client({ connectionString: test.url });
    await client.connect();
    await expect(beginSession(client, '-c work_mem=5MB -c search_path=tk')).rejects.toThrow(
      'DATABASE_URL asks for the schema tk, and the session is in public',
    );
    await client.end();
  });
});

describe('a setting that only a superuser may change', () => {
  it('is named with its remedy by the sign of life', async () => {
    await forDatabase('SET session_replication_role = replica');
    const fault: unknown = await open()
      .ready()
      .catch((error: unknown) => error);
    expect(isServiceError(fault, 'configuration.invalid')).toBe(true);
    expect((fault as Error).message).toContain(
      "settings of the database: session_replication_role = 'replica'",
    );
    expect((fault as Error).message).toContain(
      "ALTER ROLE … IN DATABASE … SET session_replication_role = 'origin'",
    );
    await forDatabase('RESET ALL');
    await open().ready();
  });

  it('keeps requests from being served, and is not told to clients', async () => {
    await forDatabase('SET session_replication_role = replica');
    await expect(Promise.resolve(open().knex.raw('SELECT 1'))).rejects.toMatchObject({
      code: 'database.unavailable',
      message: 'the database is not available: it does not answer as it should',
    });
  });
});
