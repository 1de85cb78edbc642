import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../support/database/test-database.ts';
import { queryOnce } from '../support/database/test-server.ts';
import { ServerClient } from '../support/servers/server-client.ts';
import { runTankeeper, startServerProcess } from '../support/servers/server-process.ts';

let folder: string;
let database: TestDatabase;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tankeeper-sessions-'));
  database = await createTestDatabase({ schema: 'empty' });
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await database.drop();
});

async function setForDatabase(setting: string): Promise<void> {
  const name = new URL(database.url).pathname.slice(1);
  await queryOnce(database.url, `ALTER DATABASE "${name}" SET ${setting}`);
}

// As reported: `ALTER ROLE tankeeper SET datestyle = 'German, DMY'`.
it('a server and its commands work on a database with another date style', async () => {
  await setForDatabase("DateStyle = 'German, DMY'");
  await setForDatabase("TimeZone = 'Asia/Kathmandu'");
  const environment = { DATABASE_URL: database.url, DATA_DIR: folder, TRUST_PROXY: 'loopback' };
  const server = await startServerProcess(environment);
  const client = await ServerClient.open(server);
  expect((await fetch(`${server.baseUrl}/readyz`)).status).toBe(200);
  expect((await client.get('/system/getRealms')).status).toBe(200);
  const transaction = await client.openTransaction('T1');
  expect((await client.check(transaction)).body.result?.value).toMatchObject({ result: true });
  expect((await client.check(transaction)).body.result?.value).toMatchObject({ result: false });
  expect(await runTankeeper(['audit', 'verify'], environment)).toMatchObject({ code: 0 });
  const { output } = await runTankeeper(['doctor'], environment);
  expect(output).not.toMatch(/NaN|clock|failed/);
  expect(await server.stop()).toMatchObject({ code: 0 });
});

it('a server that would read nonsense refuses to start, and names the setting and the remedy', async () => {
  await setForDatabase('session_replication_role = replica');
  const environment = { DATABASE_URL: database.url, DATA_DIR: folder };
  const { code, output } = await runTankeeper(['serve'], environment);
  expect(code).toBe(1);
  expect(output).toContain("session_replication_role = 'replica'");
  expect(output).toContain("ALTER ROLE … IN DATABASE … SET session_replication_role = 'origin'");
  expect((await runTankeeper(['doctor'], environment)).output).toContain(
    "session_replication_role = 'replica'",
  );
});
