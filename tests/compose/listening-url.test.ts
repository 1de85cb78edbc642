import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../support/database/test-database.ts';
import { type ServerProcess, startServerProcess } from '../support/servers/server-process.ts';

let test: TestDatabase;
beforeAll(async () => {
  test = await createTestDatabase();
});
afterAll(async () => {
  await test.drop();
});

it.each([
  ['127.0.0.1', '127.0.0.1'],
  ['0.0.0.0', '127.0.0.1'],
  ['::', '[::1]'],
])('a server that binds %s shows a URL that can be opened', async (HOST, opened) => {
  const server = await startServerProcess({ HOST, DATABASE_URL: test.url });
  try {
    const url = urlOf(server);
    expect(url).toBe(server.baseUrl.replace('127.0.0.1', opened));
    expect(server.output()).toContain(`"message":"Listening","host":"${HOST}"`);
    expect((await fetch(`${url}/healthz`, { headers: { Connection: 'close' } })).status).toBe(200);
  } finally {
    await server.stop();
  }
});

function urlOf(server: ServerProcess): string {
  return /"message":"Listening".*"url":"([^"]+)"/.exec(server.output())?.[1] ?? '';
}
