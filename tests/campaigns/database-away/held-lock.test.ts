import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Knex } from 'knex';
import { type Answered, ServerClient } from '../../support/servers/server-client.ts';
import { type ServerProcess, startServerProcess } from '../../support/servers/server-process.ts';
import { databaseOfTests } from '../../support/database/test-database.ts';
import { openDatabase } from '../../../src/database/database.ts';
import { DatabaseProxy } from '../../support/database/database-proxy.ts';
import { temporaryFolder } from '../../support/values/temporary-folder.ts';
import { until } from '../../support/values/until.ts';

/** Far above the bound, below the 30 s that a statement may run. */
const BOUND_MS = 25_000;

let server: ServerProcess;
let client: ServerClient;
afterAll(async () => {
  expect((await server.stop()).code).toBe(0);
});
const folder = temporaryFolder();
const database = databaseOfTests();

beforeAll(async () => {
  server = await startServerProcess({
    DATABASE_URL: database.url,
    DATA_DIR: folder,
    DATABASE_LOCK_TIMEOUT: '2S',
    HOUSEKEEPING_INTERVAL: 'off',
  });
  client = await ServerClient.open(server);
});

const HOLDS: readonly (readonly [
  string,
  (transaction: Knex.Transaction, serial: string) => Promise<unknown>,
])[] = [
  [
    "a token's row",
    (transaction, serial) => transaction('tokens').where({ serial }).forUpdate().select('id'),
  ],
  [
    'the table of the challenges',
    (transaction) => transaction.raw('LOCK TABLE challenges IN ACCESS EXCLUSIVE MODE'),
  ],
];

describe.each(HOLDS)('while somebody holds %s', (what, hold) => {
  it('requests that need it are refused in time, and nothing is lost, accepted or counted', async () => {
    const transaction = await client.openTransaction(what.replaceAll(/[^a-z]/g, ''));
    const backends = await serverBackends();
    const answers = await database.database.knex.transaction(async (holder) => {
      await hold(holder, transaction.serial);
      return Promise.all([
        client.check(transaction),
        // Many at once: they wait together, not each for itself.
        ...Array.from({ length: 30 }, () => client.check({ ...transaction, tan: '00000000' })),
        client.post('/ocra/request', { serial: transaction.serial, data: '12345678' }),
      ]);
    });
    answers.forEach(expectRefused);

    // The connections on which it happened are as good as before.
    const kept = await serverBackends();
    expect(kept).toEqual(expect.arrayContaining([...backends]));
    expect(await client.status(transaction)).toEqual([
      {
        serial: transaction.serial,
        transactionid: transaction.transactionid,
        received_tan: false,
        valid_tan: false,
        failcount: 0,
      },
    ]);
    expect((await client.check(transaction)).body.result?.value).toEqual({ failcount: 0, result: true });
    expect((await client.check(transaction)).body.result?.value).toEqual({ failcount: 0, result: false });
  });
});

function expectRefused({ status, retryAfter, body, milliseconds }: Answered): void {
  // Never `false`, which would say that the response was wrong.
  expect(body.result?.value).toBeUndefined();
  expect(body.result?.status).toBe(false);
  expect(body.result?.error?.message).toContain('the database took too long');
  expect(status).toBe(503);
  expect(retryAfter).toMatch(/^\d+$/);
  expect(milliseconds).toBeLessThan(BOUND_MS);
}

/** @returns the processes of PostgreSQL that serve the server's pool */
async function serverBackends(): Promise<readonly number[]> {
  const { rows } = await database.database.knex.raw<{ rows: { pid: number }[] }>(
    `SELECT pid FROM pg_stat_activity
     WHERE datname = current_database() AND application_name = 'tankeeper server'`,
  );
  return rows.map(({ pid }) => pid);
}

/** Within what time the token of a lost transaction is to answer again. */
const PROMISED_MS = 15_000;

it('a token whose row a vanished server has locked answers again within 15 s, and its response is accepted once', async () => {
  const transaction = await client.openTransaction('HELD');
  // The connections of the other server: no byte passes any more, and none is ended.
  const proxy = await DatabaseProxy.start(database.url);
  const vanished = openDatabase({ connection: proxy.url });
  let lockedAt: number | undefined;
  const lost = vanished
    .transact(async ({ sql }) => {
      await sql('tokens').where({ serial: transaction.serial }).forUpdate().select('id');
      proxy.freeze();
      lockedAt = performance.now();
      await sql.raw('SELECT 1');
    })
    .catch((error: unknown) => error);
  await until(() => lockedAt !== undefined);
  const answers: { status: number; result: unknown }[] = [];
  while (answers.at(-1)?.status !== 200) {
    const { status, body } = await client.check(transaction);
    answers.push({ status, result: body.result?.value });
  }
  const lasted = performance.now() - (lockedAt ?? 0);
  expect(answers.at(-1)).toEqual({ status: 200, result: { failcount: 0, result: true } });
  // Before, it was held: each answer said so, and none was wrong.
  expect(answers.length).toBeGreaterThan(1);
  expect(new Set(answers.slice(0, -1).map(({ status }) => status))).toEqual(new Set([503]));
  expect(lasted).toBeLessThan(PROMISED_MS);
  expect((await client.check(transaction)).body.result?.value).toEqual({ failcount: 0, result: false });
  await proxy.stop();
  expect(await lost).toMatchObject({ code: 'database.unavailable' });
  await vanished.close();
});
