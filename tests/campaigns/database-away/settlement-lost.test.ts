import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ServerClient } from '../../support/servers/server-client.ts';
import {
  runTankeeper,
  type ServerProcess,
  startServerProcess,
} from '../../support/servers/server-process.ts';
import { type SettlementFate, SettlementProxy } from '../../support/database/settlement-proxy.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database/test-database.ts';
import { PATIENCE_MS } from '../../support/values/until.ts';

/** Far above what is promised, far below what would hold up a client for good. */
const BOUND_MS = 25_000;

let folder: string;
let database: TestDatabase;
let proxy: SettlementProxy;
let servers: Readonly<Record<'documented' | 'linotp', ServerProcess>>;
let client: ServerClient;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tankeeper-settlement-lost-'));
  database = await createTestDatabase();
  proxy = await SettlementProxy.start(database.url);
  const environment = { DATABASE_URL: proxy.url, DATA_DIR: folder, DATABASE_STATEMENT_TIMEOUT: '3' };
  const documented = await startServerProcess(environment);
  servers = { documented, linotp: await startServerProcess({ ...environment, WIRE_DIALECT: 'linotp' }) };
  client = await ServerClient.open(documented);
});

afterAll(async () => {
  const ends = await Promise.all(Object.values(servers).map((server) => server.stop()));
  await proxy.stop();
  rmSync(folder, { recursive: true });
  await database.drop();
  expect(ends.map(({ code }) => code)).toEqual([0, 0]);
});

const FATES: readonly (readonly [SettlementFate, 'accepted' | 'open'])[] = [
  ['lost', 'open'],
  ['answer lost', 'accepted'],
  ['answer swallowed', 'accepted'],
];

describe.each(FATES)(
  'a right response whose settlement, on the way to the database, is %s',
  (fate, outcome) => {
    it.each(['documented', 'linotp'] as const)(
      'is answered as an error; then it is asked what became of it, and it counts once (%s)',
      async (dialect) => {
        client.turnTo(servers.documented);
        const transaction = await client.openTransaction(`${fate.replaceAll(' ', '-')}-${dialect}`);
        client.turnTo(servers[dialect]);
        const met = proxy.next(fate);
        const answered = await client.check(transaction);
        await met;
        // Never `false`, which would say that the response was wrong.
        expect(answered.status).toBe(503);
        expect(answered.retryAfter).toMatch(/^\d+$/);
        expect(answered.body.result?.status).toBe(false);
        expect(answered.body.result?.value).toBeUndefined();
        expect(answered.body.result?.error?.message).toContain('the database is not available');
        expect(answered.milliseconds).toBeLessThan(BOUND_MS);

        client.turnTo(servers.documented);
        const { transactionid, serial } = transaction;
        const isAccepted = outcome === 'accepted';
        expect(await client.status(transaction)).toEqual([
          { serial, transactionid, received_tan: isAccepted, valid_tan: isAccepted, failcount: 0 },
        ]);

        // The client tries again, as clients do.
        const again = await client.check(transaction);
        expect(again.body.result?.value).toEqual({ failcount: 0, result: !isAccepted });
        expect((await client.check(transaction)).body.result?.value).toEqual({ failcount: 0, result: false });
        expect(await acceptances(serial)).toBe(1);
        // The next response is right for the counter that follows, so the counter has moved once.
        const next = await client.openTransaction(serial, 1n);
        expect((await client.check(next)).body.result?.value).toEqual({ failcount: 0, result: true });
      },
    );
  },
);

describe('a connection on which an answer never came', () => {
  it('is not used any more, and not kept', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, () => client.get('/monitoring/config')));
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
    const deadline = performance.now() + PATIENCE_MS;
    while (!(await isWithinPools()) && performance.now() < deadline) {
      await sleep(100);
    }
    expect(await isWithinPools()).toBe(true);
  });
});

describe('the audit trail, when nobody knew whether rows of it were committed', () => {
  it('verifies, as nothing was linked to them since', async () => {
    const environment = { DATABASE_URL: database.url, DATA_DIR: folder };
    const verified = await runTankeeper(['audit', 'verify'], environment);
    expect(verified).toMatchObject({ code: 0, output: expect.stringContaining('all as they were sealed') });
  });
});

/** @returns true if the servers have no more connections than their pools may have, and two beside each */
async function isWithinPools(): Promise<boolean> {
  const { rows } = await database.database.knex.raw<{ rows: { application: string; count: string }[] }>(
    `SELECT application_name AS application, count(*) FROM pg_stat_activity
     WHERE datname = current_database() AND application_name LIKE 'tankeeper %' GROUP BY 1`,
  );
  return rows.every(
    ({ application, count }) => Number(count) <= (application === 'tankeeper server' ? 28 : 2),
  );
}

async function acceptances(serial: string): Promise<number> {
  const rows: unknown[] = await database.database
    .knex('audit')
    .where({ subject: serial, outcome: 'accepted' })
    .select('id');
  return rows.length;
}
