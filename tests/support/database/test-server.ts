import pg from 'pg';
import { PATIENCE_MS } from '../values/until.ts';

/** The facts that global-setup.ts passes to the test files, which run in processes of their own. */
export interface TestServer {
  /** A postgres:// URL on the server of the tests, as a role that may create databases. */
  readonly url: string;
  /** A database with all migrations, to be cloned. */
  readonly template: string;
  /**
   * True for a server of the tests' own: its files are in memory, where copying them takes half of the work that
   * writing each page through the log does. Elsewhere a copy would wait for all of the server's writes twice.
   */
  readonly copiesFiles: boolean;
}

const VARIABLE = 'TANKEEPER_TEST_SERVER';

/** Publishes the server to the processes that jest starts from now on. */
export function announceTestServer(server: TestServer): void {
  process.env[VARIABLE] = JSON.stringify(server);
}

/** @returns the server that global-setup.ts has prepared */
export function testServer(): TestServer {
  const text = process.env[VARIABLE];
  if (text === undefined) {
    throw new Error(
      'No test server: run the tests with npm test, which runs tests/support/database/global-setup.ts',
    );
  }
  return JSON.parse(text) as TestServer;
}

/** @returns `url` with another database in it */
export function withDatabase(url: string, database: string): string {
  const changed = new URL(url.replace('@/', '@localhost/'));
  changed.pathname = `/${encodeURIComponent(database)}`;
  return changed.href;
}

let administration: pg.Pool | undefined;

/** Runs one statement on the server over a connection that all test files of the process share. @returns its rows */
export async function administer<Row extends pg.QueryResultRow>(
  sql: string,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  // It keeps no process from its end.
  administration ??= new pg.Pool({ connectionString: testServer().url, max: 1, allowExitOnIdle: true }).on(
    'error',
    () => undefined,
  );
  return (await administration.query<Row>(sql, [...values])).rows;
}

/** Changes rows of the audit, too, as an attacker with the database would. */
export async function tamperOnce(url: string, sql: string): Promise<void> {
  await queryOnce(url, `DO $tamper$ BEGIN SET LOCAL tankeeper.audit = 'open'; ${sql}; END $tamper$`);
}

/** Runs one statement over a connection of its own. @returns its rows */
export async function queryOnce<Row extends pg.QueryResultRow>(
  url: string,
  sql: string,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: PATIENCE_MS });
  // The statement fails with it, too.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Row>(sql, [...values])).rows;
  } finally {
    await client.end();
  }
}
