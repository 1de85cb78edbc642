import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { DatabaseProxy } from '../../support/database/database-proxy.ts';
import { databaseOfTests } from '../../support/database/test-database.ts';
import { freePort } from '../../support/servers/wait-for-port.ts';
import { runTankeeper } from '../../support/servers/server-process.ts';
import { testProgram } from '../../support/servers/test-build.ts';
import { temporaryFolder } from '../../support/values/temporary-folder.ts';
import { until } from '../../support/values/until.ts';

const WAITS = 'The server waits for its database';

const folder = temporaryFolder();
const database = databaseOfTests({ schema: 'empty' });
const endings: (() => unknown)[] = [];

afterEach(async () => {
  for (const end of endings.splice(0)) {
    await end();
  }
});

/** A server that may wait: it need not listen yet. */
interface Starting {
  readonly process: ChildProcess;
  output(): string;
  /** @returns the status of a path; undefined where nothing answers */
  status(path: string): Promise<number | undefined>;
}

async function start(databaseUrl: string, more: Readonly<Record<string, string>> = {}): Promise<Starting> {
  const port = await freePort();
  const child = spawn(process.execPath, [testProgram(), 'serve'], {
    env: {
      PATH: process.env.PATH ?? '',
      LOG_FORMAT: 'json',
      DRAIN_TIME: '0',
      DATABASE_URL: databaseUrl,
      DATA_DIR: folder,
      PORT: String(port),
      ...more,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const closed = once(child, 'close');
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (piece: Buffer) => {
      output += piece.toString('utf8');
    });
  }
  endings.push(() => child.kill('SIGKILL') && closed);
  return {
    process: child,
    output: () => output,
    status: async (path) => {
      const response = await fetch(`http://127.0.0.1:${port}${path}`).catch(() => undefined);
      await response?.arrayBuffer();
      return response?.status;
    },
  };
}

async function untilWaiting(server: Starting): Promise<void> {
  await until(() => server.output().includes(WAITS));
  expect(server.process.exitCode).toBeNull();
}

async function stopped({ process }: Starting): Promise<number | null> {
  const ended = once(process, 'exit');
  process.kill('SIGTERM');
  const [code] = (await ended) as [number | null];
  return code;
}

/** Speaks PostgreSQL as far as to refuse each connection. */
async function refusingServer(sqlState: string, message: string): Promise<string> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('data', () => {
      const fields = `SFATAL\0VFATAL\0C${sqlState}\0M${message}\0\0`;
      const packet = Buffer.alloc(5 + fields.length);
      packet.write('E');
      packet.writeInt32BE(4 + fields.length, 1);
      packet.write(fields, 5);
      socket.end(packet);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  endings.push(() => {
    sockets.forEach((socket) => socket.destroy());
    server.close();
  });
  const { port } = server.address() as { port: number };
  return `postgres://anna:hush@127.0.0.1:${port}/bank`;
}

describe('a server whose database is away', () => {
  it('waits, alive and not ready, with one line, and serves when the database comes', async () => {
    const proxy = await DatabaseProxy.start(database.url);
    await proxy.cut();
    const server = await start(proxy.url);
    await untilWaiting(server);
    // It listens a moment after the line.
    await until(async () => (await server.status('/healthz')) === 200);
    expect(await server.status('/readyz')).toBe(503);
    expect(await server.status('/ocra/check_t')).toBe(503);
    await proxy.restore();
    await until(async () => (await server.status('/readyz')) === 200);
    expect(server.output().split(WAITS)).toHaveLength(2);
    expect(server.output()).toMatch(/is not available: no server is listening there/);
    expect(await stopped(server)).toBe(0);
    await proxy.stop();
  });

  it('is ended by a signal as any server', async () => {
    const server = await start(`postgres://anna:hush@127.0.0.1:${await freePort()}/bank`);
    await untilWaiting(server);
    expect(await stopped(server)).toBe(0);
    expect(server.output()).toContain('Stopped before it was ready');
    expect(server.output()).not.toContain('hush');
  });

  it('waits for a host whose name is not known yet', async () => {
    const server = await start('postgres://anna:hush@database.invalid/bank');
    await untilWaiting(server);
    expect(server.output()).toContain(WAITS);
  });

  // PgBouncer, whose PostgreSQL is away. All that it waits for or not: tests/database/database.test.ts.
  it('waits where it is told that the login has been failing', async () => {
    const url = await refusingServer('08P01', 'server login has been failing (server_login_retry)');
    const server = await start(url);
    await untilWaiting(server);
    expect(server.output()).toContain(WAITS);
  });

  it.each([
    ['28P01', 'password authentication failed for user "anna"', 'the user or the password is wrong'],
    ['08P01', 'unsupported startup parameter: options', 'set ignore_startup_parameters = options'],
  ])('ends at once where waiting does not help (%s: %s)', async (sqlState, message, told) => {
    const url = await refusingServer(sqlState, message);
    const { code, output } = await runTankeeper(['serve'], { DATABASE_URL: url, DATA_DIR: folder });
    expect(code).toBe(1);
    expect(output).toContain(told);
    expect(output).not.toContain(WAITS);
    expect(output).not.toContain('hush');
  });

  it('is not awaited by a command, which says so', async () => {
    const url = `postgres://anna:hush@127.0.0.1:${await freePort()}/bank`;
    const { code, output } = await runTankeeper(['count'], { DATABASE_URL: url, DATA_DIR: folder });
    expect(code).toBe(1);
    expect(output).toContain('no server is listening there');
    expect(output).not.toContain(WAITS);
  });
});
