import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { mkdtemp, readFile, unlink, writeFile } from 'node:fs/promises';
import { Agent, get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { databaseOfTests } from '../../support/database/test-database.ts';
import { freePort, waitForPort } from '../../support/servers/wait-for-port.ts';
import { describeWithProgram } from '../../support/servers/system-programs.ts';
import { testProgram } from '../../support/servers/test-build.ts';
import { temporaryFolder } from '../../support/values/temporary-folder.ts';
import { until } from '../../support/values/until.ts';

/** More lines than a pipe, its reader and the server keep. */
const MANY = 9_000;

const folder = temporaryFolder();
const database = databaseOfTests();
let child: ChildProcess;
let port: number;
let metricsPort: number;

afterEach(async () => {
  expect(child.exitCode).toBeNull();
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  expect(await ended).toEqual([0, null]);
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
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  let answers = 0;
  for (let count = 0; count < times; count += 1) {
    const [answer] = (await once(get(`http://127.0.0.1:${port}/nothing`, { agent }), 'response')) as [
      IncomingMessage,
    ];
    answers += answer.statusCode === 404 ? 1 : 0;
    await answer.resume().toArray();
  }
  agent.destroy();
  return answers;
}

const linesIn = (log: string): number => log.match(/"status":404.*}$/gm)?.length ?? 0;

describe('a server whose log cannot be written', () => {
  it('goes on on a full disk', async () => {
    const full = openSync('/dev/full', 'w');
    await start(full);
    closeSync(full);
    expect(await ask(100)).toBe(100);
  });

  it('goes on when the reader of its log has gone', async () => {
    await start('pipe');
    child.stdout?.destroy();
    child.stderr?.destroy();
    expect(await ask(100)).toBe(100);
  });

  it('goes on while nobody reads its log, keeps a bounded part of it, and then writes on', async () => {
    await start('pipe');
    expect(await ask(MANY)).toBe(MANY);
    const pieces: string[] = [];
    child.stdout?.setEncoding('utf8').on('data', (piece: string) => pieces.push(piece));
    await until(async () => (await ask(1)) === 1 && pieces.join('').includes('"status":404'));
    const kept = linesIn(pieces.join(''));
    expect(kept).toBeLessThan(MANY);
    await ask(3);
    await until(() => linesIn(pieces.join('')) >= kept + 3);
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

    it('writes on when there is room again', async () => {
      await writeFile(join(disk, 'other'), Buffer.alloc(100_000));
      const file = join(disk, 'log');
      const log = openSync(file, 'a');
      await start(log);
      closeSync(log);
      expect(await ask(500)).toBe(500);
      const kept = linesIn(await readFile(file, 'utf8'));
      expect(kept).toBeLessThan(500);
      await unlink(join(disk, 'other'));
      expect(await ask(3)).toBe(3);
      // A request's line is written after its answer; the first may follow a torn one.
      await until(async () => linesIn(await readFile(file, 'utf8')) >= kept + 2);
    });
  },
);
