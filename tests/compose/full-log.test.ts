import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { mkdtemp, readFile, rm, unlink, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '../support/database/test-database.ts';
import { freePort } from '../support/servers/free-port.ts';
import { describeWithProgram } from '../support/servers/system-programs.ts';
import { testProgram } from '../support/servers/test-build.ts';
import { waitForPort } from '../support/servers/wait-for-port.ts';
import { until } from '../support/values/until.ts';

/** More lines than a pipe, its reader and the server keep. */
const MANY = 9_000;

let folder: string;
let database: TestDatabase;
let child: ChildProcess;
let port: number;
let metricsPort: number;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tankeeper-full-'));
  database = await createTestDatabase();
});

afterEach(async () => {
  expect(child.exitCode).toBeNull();
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
});

afterAll(async () => {
  await database.drop();
  await rm(folder, { recursive: true });
});

/** @param output where the process writes its log */
async function start(output: number | 'pipe'): Promise<void> {
  port = await freePort();
  metricsPort = await freePort();
  child = spawn(process.execPath, [testProgram(), 'serve'], {
    env: {
      PATH: process.env.PATH ?? '',
      LOG_FORMAT: 'json',
      DRAIN_TIME: '0',
      DATABASE_URL: database.url,
      DATA_DIR: join(folder, 'data'),
      PORT: String(port),
      METRICS_PORT: String(metricsPort),
    },
    stdio: ['ignore', output, output],
  });
  await waitForPort(metricsPort, child);
  await until(async () => (await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null))?.status === 200);
}

/** Sends requests, of which each has a line in the log. @returns the number of answers */
async function ask(times: number): Promise<number> {
  const socket = connect(port, '127.0.0.1');
  const request = 'GET /nothing HTTP/1.1\r\nHost: x\r\n\r\n';
  socket.write(`${request.repeat(times - 1)}${request.replace('\r\n\r\n', '\r\nConnection: close\r\n\r\n')}`);
  const text = Buffer.concat((await socket.toArray()) as Buffer[]).toString('latin1');
  return text.match(/HTTP\/1\.1 404/g)?.length ?? 0;
}

async function unwritten(): Promise<number> {
  const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
  return Number(/^tankeeper_log_unwritten_lines_total (\d+)$/m.exec(text)?.[1]);
}

/** @returns the numbers of lines that the log says were not written */
function told(log: string): readonly number[] {
  return log
    .split('\n')
    .filter((line) => line.includes('Lines of the log were not written'))
    .map((line) => (JSON.parse(line) as { readonly count: number }).count);
}

describe('a server whose log cannot be written', () => {
  it('goes on on a full disk, and counts the lines', async () => {
    const full = openSync('/dev/full', 'w');
    await start(full);
    closeSync(full);
    const before = await unwritten();
    expect(before).toBeGreaterThan(0);
    expect(await ask(100)).toBe(100);
    await until(async () => (await unwritten()) >= before + 100);
  });

  it('goes on when the reader of its log has gone', async () => {
    await start('pipe');
    child.stdout?.destroy();
    child.stderr?.destroy();
    expect(await ask(100)).toBe(100);
    await until(async () => (await unwritten()) >= 99);
  });

  it('goes on while nobody reads its log, and tells the reader how many lines are missing', async () => {
    await start('pipe');
    expect(await ask(MANY)).toBe(MANY);
    const lost = await unwritten();
    expect(lost).toBeGreaterThan(0);
    const pieces: string[] = [];
    child.stdout?.setEncoding('utf8').on('data', (piece: string) => pieces.push(piece));
    await until(() => told(pieces.join('')).length > 0);
    expect(told(pieces.join(''))).toEqual([lost]);
    expect(pieces.join('').match(/"path":"\/nothing"|"status":404/g)?.length).toBe(MANY - lost);
  });
});

describeWithProgram(
  'a server whose disk for logs is full',
  process.getuid?.() === 0 ? '/bin/mount' : undefined,
  'mount, as root',
  (mount) => {
    let disk: string;

    beforeAll(async () => {
      disk = await mkdtemp(join(folder, 'disk-'));
      execFileSync(mount, ['-t', 'tmpfs', '-o', 'size=128k', 'tmpfs', disk]);
    });

    afterAll(() => {
      execFileSync('/bin/umount', [disk]);
    });

    it('tells how many lines are missing when there is room again, and no line is torn', async () => {
      await writeFile(join(disk, 'other'), Buffer.alloc(100_000));
      const file = join(disk, 'log');
      const log = openSync(file, 'a');
      await start(log);
      closeSync(log);
      expect(await ask(500)).toBe(500);
      const lost = await unwritten();
      expect(lost).toBeGreaterThan(0);
      await unlink(join(disk, 'other'));
      await until(async () => told(await readFile(file, 'utf8')).length > 0);
      expect(told(await readFile(file, 'utf8'))).toEqual([lost]);
      expect(await unwritten()).toBe(lost);
      expect(await ask(3)).toBe(3);
      const written = async (): Promise<readonly string[]> =>
        (await readFile(file, 'utf8')).trimEnd().split('\n');
      const whole = async (): Promise<number> =>
        (await written()).filter((line) => line.endsWith('}') && line.includes('"status":404')).length;
      // A request's line is written after its answer.
      await until(async () => (await whole()) >= 503 - lost);
      expect(await whole()).toBe(503 - lost);
      expect((await written()).filter((line) => !line.endsWith('}')).length).toBeLessThanOrEqual(1);
    });
  },
);
