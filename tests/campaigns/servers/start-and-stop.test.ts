import { chmodSync, existsSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { type ProcessEnd, runTankeeper, startServerProcess } from '../../support/servers/server-process.ts';
import {
  createTestDatabase,
  databaseOfTests,
  type TestDatabase,
} from '../../support/database/test-database.ts';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { MIGRATION_LOCK } from '../../../src/database/migrate.ts';
import { startCli } from '../../cli/cli-process.ts';
import { ServerClient } from '../../support/servers/server-client.ts';
import { HalfRequest } from './half-request.ts';
import { temporaryFolder } from '../../support/values/temporary-folder.ts';
import { until } from '../../support/values/until.ts';

const folder = temporaryFolder();
const database = databaseOfTests({ schema: 'empty' });
let environment: Record<string, string>;

beforeAll(async () => {
  // Under root the embedded PostgreSQL runs as another user, who has to get through.
  chmodSync(folder, 0o711);
  environment = { DATABASE_URL: database.url, DATA_DIR: folder, PORT: '0' };
  // A first start: makes schema, key and administrator.
  await (await startServerProcess(environment)).stop();
});

async function refusedStart(change: Record<string, string>): Promise<string> {
  const { code, output } = await runTankeeper(['serve'], { ...environment, ...change });
  expect(code).toBe(1);
  expect(output).not.toMatch(/\n\s+at /);
  return output;
}

/** Another program that listens. */
async function takePort(): Promise<{ port: string; release: () => void }> {
  const taken = createServer();
  await new Promise<void>((resolve) => {
    taken.listen(0, '127.0.0.1', resolve);
  });
  return {
    port: String((taken.address() as AddressInfo).port),
    release: () => {
      taken.close();
    },
  };
}

describe('a start is refused with a clear message', () => {
  it('for a port that is taken', async () => {
    const { port, release } = await takePort();
    expect(await refusedStart({ PORT: port })).toContain(
      `Cannot listen on 127.0.0.1 port ${port}: another program listens there`,
    );
    release();
  });

  it('for a port that is taken at the very first start, and the next one still shows the first password', async () => {
    const fresh = await createTestDatabase({ schema: 'empty' });
    const { port, release } = await takePort();
    const change = { DATABASE_URL: fresh.url, ENCRYPTION_KEY_FILE: join(folder, 'first.key') };
    await refusedStart({ ...change, PORT: port });
    release();
    const server = await startServerProcess({ ...environment, ...change });
    const { output } = await server.stop();
    expect(output).toMatch(/The first administrator is 'admin'. The password, shown this once:\s+\S{16,}/);
    expect(output).toContain(`The console: ${server.baseUrl}/console\n`);
    await fresh.drop();
  });
});

/** A database that hangs ends no wait for a lock by itself; and nothing but the request of the test is to wait for one. */
function hanging(): Record<string, string> {
  return {
    DATABASE_URL: database.url,
    DATA_DIR: folder,
    DATABASE_LOCK_TIMEOUT: '60S',
    HOUSEKEEPING_INTERVAL: 'off',
  };
}

describe('SIGTERM', () => {
  it('lets a request at work finish, and takes no new one', async () => {
    const server = await startServerProcess(hanging());
    const { answered, stopped } = await database.database.transact(async ({ sql }) => {
      await sql.raw('LOCK TABLE challenges IN ACCESS EXCLUSIVE MODE');
      const answering = fetch(`${server.baseUrl}/ocra/check_t?transactionid=1&pass=1`);
      await waitForLock();
      const stopping = server.stop();
      await expect(untilRefused(`${server.baseUrl}/healthz`)).resolves.toBe(true);
      return { answered: answering, stopped: stopping };
    });
    expect((await answered).status).toBe(200);
    expect(await stopped).toMatchObject({ code: 0, output: expect.stringContaining('"message":"Stopped"') });
  });

  it('does not wait longer than ten seconds for a database that hangs', async () => {
    const server = await startServerProcess(hanging());
    const [end] = await database.database.transact(async ({ sql }) => {
      await sql.raw('LOCK TABLE challenges IN ACCESS EXCLUSIVE MODE');
      const answering = fetch(`${server.baseUrl}/ocra/check_t?transactionid=1&pass=1`);
      await waitForLock();
      return Promise.all([server.stop(), expect(answering).rejects.toThrow()]);
    });
    expect(end).toMatchObject({ code: 0, output: expect.stringContaining('some requests were cut off') });
  });
});

describe('SIGTERM with a time to drain', () => {
  const LONG = { DRAIN_TIME: '10M' };

  it('has /readyz answer 503 while requests are answered as ever, and another signal ends that at once', async () => {
    const server = await startServerProcess({ ...hanging(), ...LONG });
    const ask = (path: string): Promise<Response> => fetch(`${server.baseUrl}${path}`);
    expect((await ask('/readyz')).status).toBe(200);
    const stopped = server.stop();
    await until(async () => (await ask('/readyz')).status === 503);
    expect(await (await ask('/readyz')).json()).toEqual({ status: 'stopping' });
    const answer = await ask('/ocra/check_t?transactionid=1&pass=1');
    expect([answer.status, answer.headers.get('connection')]).toEqual([200, 'keep-alive']);
    expect((await ask('/healthz')).status).toBe(200);
    // Signals within two seconds are one.
    await sleep(2_100);
    server.process.kill('SIGTERM');
    expect(await stopped).toMatchObject({ code: 130, output: expect.stringContaining('"drainSeconds":600') });
  });

  it('ends waits for a transaction with its present state after that, in a last answer', async () => {
    const own = await createTestDatabase();
    const server = await startServerProcess({ ...hanging(), DATABASE_URL: own.url, DRAIN_TIME: '1S' });
    const client = await ServerClient.open(server);
    const { transactionid } = await client.openTransaction('WAITED');
    const waiting = client.post('/ocra/checkstatus', { transactionid, wait: '60S' });
    await until(async () =>
      (await client.text('/metrics')).includes('\ntankeeper_status_waiting_requests 1\n'),
    );
    expect(await server.stop()).toMatchObject({ code: 0 });
    await own.drop();
    const { status, headers, body } = await waiting;
    expect([status, headers.get('connection'), headers.get('tankeeper-wait')]).toEqual([
      200,
      'close',
      'stopping',
    ]);
    expect(JSON.stringify(body.result?.value)).toContain('"received_tan":false');
  });

  it('is not for SIGINT of a terminal, which ends the server at once', async () => {
    const server = await startServerProcess({ ...hanging(), ...LONG });
    const ended = once(server.process, 'close');
    server.process.kill('SIGINT');
    expect(await ended).toEqual([0, null]);
    expect(server.output()).toContain('"drainSeconds":0');
  });
});

describe('signals that come again', () => {
  const portOf = (baseUrl: string): number => Number(new URL(baseUrl).port);

  it('end the wait for requests after two seconds, with status 130, and still stop the embedded database', async () => {
    const dataDir = join(folder, 'data');
    const end = await stopUrgently(dataDir);
    expect(end.output).toContain('"message":"Stopping at once: another signal came"');
    expect(end.output).toContain('"message":"Stopped; some requests were cut off"');
    expect(end.code).toBe(130);
    expect(existsSync(join(dataDir, 'postgres/PG_VERSION'))).toBe(true);
    expect(existsSync(join(dataDir, 'postgres/postmaster.pid'))).toBe(false);
    expect(existsSync(join(dataDir, 'postgres/.s.PGSQL.5432'))).toBe(false);
  });

  /** Again where this machine was so busy that the server had stopped waiting by itself. */
  async function stopUrgently(dataDir: string): Promise<ProcessEnd> {
    const server = await startServerProcess({ DATA_DIR: dataDir });
    const request = await HalfRequest.begin(portOf(server.baseUrl));
    const stopped = server.stop();
    const begun = performance.now();
    while (!server.output().includes('"message":"Stopping"')) {
      await sleep(20);
    }
    await sleep(2_100);
    server.process.kill('SIGINT');
    const isInTime = performance.now() - begun < 6_500;
    const end = await stopped;
    expect(await request.answer()).toBe('');
    return isInTime ? end : stopUrgently(dataDir);
  }
});

describe('a signal before the server is ready', () => {
  it('ends a start that waits for the migrations of others, with status 0', async () => {
    const fresh = await createTestDatabase({ schema: 'empty' });
    const server = await fresh.database.transact(async ({ sql }) => {
      await sql.raw('SELECT pg_advisory_xact_lock(?, ?)', [...MIGRATION_LOCK]);
      const starting = startCli(['serve'], {
        DATABASE_URL: fresh.url,
        DATA_DIR: folder,
        PORT: '0',
        LOG_FORMAT: 'json',
      });
      await waitForLock(fresh);
      starting.signal('SIGINT');
      return starting.ended;
    });
    expect(server).toMatchObject({ code: 0, err: '' });
    expect(server.out).toContain('"message":"Stopped before it was ready"');
    expect(server.out).not.toContain('"message":"Listening"');
    await fresh.drop();
  });
});

/** Until a request hangs in the database. */
async function waitForLock({ database: locked }: Pick<TestDatabase, 'database'> = database): Promise<void> {
  for (;;) {
    const { rows } = await locked.knex.raw<{ rows: unknown[] }>(
      "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
    );
    if (rows.length > 0) {
      return;
    }
  }
}

async function untilRefused(url: string): Promise<boolean> {
  for (;;) {
    try {
      await fetch(url, { headers: { Connection: 'close' } });
    } catch {
      return true;
    }
  }
}
