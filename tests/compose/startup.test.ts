import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { MIGRATION_LOCK } from '../../src/database/migrate.ts';
import { createTestDatabase, type TestDatabase } from '../support/database/test-database.ts';
import { freePort } from '../support/servers/free-port.ts';
import { type ServerProcess, startServerProcess } from '../support/servers/server-process.ts';
import { PATIENCE_MS } from '../support/patience.ts';

let folder: string;
let database: TestDatabase;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tankeeper-startup-'));
  database = await createTestDatabase({ schema: 'empty' });
});

afterAll(async () => {
  rmSync(folder, { recursive: true });
  await database.drop();
});

/** @returns the status by path; undefined where nothing answers */
async function statusOf(base: string, path: string): Promise<number | undefined> {
  const response = await fetch(`${base}${path}`).catch(() => undefined);
  await response?.arrayBuffer();
  return response?.status;
}

/** @returns true if the port takes a connection */
async function takesConnection(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

/**
 * Waits until the server is ready.
 * @returns the longest part of that time for which the port refused connections, of 1
 */
async function longestRefusal(port: number): Promise<number> {
  const begun = performance.now();
  let longest = 0;
  let refusedAt: number | undefined;
  const server = { isReady: false };
  const ready = async (): Promise<void> => {
    while ((await statusOf(`http://127.0.0.1:${port}`, '/startupz')) !== 200) {
      await sleep(50);
    }
    server.isReady = true;
  };
  const watched = ready();
  while (!server.isReady) {
    const askedAt = performance.now();
    if (!(await takesConnection(port))) {
      refusedAt ??= askedAt;
    } else if (refusedAt !== undefined) {
      longest = Math.max(longest, askedAt - refusedAt);
      refusedAt = undefined;
    }
    await sleep(5);
  }
  await watched;
  return longest / (performance.now() - begun);
}

it('while migrations wait for a lock, /startupz answers 503 and /healthz 200; both 200 afterwards', async () => {
  await database.database.knex.raw('DROP SCHEMA public CASCADE; CREATE SCHEMA public');
  const port = await freePort();
  const base = `http://127.0.0.1:${port}`;
  const environment = {
    DATABASE_URL: database.url,
    DATA_DIR: folder,
    PORT: String(port),
    ENCRYPTION_KEY_FILE: join(folder, 'key'),
  };
  let starting: Promise<ServerProcess> | undefined;
  await database.database.knex.transaction(async (holder) => {
    await holder.raw('SELECT pg_advisory_xact_lock(?, ?)', [...MIGRATION_LOCK]);
    starting = startServerProcess(environment);
    const deadline = performance.now() + PATIENCE_MS;
    while ((await statusOf(base, '/startupz')) === undefined && performance.now() < deadline) {
      await sleep(20);
    }
    expect(await statusOf(base, '/startupz')).toBe(503);
    expect(await statusOf(base, '/healthz')).toBe(200);
    expect(await statusOf(base, '/readyz')).toBe(503);
    expect(await statusOf(base, '/ocra/check_t')).toBe(503);
    // Still waiting for the lock.
    expect(await database.database.knex.schema.hasTable('tokens')).toBe(false);
  });
  // The port changes hands when the server can listen.
  expect(await longestRefusal(port)).toBeLessThan(0.5);
  const server = await starting;
  expect(await statusOf(base, '/startupz')).toBe(200);
  expect(await statusOf(base, '/healthz')).toBe(200);
  expect(await statusOf(base, '/readyz')).toBe(200);
  expect(await server?.stop()).toMatchObject({ code: 0 });
});

it('a start that goes on as ever refuses connections until it is over: a proxy then turns to another server', async () => {
  const port = await freePort();
  const base = `http://127.0.0.1:${port}`;
  const ready = await createTestDatabase();
  const starting = startServerProcess({ DATABASE_URL: ready.url, DATA_DIR: folder, PORT: String(port) });
  const seen = new Set<number | undefined>();
  while (!seen.has(200)) {
    seen.add(await statusOf(base, '/startupz'));
    await sleep(5);
  }
  expect(await (await starting).stop()).toMatchObject({ code: 0 });
  await ready.drop();
  expect([...seen]).toEqual([undefined, 200]);
});
