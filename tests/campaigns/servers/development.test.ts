import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { REPOSITORY } from '../../repository/repository-file.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database/test-database.ts';
import { freePort } from '../../support/servers/wait-for-port.ts';
import { until } from '../../support/values/until.ts';

let database: TestDatabase;
let folder: string;

beforeAll(async () => {
  database = await createTestDatabase();
  folder = mkdtempSync(join(tmpdir(), 'tankeeper-development-'));
});

afterAll(async () => {
  await database.drop();
  rmSync(folder, { recursive: true });
});

function run(
  script: string,
  env: Record<string, string>,
): { child: ReturnType<typeof spawn>; output: () => string } {
  const child = spawn(process.execPath, ['--import', 'tsx', `scripts/${script}.ts`], {
    cwd: REPOSITORY,
    env: { PATH: process.env.PATH, HOME: folder, DATABASE_URL: database.url, ...env },
  });
  const pieces: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (piece: Buffer) => pieces.push(piece.toString('utf8')));
  }
  return { child, output: () => pieces.join('') };
}

describe('npm run sql', () => {
  it('answers each statement of a pipe, tells the columns of a table, and goes on after a mistake', async () => {
    const { child, output } = run('sql', {});
    child.stdin?.end(String.raw`SELECT nonsense;
\d realms
SELECT
  6 * 7 AS answer;
`);
    expect(await once(child, 'exit')).toEqual([0, null]);
    expect(output()).toMatch(
      /ERROR: column "nonsense" does not exist[^]*is_default[^]*answer[^]*42[^]*SELECT 1/,
    );
  });
});

describe('npm run dev', () => {
  it('serves console and app with the server behind them, and ends all of them at once', async () => {
    const ports = [await freePort(), await freePort(), await freePort()] as const;
    const [PORT, CONSOLE_PORT, APP_PORT] = ports.map(String) as [string, string, string];
    const { child, output } = run('dev', { PORT, CONSOLE_PORT, APP_PORT });
    const answer = async (port: string, path: string): Promise<string> => {
      const response = await fetch(`http://127.0.0.1:${port}${path}`);
      return `${response.status} ${await response.text()}`;
    };
    await until(() => output().includes('Listening'), { describe: output });
    expect(output()).toMatch(/user admin, password \S{16}/);
    expect(await answer(CONSOLE_PORT, '/console/')).toMatch(/^200 [^]*@vite\/client/);
    expect(await answer(CONSOLE_PORT, '/console/api/admin/sign-in/methods')).toMatch(
      /^200 [^]*"has_passkeys"/,
    );
    expect(await answer(APP_PORT, '/app/')).toMatch(/^200 [^]*@vite\/client/);
    expect(await answer(APP_PORT, '/readyz')).toMatch(/^200/);
    child.kill('SIGTERM');
    await once(child, 'exit');
    await expect(answer(PORT, '/readyz')).rejects.toThrow();
  });
});
