import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll } from '@jest/globals';
import { type Database, openDatabase } from '../../../src/database/database.ts';
import { PATIENCE_MS } from '../values/until.ts';
import { administer, testServer, withDatabase } from './test-server.ts';

/** A database of a test file's own. */
export interface TestDatabase {
  readonly database: Database;
  /** The URL for a further pool, or for the DATABASE_URL of a child process. */
  readonly url: string;
  /** Runs a statement over a connection for such looks and changes by hand. @returns its rows */
  readonly rows: <Row extends pg.QueryResultRow>(sql: string, values?: readonly unknown[]) => Promise<Row[]>;
  /** Closes `database` and drops it all. @throws if the test has left another connection open */
  drop(): Promise<void>;
}

/** Options of a test database. */
export interface TestDatabaseOptions {
  /** 'migrated' (the default), or 'empty': no table at all. */
  readonly schema?: 'migrated' | 'empty';
  readonly poolSize?: number;
}

/** Clones the migrated template in about 30 ms. Drop it in afterAll. */
export async function createTestDatabase(options: TestDatabaseOptions = {}): Promise<TestDatabase> {
  const server = testServer();
  const name = `tankeeper_test_${randomBytes(6).toString('hex')}`;
  const template = options.schema === 'empty' ? 'template0' : server.template;
  const strategy = server.copiesFiles ? 'STRATEGY FILE_COPY' : '';
  await administer(`CREATE DATABASE ${name} TEMPLATE ${template} ${strategy}`);
  const url = withDatabase(server.url, name);
  const database = openDatabase({
    connection: url,
    poolSize: options.poolSize ?? 10,
    acquireTimeoutMs: PATIENCE_MS,
    statementTimeoutMs: PATIENCE_MS,
    // A test may hold a lock while a server starts.
    idleTransactionMs: PATIENCE_MS,
    applicationName: 'test',
  });
  let byHand: pg.Pool | undefined;
  return {
    database,
    url,
    rows: async <Row extends pg.QueryResultRow>(sql: string, values: readonly unknown[] = []) => {
      byHand ??= new pg.Pool({ connectionString: url, max: 1 }).on('error', () => undefined);
      return (await byHand.query<Row>(sql, [...values])).rows;
    },
    drop: async () => {
      await byHand?.end();
      await database.close();
      const left = await connectionsLeft(url);
      await administer(`DROP DATABASE ${name} WITH (FORCE)`);
      if (left.length > 0) {
        throw new Error(`The test left database connections open: ${left.join(', ')}`);
      }
    },
  };
}

/** @returns a database for the tests of the file or the `describe` that calls this, up to the `afterAll` above it */
export function databaseOfTests(options?: TestDatabaseOptions): Omit<TestDatabase, 'drop'> {
  let made: TestDatabase | undefined;
  beforeAll(async () => {
    made = await createTestDatabase(options);
  });
  afterAll(() => made?.drop());
  const present = (): TestDatabase => {
    if (made === undefined) {
      throw new Error('There is no database before the tests begin');
    }
    return made;
  };
  return {
    get database() {
      return present().database;
    },
    get url() {
      return present().url;
    },
    rows: (sql, values) => present().rows(sql, values),
  };
}

/**
 * @param url of a test database
 * @returns the application names of the connections to it that do not go away by themselves
 */
export async function connectionsLeft(url: string): Promise<readonly string[]> {
  const name = new URL(url).pathname.slice(1);
  // Before the pool ends what is idle, which would hide a connection that a test forgot.
  const deadline = performance.now() + 20_000;
  for (;;) {
    const rows = await administer<{ application: string }>(
      // Autovacuum may run at any time.
      `SELECT application_name AS application FROM pg_stat_activity
       WHERE datname = $1 AND backend_type = 'client backend'`,
      [name],
    );
    if (rows.length === 0 || performance.now() > deadline) {
      return rows.map(({ application }) => application);
    }
    // A backend ends a moment after its client.
    await sleep(20);
  }
}
