import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type ServerProcess, startServerProcess } from '../support/servers/server-process.ts';
import { createTestDatabase, type TestDatabase } from '../support/database/test-database.ts';

let folder: string;
let database: TestDatabase;
let server: ServerProcess;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tankeeper-metrics-'));
  database = await createTestDatabase();
  server = await startServerProcess({ DATABASE_URL: database.url, DATA_DIR: folder, METRICS_PORT: '0' });
}, 120_000);

afterAll(async () => {
  const { code } = await server.stop();
  rmSync(folder, { recursive: true });
  await database.drop();
  expect(code).toBe(0);
}, 60_000);

it('METRICS_PORT opens a port that shows the metrics without a credential, and the main port does not', async () => {
  const port = /"message":"Listening for metrics".*"port":(\d+)/.exec(server.output())?.[1] ?? '';
  await fetch(`${server.baseUrl}/readyz`);
  const read = async (): Promise<string> => (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  let metrics = await read();
  // Work in the background has one now and then.
  while (!/^tankeeper_database_connections\{state="used"\} 0$/m.test(metrics)) {
    await sleep(20);
    metrics = await read();
  }
  expect(metrics).toMatch(/^tankeeper_http_requests_total\{endpoint="\/readyz",status="2xx"\} 1$/m);
  expect(metrics).toMatch(/^tankeeper_database_connections\{state="free"\} [1-9]/m);
  expect(metrics).toMatch(/^tankeeper_database_waiting_requests 0$/m);
  expect(metrics).toMatch(/^process_resident_memory_bytes \d+$/m);
  expect((await fetch(`${server.baseUrl}/metrics`)).status).toBe(401);
});
