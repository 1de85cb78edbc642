import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { REPOSITORY } from '../../repository/repository-file.ts';
import { chmod, mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startCli } from '../../cli/cli-process.ts';
import { processesOf } from '../../support/servers/processes-of.ts';

let folder: string;
let temporary: string;
let environment: Record<string, string>;
/** Takes the port where the demo begins to look. */
const neighbour = createServer();
let firstPort: number;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tankeeper-portal-'));
  temporary = join(folder, 'tmp');
  await mkdir(temporary);
  // Under root PostgreSQL runs as another user, who has to get through.
  await Promise.all([chmod(folder, 0o711), chmod(temporary, 0o711)]);
  await new Promise<void>((resolve) => neighbour.listen(0, '127.0.0.1', resolve));
  firstPort = (neighbour.address() as AddressInfo).port;
  environment = {
    HOME: folder,
    TMPDIR: temporary,
    DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none',
    SERVE_APP: 'off',
  };
});

afterAll(async () => {
  neighbour.close();
  await rm(folder, { recursive: true, force: true });
});

it('npm run demo:portal serves the app, whatever SERVE_APP says, and leaves neither process nor file', async () => {
  const demo = startCli(['demo', '--portal', '--port', String(firstPort)], environment);
  const text = await demo.printed('Ctrl-C ends the demo');
  const [, portal = ''] = /^ {2}portal {2}(http:\/\/localhost:\d+)\/$/m.exec(text) ?? [];
  const [, app = ''] = /^ {2}app {5}(http:\/\/localhost:\d+\/app\/)$/m.exec(text) ?? [];
  expect((await fetch(app)).status).toBe(200);
  demo.signal('SIGINT');
  expect(await demo.ended).toMatchObject({ code: 0, err: '' });
  expect(processesOf(folder)).toEqual([]);
  expect(await readdir(temporary)).toEqual([]);
  await expect(fetch(portal)).rejects.toThrow('fetch failed');
});

it('the demo stays up until somebody ends it; its lines can be pasted', async () => {
  const demo = startCli(['demo'], environment);
  const out = await demo.printed('Ctrl-C ends the demo');
  const line = /\$ (curl .*monitoring\/license.*)$/m.exec(out)?.[1] ?? '';
  const pasted = await pasteIntoShell(line);
  expect(JSON.parse(pasted)).toMatchObject({ result: { value: { support: 'community support' } } });
  for (const suggestion of out.split('\n').filter((text) => /^ {2}(curl|node)/.test(text))) {
    expect(await pasteIntoShell(suggestion)).not.toContain('"status": false');
  }
  demo.signal('SIGINT');
  expect(await demo.ended).toMatchObject({ code: 0, err: '' });
});

async function pasteIntoShell(line: string): Promise<string> {
  const { stdout } = await promisify(execFile)('sh', ['-c', line], { cwd: REPOSITORY });
  return stdout;
}
