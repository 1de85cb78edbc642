import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { type ServerProcess, startServerProcess } from '../../support/servers/server-process.ts';
import { DatabaseProxy } from '../../support/database/database-proxy.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database/test-database.ts';

let folder: string;
let database: TestDatabase;
let proxy: DatabaseProxy;
let server: ServerProcess;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tankeeper-metrics-'));
  database = await createTestDatabase();
  proxy = await DatabaseProxy.start(database.url);
  server = await startServerProcess({ DATABASE_URL: proxy.url, DATA_DIR: folder, METRICS_PORT: '0' });
});

afterAll(async () => {
  const { code } = await server.stop();
  await proxy.stop();
  rmSync(folder, { recursive: true });
  await database.drop();
  expect(code).toBe(0);
});

it.each(['frozen', 'gone'] as const)('a scrape is answered in time while the database is %s', async (how) => {
  const port = /"message":"Listening for metrics".*"port":(\d+)/.exec(server.output())?.[1] ?? '';
  const read = async (): Promise<{
    isUp: string | undefined;
    hasTokens: boolean;
    milliseconds: number;
  }> => {
    const begun = performance.now();
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    const milliseconds = performance.now() - begun;
    const isUp = /^tankeeper_database_up (\d)$/m.exec(text)?.[1];
    return { isUp, hasTokens: /^tankeeper_tokens\{/m.test(text), milliseconds };
  };
  const untilUp = async (wanted: string): Promise<Awaited<ReturnType<typeof read>>> => {
    let found = await read();
    while (found.isUp !== wanted) {
      expect(found.milliseconds).toBeLessThan(5_000);
      await sleep(100);
      found = await read();
    }
    return found;
  };
  expect(await untilUp('1')).toMatchObject({ hasTokens: true });
  if (how === 'frozen') {
    proxy.freeze();
  } else {
    await proxy.cut();
  }
  const away = await untilUp('0');
  expect(away).toMatchObject({ hasTokens: false });
  expect(away.milliseconds).toBeLessThan(5_000);
  if (how === 'frozen') {
    proxy.thaw();
  } else {
    await proxy.restore();
  }
  expect(await untilUp('1')).toMatchObject({ hasTokens: true });
});
