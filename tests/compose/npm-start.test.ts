import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { REPOSITORY } from '../repository/repository-file.ts';
import { createTestDatabase, type TestDatabase } from '../support/database/test-database.ts';

let folder: string;
let database: TestDatabase;
let group: number | undefined;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tankeeper-npm-start-'));
  database = await createTestDatabase({ schema: 'empty' });
});
afterAll(async () => {
  endGroup();
  rmSync(folder, { recursive: true });
  await database.drop();
});

describe('npm start', () => {
  it('serves until npm gets SIGTERM, and leaves no server behind', async () => {
    const npm = spawn('npm', ['start'], {
      cwd: REPOSITORY,
      env: {
        PATH: process.env.PATH ?? '',
        HOME: folder,
        LOG_FORMAT: 'json',
        DRAIN_TIME: '0',
        PORT: '0',
        DATABASE_URL: database.url,
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

function endGroup(): void {
  try {
    if (group !== undefined) {
      process.kill(-group, 'SIGKILL');
    }
  } catch {
    // Nothing is left of it, as it should be.
  }
}
