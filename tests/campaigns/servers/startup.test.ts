import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import { MIGRATION_LOCK } from '../../../src/database/migrate.ts';
import { REPOSITORY } from '../../repository/repository-file.ts';
import { untilWaiting } from '../../support/database/held-statement.ts';
import { createTestDatabase, databaseOfTests } from '../../support/database/test-database.ts';
import { freePort } from '../../support/servers/wait-for-port.ts';
import { type ServerProcess, startServerProcess } from '../../support/servers/server-process.ts';
import { temporaryFolder } from '../../support/values/temporary-folder.ts';
import { until } from '../../support/values/until.ts';

const folder = temporaryFolder();
const empty = databaseOfTests({ schema: 'empty' });
const ready = databaseOfTests();

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
  const port = await freePort();
  const base = `http://127.0.0.1:${port}`;
  const environment = { DATABASE_URL: empty.url, DATA_DIR: folder, PORT: String(port) };
  let starting: Promise<ServerProcess> | undefined;
  await empty.database.knex.transaction(async (holder) => {
    await holder.raw('SELECT pg_advisory_xact_lock(?, ?)', [...MIGRATION_LOCK]);
    starting = startServerProcess(environment);
    await until(async () => (await statusOf(base, '/startupz')) !== undefined);
    expect(await statusOf(base, '/startupz')).toBe(503);
    expect(await statusOf(base, '/healthz')).toBe(200);
    expect(await statusOf(base, '/readyz')).toBe(503);
    expect(await statusOf(base, '/ocra/check_t')).toBe(503);
    // Still waiting for the lock.
    expect(await empty.database.knex.schema.hasTable('tokens')).toBe(false);
  });
  // The port changes hands when the server can listen.
  expect(await longestRefusal(port)).toBeLessThan(0.5);
  const server = await starting;
  expect(await statusOf(base, '/startupz')).toBe(200);
  expect(await statusOf(base, '/healthz')).toBe(200);
  expect(await statusOf(base, '/readyz')).toBe(200);
  expect(await server?.stop()).toMatchObject({ code: 0 });
});

it('a first start is over when its administrator is there: until then each path but /healthz answers 503', async () => {
  const fresh = await createTestDatabase();
  const port = await freePort();
  const base = `http://127.0.0.1:${port}`;
  const paths = ['/healthz', '/startupz', '/readyz', '/maintenance/check_status', '/system/getRealms'];
  const statuses = (): Promise<readonly unknown[]> => Promise.all(paths.map((path) => statusOf(base, path)));
  let starting: Promise<ServerProcess> | undefined;
  await fresh.database.knex.transaction(async (holder) => {
    await holder.raw('LOCK TABLE administrators IN EXCLUSIVE MODE');
    starting = startServerProcess({ DATABASE_URL: fresh.url, DATA_DIR: folder, PORT: String(port) });
    await untilWaiting(fresh.database);
    await until(async () => (await statusOf(base, '/healthz')) === 200);
    expect(await statuses()).toEqual([200, 503, 503, 503, 503]);
  });
  const server = await starting;
  expect(await statuses()).toEqual([200, 200, 200, 200, 401]);
  expect(await server?.stop()).toMatchObject({ code: 0 });
  await fresh.drop();
});

it('a server whose tables go is not ready, and says why in its log, until they are back', async () => {
  const served = await createTestDatabase();
  const metricsPort = await freePort();
  const server = await startServerProcess({
    DATABASE_URL: served.url,
    DATA_DIR: folder,
    METRICS_PORT: String(metricsPort),
  });
  const paths = ['/startupz', '/readyz', '/maintenance/check_status', '/healthcheck/status'];
  const statuses = (): Promise<readonly unknown[]> =>
    Promise.all(paths.map((path) => statusOf(server.baseUrl, path)));
  const isUp = async (): Promise<string | undefined> => {
    const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    return /^tankeeper_database_up (.*)$/m.exec(metrics)?.[1];
  };
  expect(await statuses()).toEqual([200, 200, 200, 200]);
  await until(async () => (await isUp()) === '1');
  await served.database.knex.raw('ALTER SCHEMA public RENAME TO elsewhere; CREATE SCHEMA public');
  expect(await statuses()).toEqual([200, 503, 503, 503]);
  await until(async () => (await isUp()) === '0');
  expect(server.output()).toContain('"message":"The server is not ready"');
  await served.database.knex.raw('DROP SCHEMA public; ALTER SCHEMA elsewhere RENAME TO public');
  expect(await statuses()).toEqual([200, 200, 200, 200]);
  await until(async () => (await isUp()) === '1');
  expect(await server.stop()).toMatchObject({ code: 0 });
  await served.drop();
});

it('a start that goes on as ever refuses connections until it is over: a proxy then turns to another server', async () => {
  await (await startServerProcess({ DATABASE_URL: ready.url, DATA_DIR: folder })).stop();
  const port = await freePort();
  const base = `http://127.0.0.1:${port}`;
  const environment = { DATABASE_URL: ready.url, DATA_DIR: folder, PORT: String(port) };
  const starting = startServerProcess(environment);
  const seen = new Set<number | undefined>();
  while (!seen.has(200)) {
    seen.add(await statusOf(base, '/startupz'));
    await sleep(5);
  }
  expect(await (await starting).stop()).toMatchObject({ code: 0 });
  expect([...seen]).toEqual([undefined, 200]);
});

it.each([
  ['127.0.0.1', '127.0.0.1'],
  ['0.0.0.0', '127.0.0.1'],
  ['::', '[::1]'],
])('a server that binds %s shows a URL that can be opened', async (HOST, opened) => {
  const PUBLIC_URL = `http://${opened}`;
  const server = await startServerProcess({ HOST, PUBLIC_URL, DATABASE_URL: ready.url, DATA_DIR: folder });
  try {
    expect(server.output()).toContain('"level":"warn","message":"Passkeys need a name in PUBLIC_URL');
    const url = /"message":"Listening".*"url":"([^"]+)"/.exec(server.output())?.[1] ?? '';
    expect(url).toBe(server.baseUrl.replace('127.0.0.1', opened));
    expect(server.output()).toContain(`"message":"Listening","host":"${HOST}"`);
    expect((await fetch(`${url}/healthz`, { headers: { Connection: 'close' } })).status).toBe(200);
  } finally {
    await server.stop();
  }
});

it.each([24, 48, 127])(
  'with %s files that it may open, a server does not start, and says so in a line',
  async (files) => {
    const program = join(REPOSITORY, 'bin/tankeeper.js');
    const child = spawn('sh', ['-c', `ulimit -n ${files}; exec "$0" "$1" serve`, process.execPath, program], {
      env: { DATABASE_URL: ready.url, DATA_DIR: folder, PORT: '0' },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let errors = '';
    child.stderr.on('data', (piece: Buffer) => {
      errors += piece.toString('utf8');
    });
    expect(await once(child, 'close')).toEqual([1, null]);
    expect(errors).toBe(
      `tankeeper: the process may open ${files} files, and needs 128 at least: raise LimitNOFILE (ulimit -n).\n`,
    );
  },
);

/** Tells each change of the prototype of a message, after which each access to it is slow in Node 20. */
const PROTOTYPE_WATCH = `const { IncomingMessage, ServerResponse } = require('node:http');
const set = Object.setPrototypeOf;
Object.setPrototypeOf = (value, prototype) => {
  const isMessage = value instanceof IncomingMessage || value instanceof ServerResponse;
  if (isMessage && Object.hasOwn(value, '_events')) {
    console.log('prototype ' + (Object.getPrototypeOf(value) === prototype ? 'kept' : 'changed'));
  }
  return set(value, prototype);
};`;

it('gives no message another prototype', async () => {
  const watch = join(folder, 'watch.cjs');
  writeFileSync(watch, PROTOTYPE_WATCH);
  const environment = { DATABASE_URL: ready.url, DATA_DIR: folder, NODE_OPTIONS: `--require=${watch}` };
  const server = await startServerProcess(environment);
  await fetch(`${server.baseUrl}/healthz`, { headers: { Connection: 'close' } });
  await server.stop();
  expect(server.output().match(/^prototype .*/gm)).toEqual(['prototype kept', 'prototype kept']);
});

describe('npm start', () => {
  let group: number | undefined;

  afterEach(() => {
    try {
      if (group !== undefined) {
        process.kill(-group, 'SIGKILL');
      }
    } catch {
      // Nothing is left of it, as it should be.
    }
  });

  it('serves until npm gets SIGTERM, and leaves no server behind', async () => {
    const npm = spawn('npm', ['start'], {
      cwd: REPOSITORY,
      env: {
        PATH: process.env.PATH ?? '',
        HOME: folder,
        LOG_FORMAT: 'json',
        DRAIN_TIME: '0',
        PORT: '0',
        DATABASE_URL: ready.url,
        DATA_DIR: folder,
      },
      stdio: ['ignore', 'pipe', 'ignore'],
      // A process group of its own: what is left of it must not outlive the test.
      detached: true,
    });
    group = npm.pid;
    let output = '';
    const listening = new Promise<string>((resolve) => {
      npm.stdout.on('data', (piece: Buffer) => {
        output += piece.toString('utf8');
        const port = /"message":"Listening".*"port":(\d+)[,}]/.exec(output)?.[1];
        if (port !== undefined) {
          resolve(port);
        }
      });
    });
    const url = `http://127.0.0.1:${await listening}/healthz`;
    expect((await fetch(url, { headers: { Connection: 'close' } })).status).toBe(200);
    // The pipe closes when the last process that holds it has ended.
    const closed = once(npm, 'close');
    npm.kill('SIGTERM');
    await once(npm, 'exit');
    await closed;
    expect(output).toContain('"message":"Stopped"');
    await expect(fetch(url)).rejects.toThrow();
  });
});
