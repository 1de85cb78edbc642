import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { examineInstallation } from '../../../src/compose/examine-installation.ts';
import { migrate } from '../../../src/compose/open-database.ts';
import { loadConfig } from '../../../src/config/config.ts';
import { queryOnce } from '../../support/database/test-server.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database/test-database.ts';
import { DOCUMENTED_LINES, type PgBouncer, startPgBouncer } from '../../support/servers/pgbouncer.ts';
import { runTankeeper } from '../../support/servers/server-process.ts';
import { initialise, type PostgresNode, postgresNode } from '../../support/servers/system-postgres.ts';
import { describeWithProgram, findPgBouncer, findPostgres } from '../../support/servers/system-programs.ts';

const ignored = (): void => undefined;
const LOG = { error: ignored, warn: ignored, info: ignored, debug: ignored };

let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tankeeper-doctor-'));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

/** @returns the codes that begin with `about` */
async function codesOf(
  about: string,
  environment: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  const findings = await examineInstallation(loadConfig({ DATA_DIR: folder, ...environment }));
  return findings.map(({ code }) => code).filter((code) => code.startsWith(about));
}

describeWithProgram('a database of its own', findPostgres(), 'postgresql', (programs) => {
  let postgres: PostgresNode;
  let environment: Readonly<Record<string, string>>;

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
    expect(await codesOf('database.settings', environment)).toHaveLength(2);
    await postgres.stop();
    rmSync(signal);
    await postgres.start();
    expect(await codesOf('database.settings', environment)).toHaveLength(1);
  });

  it('keeps the limits that each session sets, over TCP, too', async () => {
    const limits = (): Promise<readonly string[]> => codesOf('database.limits', environment);
    expect(await limits()).toEqual([]);
    await asSuperuser("ALTER ROLE tankeeper SET tcp_user_timeout = '1h'");
    await asSuperuser("ALTER ROLE tankeeper SET tcp_keepalives_idle = '7200'");
    expect(await limits()).toEqual([]);
    await asSuperuser('ALTER ROLE tankeeper RESET ALL');
  });

  it('grants too few connections by a limit of the role or of the database', async () => {
    for (const what of ['ROLE', 'DATABASE']) {
      await asSuperuser(`ALTER ${what} tankeeper CONNECTION LIMIT 10`);
      expect(await codesOf('database.connections', environment)).toEqual(['database.connections']);
      await asSuperuser(`ALTER ${what} tankeeper CONNECTION LIMIT -1`);
      expect(await codesOf('database.connections', environment)).toEqual([]);
    }
  });

  async function asSuperuser(statement: string): Promise<void> {
    await queryOnce(postgres.superUrl, statement);
  }
});

describeWithProgram('a database behind PgBouncer', findPgBouncer(), 'pgbouncer', (program) => {
  let test: TestDatabase;
  let bouncer: PgBouncer;

  beforeAll(async () => {
    test = await createTestDatabase();
    bouncer = await startPgBouncer(program, test.url, DOCUMENTED_LINES);
  });
  afterAll(async () => {
    await bouncer.remove();
    await test.drop();
  });

  it('does not bound statements and pauses until the database does', async () => {
    const environment = { DATABASE_URL: bouncer.url, DATABASE_PREPARED_STATEMENTS: 'off' };
    const found = (): Promise<readonly string[]> => codesOf('database.limits', environment);
    expect(await found()).toEqual(['database.limits', 'database.limits']);
    await setForDatabase("statement_timeout = '30s'");
    await setForDatabase("idle_in_transaction_session_timeout = '10s'");
    expect(await found()).toEqual([]);
  });

  it.each(["bytea_output = 'escape'", "DateStyle = 'German, DMY'", "TimeZone = 'Asia/Kathmandu'"])(
    'works with %s, which the pooler passes on or the program reads',
    async (setting) => {
      await setForDatabase(setting);
      const environment = { DATABASE_URL: bouncer.url, DATABASE_PREPARED_STATEMENTS: 'off' };
      // The pooler may hand out a connection that has just been ended: an examination tells that once.
      await codesOf('database.unavailable', environment);
      expect(await codesOf('database.unavailable', environment)).toEqual([]);
      expect(await codesOf('clock', environment)).toEqual([]);
    },
  );

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
    expect(await codesOf('database.unavailable', environment)).toEqual(['database.unavailable']);
    await setForDatabase(`${name} = '${right}'`);
    expect(await codesOf('database.unavailable', environment)).toEqual([]);
  });

  /** Connections that PgBouncer has opened before keep the former setting. */
  async function setForDatabase(setting: string): Promise<void> {
    const [row] = await queryOnce<{ name: string }>(test.url, 'SELECT current_database() AS name');
    await queryOnce(test.url, `ALTER DATABASE ${row?.name ?? ''} SET ${setting}`);
    await queryOnce(
      test.url,
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND pid <> pg_backend_pid()`,
    );
  }
});
