import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { examineInstallation } from '../../../src/compose/examine-installation.ts';
import { loadConfig } from '../../../src/config/config.ts';
import type { Finding } from '../../../src/doctor/finding.ts';
import { migrationNames } from '../../../src/database/migration-source.ts';
import { embeddedFolders } from '../../embedded-postgres/support/embedded-folders.ts';
import { embeddedUrl } from '../../support/database/embedded-url.ts';
import { createTestDatabase, databaseOfTests } from '../../support/database/test-database.ts';
import { queryOnce, testServer, withDatabase } from '../../support/database/test-server.ts';
import { freePort } from '../../support/servers/wait-for-port.ts';
import { startSilentServer } from '../../support/servers/silent-server.ts';
import { expectSoon } from '../../support/values/expect-soon.ts';
import { rmSync, writeFileSync } from 'node:fs';
import { migrate } from '../../../src/compose/open-database.ts';
import { DOCUMENTED_LINES, type PgBouncer, startPgBouncer } from '../pgbouncer/pgbouncer.ts';
import { runTankeeper } from '../../support/servers/server-process.ts';
import { initialise, type PostgresNode, postgresNode } from '../../support/servers/system-postgres.ts';
import { describeWithProgram, findPgBouncer, findPostgres } from '../../support/servers/system-programs.ts';

const ignored = (): void => undefined;

const LOG = { error: ignored, warn: ignored, info: ignored, debug: ignored };

const LAST = migrationNames.at(-1) ?? '';

const SECRET = 'hunter2-secret';

/** The database of the embedded PostgreSQL. */
const OWN = 'DATABASE tankeeper';

const folders = embeddedFolders();

let folder: string;

let url: string;

beforeAll(async () => {
  folder = await folders.make();
  const { connection } = await folders.open({ dataDir: join(folder, 'data'), durable: true });
  url = embeddedUrl(connection);
});

afterAll(() => folders.clear());

async function findingsOf(
  databaseUrl: string,
  more: Readonly<Record<string, string>> = {},
): Promise<readonly Finding[]> {
  const config = loadConfig({
    DATABASE_URL: databaseUrl,
    DATA_DIR: folder,
    TRUST_PROXY: 'loopback',
    ...more,
  });
  return examineInstallation(config);
}

async function codesOf(
  databaseUrl: string,
  more?: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  return (await findingsOf(databaseUrl, more)).map(({ code }) => code);
}

/** Changes settings of the server, and waits until new connections have them. */
async function configure(statement: string, setting: string, value: string): Promise<void> {
  await queryOnce(url, statement);
  await queryOnce(url, 'SELECT pg_reload_conf()');
  const shown = (): Promise<unknown> => queryOnce(url, 'SELECT current_setting($1) AS value', [setting]);
  await expectSoon(shown).toEqual([{ value }]);
}

describe('the settings of the database', () => {
  it('are a finding for none of those that PostgreSQL has by default', async () => {
    expect(await codesAbout('database.', { DATABASE_URL: url })).toEqual([]);
  });

  it.each([
    ['settings', 'SYSTEM', 'fsync', 'off', 'on'],
    ['settings', 'SYSTEM', 'full_page_writes', 'off', 'on'],
    ['settings', 'SYSTEM', 'autovacuum', 'off', 'on'],
    ['settings', 'SYSTEM', 'track_counts', 'off', 'on'],
    ['settings', OWN, 'default_transaction_read_only', 'on', 'off'],
    ['unavailable', OWN, 'session_replication_role', 'replica', 'origin'],
  ])('database.%s comes and goes with %s %s', async (code, where, setting, wrong, right) => {
    await configure(`ALTER ${where} SET ${setting} = '${wrong}'`, setting, wrong);
    const findings = await findingsOf(url);
    expect(findings).toContainEqual(expect.objectContaining({ code: `database.${code}`, severity: 'error' }));
    // A session that reads only may not change it back otherwise.
    const writable = where === 'SYSTEM' ? '' : 'SET transaction_read_only = off; ';
    await configure(`${writable}ALTER ${where} RESET ${setting}`, setting, right);
    expect(await codesOf(url)).not.toContain(`database.${code}`);
  });
});

describe('settings of the database that each session of ours sets itself', () => {
  it.each([
    'synchronous_commit = off',
    "default_transaction_isolation = 'serializable'",
    "DateStyle = 'German, DMY'",
  ])('are no finding: %s', async (setting) => {
    await queryOnce(url, `ALTER ${OWN} SET ${setting}`);
    expect(await codesAbout('database.', { DATABASE_URL: url })).toEqual([]);
    await queryOnce(url, `ALTER ${OWN} RESET ALL`);
  });
});

describe('the encoding of the database', () => {
  it('is a finding unless it is UTF8', async () => {
    const name = `latin_${randomBytes(6).toString('hex')}`;
    const server = testServer().url;
    await queryOnce(server, `CREATE DATABASE ${name} ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0`);
    const utf8 = await createTestDatabase({ schema: 'empty' });
    try {
      const encodings = async (of: string): Promise<number> =>
        (await findingsOf(of)).filter(({ text }) => text.startsWith('server_encoding')).length;
      expect(await encodings(withDatabase(server, name))).toBe(1);
      expect(await encodings(utf8.url)).toBe(0);
    } finally {
      await utf8.drop();
      await queryOnce(server, `DROP DATABASE ${name} WITH (FORCE)`);
    }
  });
});

describe('a database that is not available', () => {
  it('is a finding without the password, and leaves the checks that need none', async () => {
    const absent = `postgres://someone:${SECRET}@127.0.0.1:${await freePort()}/absent`;
    const config = loadConfig({ DATABASE_URL: absent, DATA_DIR: folder, TRUST_PROXY: '0.0.0.0/0' });
    const findings = await examineInstallation(config);
    expect(findings.map(({ code }) => code)).toEqual(['addresses.everyone', 'database.unavailable']);
    expect(findings[1]?.text).toContain('no server is listening there');
    expect(JSON.stringify(findings)).not.toContain(SECRET);
  });

  it('is a finding in bounded time where it accepts connections and does not answer', async () => {
    const silent = await startSilentServer();
    try {
      const hanging = `postgres://someone:${SECRET}@127.0.0.1:${silent.port}/hanging`;
      expect(await codesOf(hanging)).toContain('database.unavailable');
    } finally {
      await silent.stop();
    }
  });
});

describe('the tables', () => {
  const test = databaseOfTests();

  it('are missing in an empty database, and no longer a finding in a migrated one', async () => {
    const empty = await createTestDatabase({ schema: 'empty' });
    expect(await codesOf(empty.url)).toContain('migrations.pending');
    await empty.drop();
    expect(await codesAbout('migrations.', { DATABASE_URL: test.url })).toEqual([]);
  });

  it.each([
    [
      'migrations.pending',
      `DELETE FROM knex_migrations WHERE name = '${LAST}'`,
      `INSERT INTO knex_migrations (name, batch) VALUES ('${LAST}', 1)`,
    ],
    [
      'migrations.pending',
      `INSERT INTO knex_migrations (name, batch, migration_time) VALUES ('999-future', 2, now())`,
      `DELETE FROM knex_migrations WHERE name = '999-future'`,
    ],
    [
      'migrations.pending',
      `UPDATE knex_migration_checksums SET checksum = 'x' || checksum WHERE name = '${LAST}'`,
      `UPDATE knex_migration_checksums SET checksum = substr(checksum, 2) WHERE name = '${LAST}'`,
    ],
  ])('%s comes and goes with it', async (code, provoke, remedy) => {
    await test.database.knex.raw(provoke);
    const before = await codesOf(test.url);
    await test.database.knex.raw(remedy);
    expect(before).toContain(code);
    expect(await codesOf(test.url)).not.toContain(code);
  });

  it('are granted too few connections by a limit that is below the pool', async () => {
    const granted = await queryOnce<{ most: string }>(
      test.url,
      `SELECT current_setting('max_connections') AS most`,
    );
    expect(Number(granted[0]?.most)).toBeLessThan(500);
    expect(await codesOf(test.url, { DATABASE_POOL_SIZE: '500' })).toContain('database.connections');
    expect(await codesOf(test.url, { DATABASE_POOL_SIZE: '10' })).not.toContain('database.connections');
  });
});

/** @returns the codes that begin with `about` */
async function codesAbout(
  about: string,
  { DATABASE_URL, ...more }: Readonly<Record<'DATABASE_URL', string> & Record<string, string>>,
): Promise<readonly string[]> {
  return (await codesOf(DATABASE_URL, more)).filter((code) => code.startsWith(about));
}

describeWithProgram('a database of its own', findPostgres(), 'postgresql', (programs) => {
  let postgres: PostgresNode;
  let environment: { readonly DATABASE_URL: string };

  beforeAll(async () => {
    postgres = await postgresNode(programs, folder, 'postgres');
    await initialise(programs, postgres);
    environment = { DATABASE_URL: postgres.url };
    const act = { actor: 'test', action: 'migrate', client: '', requestId: '' };
    await migrate(loadConfig({ DATA_DIR: folder, ...environment }), LOG, act);
  });
  afterAll(() => postgres.stop());

  it('is read-only while it is a standby', async () => {
    const signal = join(postgres.data, 'standby.signal');
    await postgres.stop();
    writeFileSync(signal, '');
    await postgres.start();
    // This server has fsync off, which is one more.
    expect(await codesAbout('database.settings', environment)).toHaveLength(2);
    await postgres.stop();
    rmSync(signal);
    await postgres.start();
    expect(await codesAbout('database.settings', environment)).toHaveLength(1);
  });

  it('keeps the limits that each session sets, over TCP, too', async () => {
    const limits = (): Promise<readonly string[]> => codesAbout('database.limits', environment);
    expect(await limits()).toEqual([]);
    await asSuperuser("ALTER ROLE tankeeper SET tcp_user_timeout = '1h'");
    await asSuperuser("ALTER ROLE tankeeper SET tcp_keepalives_idle = '7200'");
    expect(await limits()).toEqual([]);
    await asSuperuser('ALTER ROLE tankeeper RESET ALL');
  });

  it('grants too few connections by a limit of the role or of the database', async () => {
    for (const what of ['ROLE', 'DATABASE']) {
      await asSuperuser(`ALTER ${what} tankeeper CONNECTION LIMIT 10`);
      expect(await codesAbout('database.connections', environment)).toEqual(['database.connections']);
      await asSuperuser(`ALTER ${what} tankeeper CONNECTION LIMIT -1`);
      expect(await codesAbout('database.connections', environment)).toEqual([]);
    }
  });

  async function asSuperuser(statement: string): Promise<void> {
    await queryOnce(postgres.superUrl, statement);
  }
});

describeWithProgram('a database behind PgBouncer', findPgBouncer(), 'pgbouncer', (program) => {
  let bouncer: PgBouncer;
  afterAll(() => bouncer.remove());
  const test = databaseOfTests();
  beforeAll(async () => {
    bouncer = await startPgBouncer(program, test.url, DOCUMENTED_LINES);
  });

  it('does not bound statements and pauses until the database does', async () => {
    const environment = { DATABASE_URL: bouncer.url, DATABASE_PREPARED_STATEMENTS: 'off' };
    const found = (): Promise<readonly string[]> => codesAbout('database.limits', environment);
    expect(await found()).toEqual(['database.limits', 'database.limits']);
    await setForDatabase("statement_timeout = '30s'");
    await setForDatabase("idle_in_transaction_session_timeout = '10s'");
    expect(await found()).toEqual([]);
  });

  it.each([
    ['default_transaction_isolation', 'serializable', 'read committed'],
    ['transform_null_equals', 'on', 'off'],
  ])('is refused with the remedy where it has another %s', async (name, wrong, right) => {
    const environment = { DATABASE_URL: bouncer.url, DATABASE_PREPARED_STATEMENTS: 'off' };
    await setForDatabase(`${name} = '${wrong}'`);
    const { code, output } = await runTankeeper(['serve'], { ...environment, DATA_DIR: '/nonexistent' });
    expect(code).toBe(1);
    expect(output).toContain(`${name} = '${wrong}'`);
    expect(output).toContain(`SET ${name} = '${right}'`);
    expect(await codesAbout('database.unavailable', environment)).toEqual(['database.unavailable']);
    await setForDatabase(`${name} = '${right}'`);
    expect(await codesAbout('database.unavailable', environment)).toEqual([]);
  });

  /** Connections that PgBouncer has opened before keep the former setting. */
  async function setForDatabase(setting: string): Promise<void> {
    const [row] = await queryOnce<{ name: string }>(test.url, 'SELECT current_database() AS name');
    await queryOnce(test.url, `ALTER DATABASE ${row?.name ?? ''} SET ${setting}`);
    await queryOnce(
      test.url,
      `SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
       WHERE datname = current_database() AND pid <> pg_backend_pid()`,
    );
  }
});
