import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Endpoint } from '../../../src/http/endpoint-spec.ts';
import { embeddedFolders } from '../../embedded-postgres/support/embedded-folders.ts';
import { postmasterPid } from '../../embedded-postgres/support/serving-process.ts';
import { DatabaseProxy } from '../../support/database/database-proxy.ts';
import { declaredEndpoints } from '../../support/description/declared-endpoints.ts';
import { embeddedUrl } from '../../support/database/embedded-url.ts';
import { type Answered, printedPassword, ServerClient } from '../../support/servers/server-client.ts';
import { type ServerProcess, startServerProcess } from '../../support/servers/server-process.ts';
import { queryOnce } from '../../support/database/test-server.ts';
import { PATIENCE_MS, until as untilSo } from '../../support/values/until.ts';

/** Within what time a server knows that the database is away: it waits five seconds for an answer. */
const NOTICED_MS = 25_000;
/**
 * For an answer, on a busy machine: two seconds for a connection, or five for the answer to a statement on one that the
 * server still has.
 */
const ANSWERED_MS = 15_000;
const POOL = 6;

const folders = embeddedFolders();
let url: string;
let postmaster: number;
let proxy: DatabaseProxy;
let server: ServerProcess;
let client: ServerClient;
let number = 0;

beforeAll(async () => {
  const folder = await folders.make();
  const { connection } = await folders.open({ dataDir: join(folder, 'data') });
  url = embeddedUrl(connection);
  postmaster = (await postmasterPid(connection.host)) ?? 0;
  proxy = await DatabaseProxy.start(url);
  server = await startServerProcess({
    DATABASE_URL: proxy.url,
    DATABASE_POOL_SIZE: String(POOL),
    DATABASE_STATEMENT_TIMEOUT: '3',
    DATA_DIR: join(folder, 'server'),
    HOUSEKEEPING_INTERVAL: '1',
  });
  client = await ServerClient.open(server);
});

afterAll(async () => {
  const { code } = await server.stop();
  await proxy.stop();
  await folders.clear();
  expect(code).toBe(0);
});

function until(timeoutMs: number, condition: () => Promise<boolean>): Promise<void> {
  return untilSo(condition, { timeoutMs, pollMs: 50, describe: () => server.output().slice(-3_000) });
}

const isReady = async (): Promise<boolean> => (await client.get('/readyz')).status === 200;

/** Of everything that needs the database, five times. */
async function requests(): Promise<readonly Answered[]> {
  return Promise.all(
    Array.from({ length: 5 }, () => [
      client.post('/ocra/check_t', { transactionid: 'ab'.repeat(10), pass: '123456' }),
      client.post('/ocra/request', { serial: 'NOBODY', data: '' }),
      client.post('/ocra/checkstatus', { serial: 'NOBODY' }),
      client.get('/monitoring/config'),
    ]).flat(),
  );
}

function expectUnavailable(answers: readonly Answered[], within: number): void {
  for (const { status, retryAfter, body, milliseconds } of answers) {
    expect(status).toBe(503);
    expect(retryAfter).toMatch(/^\d+$/);
    expect(body.result?.status).toBe(false);
    expect(body.result?.error?.message).toMatch(/^the database is not available: /);
    expect(milliseconds).toBeLessThan(within);
  }
}

/** The answers to clients while it is away, and the recovery without a restart when it is back. */
async function expectAwayAndBack(back: () => Promise<void>): Promise<void> {
  try {
    await expectAway();
  } finally {
    await back();
  }
  await until(PATIENCE_MS, isReady);
  await expectToWork();
}

/**
 * The readiness asks the database itself: it can know a moment before the watch, which then refuses requests at once.
 */
const isKnownAway = (): boolean =>
  server.output().lastIndexOf('The database is away') > server.output().lastIndexOf('The database is back');

async function expectAway(): Promise<void> {
  await until(NOTICED_MS, async () => !(await isReady()) && isKnownAway());
  const before = server.output().length;
  expectUnavailable(await requests(), ANSWERED_MS);
  expect(await client.get('/healthz')).toMatchObject({ status: 200 });
  expect(await client.get('/readyz')).toMatchObject({
    status: 503,
    retryAfter: expect.stringMatching(/^\d+$/),
  });
  await sleep(1_500);
  // Two lines a request, and a handful of others however long it takes.
  const others = server
    .output()
    .slice(before)
    .split('\n')
    .filter((line) => line !== '' && !line.includes('"path"') && !line.includes('request failed'))
    .map((line) => /"message":"[^"]*"/.exec(line)?.[0]);
  expect(others.slice(10)).toEqual([]);
}

async function expectToWork(): Promise<void> {
  number += 1;
  const transaction = await client.openTransaction(`AWAY${number}`);
  expect((await client.check(transaction)).body.result?.value).toEqual({ failcount: 0, result: true });
  // Those from before end a moment after the server has let go of them.
  await until(PATIENCE_MS, async () => {
    const connections = await queryOnce<{ application: string; count: string }>(
      url,
      `SELECT application_name AS application, count(*) FROM pg_stat_activity
       WHERE application_name LIKE 'tankeeper%' AND pid <> pg_backend_pid() GROUP BY 1`,
    );
    return connections.every(
      ({ application, count }) => Number(count) <= (application === 'tankeeper server' ? POOL + 4 : 1),
    );
  });
  // Configuration changes are noticed, counts are folded, what is old is removed.
  await queryOnce(
    url,
    `INSERT INTO policies (name, scope, action, realm, username, client, time)
    VALUES ('p${number}', 'monitoring', 'config', '*', '*', '', '')`,
  );
  // Not by how often this has run: after a crash, a database that is not durable may lack what was written last.
  const [stored] = await queryOnce<{ policies: string }>(url, 'SELECT count(*) AS policies FROM policies');
  await until(PATIENCE_MS, async () => {
    const { body } = await client.get('/monitoring/config');
    return (body.result?.value as { policies?: number } | undefined)?.policies === Number(stored?.policies);
  });
  // Another one each time, for the same reason.
  await queryOnce(
    url,
    `INSERT INTO sessions (administrator_id, session_hash, expires_at)
     SELECT id, '\\x00'::bytea || int4send(${number}), now() FROM administrators`,
  );
  await until(PATIENCE_MS, async () => {
    const [rest] = await queryOnce<{ left: string }>(
      url,
      `SELECT (SELECT count(*) FROM sessions WHERE expires_at <= now()) + (SELECT count(*) FROM count_deltas) AS left`,
    );
    return rest?.left === '0';
  });
}

/** @returns the processes of PostgreSQL that serve the server */
async function serverBackends(): Promise<readonly number[]> {
  const rows = await queryOnce<{ pid: number }>(
    url,
    `SELECT pid FROM pg_stat_activity WHERE application_name LIKE 'tankeeper%' AND pid <> pg_backend_pid()`,
  );
  return rows.map(({ pid }) => pid);
}

/** Until none of them serves any more, and PostgreSQL takes connections: it ends them a while after it was told to. */
async function untilGone(backends: readonly number[]): Promise<void> {
  await until(PATIENCE_MS, async () => {
    const left = await queryOnce(url, 'SELECT pid FROM pg_stat_activity WHERE pid = ANY($1::int[])', [
      backends,
    ]).catch(() => undefined);
    return left?.length === 0;
  });
}

/** Parameters that pass the checks before the first query; `decline` excludes `pass`. */
const VALUES: Readonly<Record<string, string>> = {
  username: 'admin',
  user: 'ada',
  type: 'ocra',
  decline: '',
};
/** Second steps, which refuse without the database what no first step came before, or what is not configured. */
const WITHOUT_STEP: Readonly<Record<string, number>> = {
  '/admin/sign-in/finish': 401,
  '/admin/sign-in/passkey-link': 200,
  '/admin/sign-in/passkey': 200,
};
/** Endpoints that need no database. */
const WITHOUT = /^\/(?:healthz|startupz|docs|openapi|maintenance\/ok)\b/;
/** What the others say then, where it is not the text of the failure. */
const TEXTS: Readonly<Record<string, string>> = {
  '/readyz': 'unavailable',
  '/validate/simplecheck': ':-/',
  '/maintenance/check_status': 'The database does not serve requests',
  '/healthcheck/status': 'The database does not serve requests',
};
/** Below the time-out for a connection, which is 5 s, on a busy machine. */
const AT_ONCE_MS = 4_000;

/** @returns the status that an endpoint answers at once while the database is known to be away */
function statusOf({ path, access }: Endpoint, isBasic: boolean): number {
  const isByPassword = access === 'password' && !isBasic;
  return isByPassword ? 401 : (WITHOUT_STEP[path] ?? (WITHOUT.test(path) ? 200 : 503));
}

async function ask(endpoint: Endpoint, authorization: string): Promise<readonly [Response, string]> {
  const { path, methods, parameters } = endpoint;
  const names = Object.keys(parameters.shape);
  const given = new URLSearchParams(names.map((name): [string, string] => [name, VALUES[name] ?? 'x']));
  const sent = { headers: { Authorization: authorization }, signal: AbortSignal.timeout(AT_ONCE_MS) };
  const response = methods.includes('POST')
    ? await fetch(`${server.baseUrl}${path}`, { ...sent, method: 'POST', body: given })
    : await fetch(`${server.baseUrl}${path}?${given.toString()}`, sent);
  return [response, await response.text()];
}

describe('the database goes away', () => {
  it('and every endpoint that needs it says so at once, whatever credentials come', async () => {
    const basic = `Basic ${Buffer.from(`admin:${await printedPassword(server)}`).toString('base64')}`;
    await proxy.cut();
    try {
      await until(NOTICED_MS, async () => !(await isReady()) && isKnownAway());
      const others: unknown[] = [];
      for (const endpoint of declaredEndpoints()) {
        for (const authorization of [basic, `Bearer tk_${'a'.repeat(43)}`]) {
          const { path } = endpoint;
          const [{ status, headers }, text] = await ask(endpoint, authorization);
          const expected = statusOf(endpoint, authorization === basic);
          const isTold =
            headers.get('retry-after') === '5' &&
            text.includes(TEXTS[path] ?? 'the database is not available: ');
          if (status !== expected || (expected === 503 && !isTold)) {
            others.push({ path, expected, status, text });
          }
        }
      }
      expect(others).toEqual([]);
    } finally {
      await proxy.restore();
    }
    await until(PATIENCE_MS, isReady);
  });

  it('with its connections: what needs it is answered with 503, and works again without a restart', async () => {
    await expectToWork();
    await proxy.cut();
    await expectAwayAndBack(() => proxy.restore());
  });

  it('in a network that swallows everything: also what is under way is answered', async () => {
    proxy.freeze();
    const underWay = await requests();
    await expectAwayAndBack(() => {
      proxy.thaw();
      return Promise.resolve();
    });
    expectUnavailable(underWay, NOTICED_MS);
  });

  it('when all of its processes hang', async () => {
    const processes = [postmaster, ...(await serverBackends())];
    signal(processes, 'SIGSTOP');
    try {
      const underWay = requests();
      await until(NOTICED_MS, async () => !(await isReady()) && isKnownAway());
      expectUnavailable(await underWay, NOTICED_MS);
      expectUnavailable(await requests(), ANSWERED_MS);
    } finally {
      signal(processes, 'SIGCONT');
    }
    await until(PATIENCE_MS, isReady);
    await expectToWork();
  });

  it('because each of its connections is ended, time and again', async () => {
    const ended: number[] = [];
    for (let round = 0; round < 5; round += 1) {
      const answering = requests();
      const backends = await serverBackends();
      await queryOnce(url, 'SELECT pg_terminate_backend(pid) FROM unnest($1::int[]) AS pid', [backends]);
      ended.push(...backends);
      for (const { status } of await answering) {
        expect([200, 503]).toContain(status);
      }
    }
    await untilGone(ended);
    await until(PATIENCE_MS, isReady);
    await expectToWork();
  });

  it('in a crash: kill -9 of a backend has PostgreSQL end all of them and recover', async () => {
    const backends = await serverBackends();
    signal(backends.slice(0, 1), 'SIGKILL');
    for (const { status } of await requests()) {
      expect([200, 503]).toContain(status);
    }
    await untilGone(backends);
    await until(PATIENCE_MS, isReady);
    await until(PATIENCE_MS, async () => (await client.get('/monitoring/config')).status === 200);
    await expectToWork();
  });
});

function signal(processes: readonly number[], name: NodeJS.Signals): void {
  for (const pid of processes) {
    if (pid > 1) {
      try {
        process.kill(pid, name);
      } catch (error) {
        // Ended meanwhile.
        expect((error as NodeJS.ErrnoException).code).toBe('ESRCH');
      }
    }
  }
}
