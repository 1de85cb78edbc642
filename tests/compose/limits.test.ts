import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { DatabaseProxy } from '../support/database/database-proxy.ts';
import { type ServerProcess, startServerProcess } from '../support/servers/server-process.ts';
import { createTestDatabase, type TestDatabase } from '../support/database/test-database.ts';
import { until } from '../support/values/until.ts';

const PASSWORD = 'correct horse battery';

let folder: string;
let database: TestDatabase;
let proxy: DatabaseProxy;
let servers: readonly ServerProcess[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tankeeper-limits-'));
  database = await createTestDatabase();
  proxy = await DatabaseProxy.start(database.url);
  writeFileSync(join(folder, 'password'), PASSWORD);
  const environment = {
    DATABASE_URL: proxy.url,
    DATA_DIR: folder,
    ADMIN_PASSWORD_FILE: join(folder, 'password'),
    TRUST_PROXY: 'loopback',
    LIMIT_CLIENT_FAILURES: '20',
    LIMIT_LOGIN_FAILURES: '4',
  };
  servers = [await startServerProcess(environment), await startServerProcess(environment)];
});

afterAll(async () => {
  const ends = await Promise.all(servers.map((server) => server.stop()));
  await proxy.stop();
  await database.drop();
  rmSync(folder, { recursive: true });
  expect(ends.map(({ code }) => code)).toEqual([0, 0]);
});

async function post(
  server: number,
  client: string,
  path: string,
  parameters: Record<string, string>,
): Promise<Response> {
  const response = await fetch(`${servers[server % 2]?.baseUrl ?? ''}${path}`, {
    method: 'POST',
    headers: { 'X-Forwarded-For': client },
    body: new URLSearchParams(parameters),
  });
  await response.text();
  return response;
}

const count = (statuses: readonly number[], status: number): number =>
  statuses.filter((one) => one === status).length;

describe('two servers on one database', () => {
  it('each bound by themselves while the database is away, and work again when it is back', async () => {
    await proxy.cut();
    try {
      const statuses: number[] = [];
      // Nothing of this needs the database, so it is the limit alone that could.
      for (let index = 0; index < 50; index += 1) {
        statuses.push((await post(index, '203.0.113.3', '/ocra/check_t', { pass: '1' })).status);
      }
      expect([count(statuses, 200), count(statuses, 429)]).toEqual([40, 10]);
      const away = await post(0, '203.0.113.4', '/ocra/check_t', { transactionid: '1', pass: '1' });
      expect(away.status).toBe(503);
      expect(away.headers.get('Retry-After')).toMatch(/^\d+$/);
    } finally {
      await proxy.restore();
    }
    let [client, status] = [0, 0];
    await until(async () => {
      client += 1;
      ({ status } = await post(0, `10.0.0.${client % 256}`, '/ocra/check_t', {
        transactionid: '1',
        pass: '1',
      }));
      return status === 200;
    });
    expect(status).toBe(200);
  });
});
