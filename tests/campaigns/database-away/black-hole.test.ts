import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { openDatabase } from '../../../src/database/database.ts';
import { DatabaseProxy } from '../../support/database/database-proxy.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database/test-database.ts';
import { ServerClient } from '../../support/servers/server-client.ts';
import { type ServerProcess, startServerProcess } from '../../support/servers/server-process.ts';
import { until } from '../../support/values/until.ts';

/** Within what time the token of a lost transaction is to answer again. */
const PROMISED_MS = 15_000;

let folder: string;
let database: TestDatabase;
let server: ServerProcess;
let client: ServerClient;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tankeeper-black-hole-'));
  database = await createTestDatabase();
  server = await startServerProcess({ DATABASE_URL: database.url, DATA_DIR: folder });
  client = await ServerClient.open(server);
});
afterAll(async () => {
  const { code } = await server.stop();
  rmSync(folder, { recursive: true });
  await database.drop();
  expect(code).toBe(0);
});

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
