import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../../support/database/test-database.ts';
import { DOCUMENTED_LINES, type PgBouncer, startPgBouncer } from './pgbouncer.ts';
import { type Answered, type OpenTransaction, ServerClient } from '../../support/servers/server-client.ts';
import {
  runTankeeper,
  type ServerProcess,
  startServerProcess,
} from '../../support/servers/server-process.ts';
import { describeWithProgram, findPgBouncer } from '../../support/servers/system-programs.ts';
import { PATIENCE_MS, until } from '../../support/values/until.ts';

/** Far fewer connections to PostgreSQL than the server has to PgBouncer. */
const POOL = ['default_pool_size = 2', 'max_db_connections = 2'];
const TRANSACTIONS = 40;
/** Within what time a server notices what another one has changed. */
const PROMISED_MS = 1_000;
const LIMITS = { LIMIT_CHECK_FAILURES: 'off', LIMIT_CHECK_FAILURES_TOTAL: 'off' };

/** A server behind PgBouncer, on a database of its own. */
interface Pooled {
  readonly database: TestDatabase;
  readonly pooler: PgBouncer;
  readonly environment: Readonly<Record<string, string>>;
  readonly server: ServerProcess;
  readonly client: ServerClient;
  readonly close: () => Promise<void>;
}

async function startPooled(
  program: string,
  settings: Readonly<Record<string, string>>,
  prepare: (database: TestDatabase) => Promise<unknown> = () => Promise.resolve(),
): Promise<Pooled> {
  const folder = mkdtempSync(join(tmpdir(), 'tankeeper-pooled-'));
  const database = await createTestDatabase({ schema: 'empty' });
  await prepare(database);
  const pooler = await startPgBouncer(program, database.url, [...DOCUMENTED_LINES, ...POOL]);
  const environment = { DATABASE_URL: pooler.url, DATA_DIR: folder, ...LIMITS, ...settings };
  const server = await startServerProcess(environment);
  const client = await ServerClient.open(server);
  const close = async (): Promise<void> => {
    const { code } = await server.stop();
    await pooler.remove();
    await database.drop();
    rmSync(folder, { recursive: true });
    expect(code).toBe(0);
  };
  return { database, pooler, environment, server, client, close };
}

/** As the guide asks, for this database instead of the role, which all tests share. */
async function setLimits({ database }: TestDatabase): Promise<void> {
  await database.knex.raw(`DO $$ BEGIN
    EXECUTE format('ALTER DATABASE %I SET statement_timeout = ''30s''', current_database());
    EXECUTE format('ALTER DATABASE %I SET lock_timeout = ''5s''', current_database());
    EXECUTE format('ALTER DATABASE %I SET idle_in_transaction_session_timeout = ''10s''', current_database());
    -- PgBouncer keeps ours for each client.
    EXECUTE format('ALTER DATABASE %I SET DateStyle = ''German, DMY''', current_database());
  END $$`);
}

function isAccepted({ body }: Answered): boolean {
  const value = body.result?.value;
  return typeof value === 'object' && value !== null && 'result' in value && value.result === true;
}

async function openTransactions(client: ServerClient, prefix: string): Promise<readonly OpenTransaction[]> {
  const serials = Array.from({ length: TRANSACTIONS }, (_, index) => `${prefix}${index}`);
  return Promise.all(serials.map((serial) => client.openTransaction(serial)));
}

/** Answers each transaction three times at once. @returns the number of acceptances of each */
async function raceThem(client: ServerClient, open: readonly OpenTransaction[]): Promise<readonly number[]> {
  const answers = await Promise.all(
    open.map((one) => Promise.all([client.check(one), client.check(one), client.check(one)])),
  );
  expect(new Set(answers.flat().map(({ status }) => status))).toEqual(new Set([200]));
  return answers.map((three) => three.filter(isAccepted).length);
}

async function printed(server: ServerProcess, text: string): Promise<number> {
  const deadline = performance.now() + PATIENCE_MS;
  while (!server.output().includes(text) && performance.now() < deadline) {
    await sleep(20);
  }
  // The log is written at the end of a turn.
  await sleep(50);
  return server.output().split(text).length - 1;
}

describeWithProgram('PgBouncer in transaction mode', findPgBouncer(), 'pgbouncer', (program) => {
  describe('with DATABASE_PREPARED_STATEMENTS=off', () => {
    let pooled: Pooled;

    beforeAll(async () => {
      pooled = await startPooled(program, { DATABASE_PREPARED_STATEMENTS: 'off' }, setLimits);
    });

    afterAll(() => pooled.close());

    it('accepts each of many concurrent responses once, over two connections to PostgreSQL', async () => {
      const { client, database } = pooled;
      const open = await openTransactions(client, 'ONCE');
      expect(await raceThem(client, open)).toEqual(open.map(() => 1));
      const { rows } = await database.database.knex.raw<{ rows: { backends: number }[] }>(
        `SELECT count(*)::int AS backends FROM pg_stat_activity
         WHERE datname = current_database() AND application_name <> 'test' AND backend_type = 'client backend'`,
      );
      expect(rows[0]?.backends).toBeLessThanOrEqual(2);
    });

    it('notices changes within a second, without a notice of the database', async () => {
      const { client, database, environment } = pooled;
      const present = async (): Promise<{ sync: string; total: number; realms: number }> => {
        const { sync, total, realms } = (await client.get('/monitoring/config')).body.result?.value as {
          readonly sync: string;
          readonly total: number;
          readonly realms: number;
        };
        return { sync, total, realms };
      };
      const counts = async (): ReturnType<typeof present> => {
        await sleep(PROMISED_MS);
        const first = await present();
        // A busy server may be late with asking by itself: then it learns by this request, and says so once.
        return first.sync === 'True' ? first : present();
      };
      const before = await counts();
      await database.database.knex('configuration').insert({ key: 'unheard', value: '1' });
      expect(await counts()).toEqual({ sync: 'True', total: before.total + 1, realms: before.realms });
      await runTankeeper(['resolver', 'add', 'people'], environment);
      const added = await runTankeeper(['realm', 'add', 'bank', '--resolvers', 'people'], environment);
      expect(added).toMatchObject({ code: 0 });
      expect(await counts()).toMatchObject({ sync: 'True', realms: before.realms + 1 });
    });

    it.each([
      ['migrate', ['migrate']],
      ['housekeeping', ['housekeeping', 'run']],
      ['a new key', ['key', 'add']],
      ['key rotation', ['key', 'rotate', '--yes']],
      ['counts', ['count', '--verify']],
      ['the audit trail', ['audit', 'verify']],
    ])('serves the command: %s', async (_what, parameters) => {
      expect(await runTankeeper(parameters, pooled.environment)).toMatchObject({ code: 0 });
    });

    it('tells requests that wait of a response, without a notice of the database', async () => {
      const { client } = pooled;
      const open = await client.openTransaction('AWAITED');
      const { transactionid } = open;
      const waits = Array.from({ length: 20 }, () =>
        client.post('/ocra/checkstatus', { transactionid, wait: '60S' }),
      );
      expect(isAccepted(await client.check(open))).toBe(true);
      const answers = await Promise.all(waits);
      expect(answers.map(({ body }) => body.result?.value)).toEqual(
        waits.map(() => [expect.objectContaining({ valid_tan: true })]),
      );
    });

    it('keeps the time limits of a role or database, and has nothing to warn of', () => {
      expect(pooled.server.output()).not.toMatch(/"component":"(?:database|configuration)"/);
      expect(pooled.pooler.output()).not.toContain('when not linked');
    });

    it('answers again soon after the database was away', async () => {
      const { pooler, server } = pooled;
      const isReady = async (): Promise<boolean> => (await fetch(`${server.baseUrl}/readyz`)).ok;
      await pooler.proxy.cut();
      // PgBouncer has failed to log in by then, and holds off further attempts.
      await until(async () => !(await isReady()));
      await pooler.proxy.restore();
      const back = performance.now();
      await until(isReady);
      expect(performance.now() - back).toBeLessThan(8_000);
    });
  });

  describe('with DATABASE_PREPARED_STATEMENTS=on', () => {
    let pooled: Pooled;

    beforeAll(async () => {
      pooled = await startPooled(program, {});
    });

    afterAll(() => pooled.close());

    it('answers all requests, accepts each response once, and warns once of the setting', async () => {
      const { client, server } = pooled;
      const open = await openTransactions(client, 'NAMED');
      expect(await raceThem(client, open)).toEqual(open.map(() => 1));
      expect(await printed(server, 'DATABASE_PREPARED_STATEMENTS=off')).toBe(1);
    });

    it('warns that statements have no time limit', async () => {
      expect(await printed(pooled.server, 'a pooler drops statement_timeout, lock_timeout, idle_in')).toBe(1);
    });
  });

  it('reports at the start that startup parameters are to be ignored', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tankeeper-pooled-'));
    const database = await createTestDatabase({ schema: 'empty' });
    const pooler = await startPgBouncer(program, database.url, ['pool_mode = transaction']);
    try {
      const { code, output } = await runTankeeper(['serve'], { DATABASE_URL: pooler.url, DATA_DIR: folder });
      expect(code).not.toBe(0);
      expect(output).toContain('set ignore_startup_parameters = options, statement_timeout, lock_timeout');
    } finally {
      await pooler.remove();
      await database.drop();
      rmSync(folder, { recursive: true });
    }
  });
});
