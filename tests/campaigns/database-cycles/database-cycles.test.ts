import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import request from 'supertest';
import { declaredEndpoints } from '../../support/description/declared-endpoints.ts';
import { publishResults } from '../../../bench/result-page.ts';
import type { Endpoint } from '../../../src/http/endpoint-spec.ts';
import { shortOrLong } from '../../support/campaign.ts';
import { DatabaseProxy } from '../../support/database/database-proxy.ts';
import { type ServerProcess, startServerProcess } from '../../support/servers/server-process.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database/test-database.ts';
import { PATIENCE_MS } from '../../support/values/until.ts';

/** The number of times that the database goes away and returns. */
const CYCLES = shortOrLong(4, 12);
const POOL = 6;
const PASSWORD = 'correct horse battery';
const BASIC = `Basic ${Buffer.from(`admin:${PASSWORD}`).toString('base64')}`;
/** Below the time-out for a connection, which is 5 s, on a busy machine; the actual time is printed. */
const AT_ONCE_MS = 4_000;

const results: (string | number)[][] = [];
let folder: string;
let database: TestDatabase;
let proxy: DatabaseProxy;
let server: ServerProcess;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tankeeper-cycles-'));
  database = await createTestDatabase();
  proxy = await DatabaseProxy.start(database.url);
  writeFileSync(join(folder, 'password'), PASSWORD);
  server = await startServerProcess({
    DATABASE_URL: proxy.url,
    DATABASE_POOL_SIZE: String(POOL),
    DATA_DIR: folder,
    ADMIN_PASSWORD_FILE: join(folder, 'password'),
    HOUSEKEEPING_INTERVAL: '1',
  });
});

afterAll(async () => {
  const { code } = await server.stop();
  await proxy.stop();
  await database.drop();
  rmSync(folder, { recursive: true });
  expect(code).toBe(0);
  await publishResults({
    name: 'database-cycles',
    title: 'Database cycles',
    command:
      'CAMPAIGN=long npm run test:campaigns -- tests/campaigns/database-cycles/database-cycles.test.ts',
    measures: 'A database that goes away and comes back: [Faults](../faults.md#database-cycles).',
    sections: [{ head: ['measured', 'result'], rows: results }],
  });
});

/** Parameters that pass the checks before the first query. */
const VALUES: Readonly<Record<string, string>> = {
  username: 'admin',
  password: PASSWORD,
  user: 'ada',
  type: 'ocra',
  // Excludes `pass`.
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

interface Reported {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly text: string;
  readonly milliseconds: number;
}

async function ask({ path, methods, parameters }: Endpoint, authorization = BASIC): Promise<Reported> {
  const given = new URLSearchParams(
    Object.keys(parameters.shape).map((name): [string, string] => [name, VALUES[name] ?? 'x']),
  );
  const begun = performance.now();
  const { status, headers, text } = await (
    methods.includes('POST')
      ? request(server.baseUrl).post(path).type('form').send(given.toString())
      : request(server.baseUrl).get(path).query(given.toString())
  )
    // So that no connection of this client is counted.
    .set({ Authorization: authorization, Connection: 'close' })
    .timeout(PATIENCE_MS);
  const retryAfter = headers['retry-after'] ?? null;
  return { status, retryAfter, text, milliseconds: performance.now() - begun };
}

async function readiness(): Promise<number> {
  return (await fetch(`${server.baseUrl}/readyz`)).status;
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  while (!(await condition())) {
    if (performance.now() > deadline) {
      throw new Error(`It did not come about:\n${server.output().slice(-2_000)}`);
    }
    await sleep(20);
  }
}

/** The server's open sockets and files. */
const openFiles = (): number => readdirSync(`/proc/${String(server.process.pid)}/fd`).length;

async function connections(): Promise<number> {
  const { rows } = await database.database.knex.raw<{ rows: { count: string }[] }>(
    `SELECT count(*) FROM pg_stat_activity
     WHERE datname = current_database() AND application_name LIKE 'tankeeper%' AND pid <> pg_backend_pid()
       AND application_name <> 'tankeeper'`,
  );
  return Number(rows[0]?.count);
}

describe('while the database is known to be away', () => {
  it('every endpoint that needs it says so at once, whatever credentials come', async () => {
    await proxy.cut();
    try {
      await until(async () => (await readiness()) === 503);
      let longest = 0;
      for (const endpoint of declaredEndpoints()) {
        for (const authorization of [BASIC, `Bearer tk_${'a'.repeat(43)}`]) {
          const isByPassword = endpoint.access === 'password' && authorization !== BASIC;
          const reported = await ask(endpoint, authorization);
          longest = Math.max(longest, reported.milliseconds);
          const { path } = endpoint;
          const atOnce = isByPassword ? 401 : WITHOUT_STEP[path];
          if (WITHOUT.test(path) || atOnce !== undefined) {
            expect({ path, status: reported.status }).toEqual({ path, status: atOnce ?? 200 });
          } else {
            expect({ path, status: reported.status, retryAfter: reported.retryAfter }).toEqual({
              path,
              status: 503,
              retryAfter: '5',
            });
            expect(reported.text).toContain(TEXTS[path] ?? 'the database is not available: ');
          }
          expect({ path, isAtOnce: reported.milliseconds < AT_ONCE_MS }).toEqual({ path, isAtOnce: true });
        }
      }
      results.push(['endpoints asked while the database is away', declaredEndpoints().length]);
      results.push(['slowest answer, ms', longest.toFixed(0)]);
    } finally {
      await proxy.restore();
    }
    await until(async () => (await readiness()) === 200);
  });
});

describe(`a database that goes away and comes back, ${CYCLES} times`, () => {
  it(
    'leaves nothing behind: no connection, no socket, no wait, and all works as before',
    async () => {
      const all = declaredEndpoints();
      const some = all.filter(({ path }) =>
        ['/ocra/check_t', '/monitoring/config', '/admin/login'].includes(path),
      );
      const many = Array.from({ length: 10 }, () => some).flat();
      const flood = (): Promise<Reported[]> => Promise.all(many.map((one) => ask(one)));
      const cycle = async (): Promise<readonly number[]> => {
        const underWay = flood();
        await proxy.cut();
        await until(async () => (await readiness()) === 503);
        const reported = [...(await underWay), ...(await flood())];
        await proxy.restore();
        await until(async () => (await readiness()) === 200);
        return reported.map(({ status }) => status);
      };
      await cycle();
      await flood();
      const before = openFiles();
      const statuses: number[] = [];
      for (let round = 1; round < CYCLES; round += 1) {
        statuses.push(...(await cycle()));
      }
      // Some were answered before it went; none with anything but its answer or 503.
      expect(statuses.filter((status) => status !== 200 && status !== 503)).toEqual([]);
      expect(statuses.filter((status) => status === 503).length).toBeGreaterThanOrEqual((CYCLES - 1) * 30);
      const after = await flood();
      expect(after.map(({ status }) => status)).toEqual(after.map(() => 200));
      await until(async () => (await connections()) <= POOL + 5);
      const metrics = all.filter(({ path }) => path === '/metrics');
      // Housekeeping and other loops use one now and then.
      await until(async () => {
        const [{ text }] = (await Promise.all(metrics.map((one) => ask(one)))) as [Reported];
        return (
          /^tankeeper_database_waiting_requests 0$/m.test(text) &&
          /^tankeeper_database_connections\{state="used"\} 0$/m.test(text)
        );
      });
      // Connections of the pool come and go; a leak of one for each cycle would show.
      await until(() => Promise.resolve(openFiles() <= before + POOL + 5));
      results.push(
        ['cycles', CYCLES],
        ['answers, all 200 or 503', statuses.length],
        ['connections to the database at the end', await connections()],
        ['open files before', before],
        ['open files after', openFiles()],
      );
    },
    CYCLES * 120_000,
  );
});
