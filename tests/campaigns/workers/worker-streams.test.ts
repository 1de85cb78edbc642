import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../../support/database/test-database.ts';
import { EventReader } from '../../support/servers/event-reader.ts';
import { killProcessesOf } from '../../support/servers/processes-of.ts';
import { printedPassword } from '../../support/servers/server-client.ts';
import { type ServerProcess, startServerProcess } from '../../support/servers/server-process.ts';
import { workersOf } from '../../support/servers/worker-processes.ts';

let folder: string;
let database: TestDatabase;
let server: ServerProcess;
let cookies: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tankeeper-streams-'));
  database = await createTestDatabase({ schema: 'empty' });
  server = await startServerProcess({ DATABASE_URL: database.url, DATA_DIR: folder, WORKERS: '2' });
  const response = await fetch(`${server.baseUrl}/admin/sign-in`, {
    method: 'POST',
    body: new URLSearchParams({ username: 'admin', password: await printedPassword(server) }),
  });
  cookies = response.headers
    .getSetCookie()
    .map((line) => line.split(';')[0])
    .join('; ');
});
afterAll(async () => {
  await server.stop();
  killProcessesOf(folder);
  rmSync(folder, { recursive: true });
  await database.drop();
});

/** Opens a stream on a connection of its own, which the primary hands to the next worker. */
const stream = (): Promise<EventReader> =>
  EventReader.open(`${server.baseUrl}/admin/live`, { Cookie: cookies });

/** Opens one when there is a place. */
async function untilThereIsAPlace(): Promise<EventReader> {
  for (;;) {
    // A connection that the killed worker was about to get is lost.
    const reader = await stream().catch(() => undefined);
    if (reader?.response.statusCode === 200) {
      return reader;
    }
    reader?.close();
    await sleep(50);
  }
}

describe('streams at two workers', () => {
  it('are four of an administrator together, also after the end of a worker', async () => {
    const open = await Promise.all(Array.from({ length: 6 }, () => stream()));
    const statuses = open.map(({ response }) => response.statusCode);
    expect(statuses.sort()).toEqual([200, 200, 200, 200, 503, 503]);
    const [victim = 0] = workersOf(server.process);
    process.kill(victim, 'SIGKILL');
    const again = await untilThereIsAPlace();
    expect(await again.next()).toHaveProperty('event', 'overview');
    [...open, again].forEach((reader) => {
      reader.close();
    });
    const last = await Promise.all(Array.from({ length: 4 }, () => untilThereIsAPlace()));
    expect((await stream()).response.statusCode).toBe(503);
    const begun = performance.now();
    const stopped = server.stop();
    while ((await last[0]?.next()) !== undefined) {
      // Takes what was sent before.
    }
    // Requests in work may take seven seconds of a stop.
    expect(performance.now() - begun).toBeLessThan(6_000);
    await stopped;
    expect(server.output()).toMatch(/"message":"Stopped"/);
  });
});
