import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createServer } from 'node:http';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { pluginResult } from '../../src/cli/check/plugin.ts';
import { parseThresholdRange, raisesAlert } from '../../src/cli/check/plugin.ts';
import { runProgram } from '../../src/cli/program.ts';
import { startStartupServer } from '../../src/http/serving/startup-server.ts';
import { createTestDatabase, type TestDatabase } from '../support/database/test-database.ts';
import { freePort } from '../support/servers/free-port.ts';
import { type ServerProcess, startServerProcess } from '../support/servers/server-process.ts';
import { startSilentServer } from '../support/servers/silent-server.ts';
import { runCli } from './cli-process.ts';
import { fakeCli } from './fake-dependencies.ts';

/** One performance value of the guidelines. */
const PERFORMANCE = /^'[^'=]+'=-?[\d.]+(?:s|%|B|c)?;[\d.:~@-]*;[\d.:~@-]*;;$/;

describe('a threshold', () => {
  it.each([
    ['10', [0, 10], [-1, 10.1]],
    ['10:', [10, 1e9], [9.9, -1]],
    ['~:10', [-1e9, 10], [10.1]],
    ['10:20', [10, 15, 20], [9, 21]],
    ['@10:20', [9, 21], [10, 15, 20]],
  ] as const)('%s is as the guidelines say', (text, quiet, alerting) => {
    const range = parseThresholdRange(text);
    expect(quiet.filter((value) => raisesAlert(range, value))).toEqual([]);
    expect(alerting.filter((value) => !raisesAlert(range, value))).toEqual([]);
  });

  it.each(['', ':', 'x', '20:10', '1:2:3', '@'])('is refused: %j', (text) => {
    expect(() => parseThresholdRange(text)).toThrow('range');
  });

  it('of the worst state decides', () => {
    const value = { label: 'a', value: 5, unit: '' } as const;
    const [low, high] = [parseThresholdRange('4'), parseThresholdRange('6')];
    expect(pluginResult('fine', [{ ...value, warning: high }], [])).toEqual({
      state: 'OK',
      line: "TANKEEPER OK - fine | 'a'=5;6;;;",
    });
    expect(pluginResult('fine', [{ ...value, warning: low, critical: high }], []).state).toBe('WARNING');
    const worst = pluginResult('fine', [{ ...value, critical: low }], [{ state: 'UNKNOWN', text: 'a|b' }]);
    expect(worst).toEqual({
      state: 'CRITICAL',
      line: "TANKEEPER CRITICAL - a is 5 (4), a/b | 'a'=5;;4;;",
    });
  });
});

describe('tankeeper check', () => {
  let folder: string;
  let database: TestDatabase;
  let server: ServerProcess;
  let environment: Record<string, string>;
  let tokenFile: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tankeeper-check-'));
    database = await createTestDatabase();
    environment = { DATABASE_URL: database.url, DATA_DIR: folder };
    server = await startServerProcess(environment);
    const add = ['--json', 'admin', 'api-token', 'add', 'admin', 'probe', '--rights', 'monitoring:*'];
    const { out } = await runCli(add, environment);
    tokenFile = join(folder, 'token');
    await writeFile(tokenFile, (JSON.parse(out) as { token: string }).token);
  });

  afterAll(async () => {
    await server.stop();
    await rm(folder, { recursive: true });
    await database.drop();
  });

  /** Runs it in this process, with real HTTP. */
  async function check(...parameters: readonly string[]): Promise<{ code: number; line: string }> {
    const { dependencies, io } = fakeCli({}, { fetch: (...request) => fetch(...request) });
    const code = await runProgram(['check', ...parameters], dependencies);
    expect(io.out()).toMatch(/^TANKEEPER (?:OK|WARNING|CRITICAL|UNKNOWN) - [^\n]+\n$/);
    const [, performance] = io.out().trimEnd().split(' | ');
    expect(performance?.split(/ (?=')/).filter((value) => !PERFORMANCE.test(value)) ?? []).toEqual([]);
    return { code, line: io.out().trimEnd() };
  }

  it('is OK for a server that is ready, with the values of the installation', async () => {
    const { code, line } = await check('--url', server.baseUrl, '--token-file', tokenFile);
    expect({ code, line }).toEqual({
      code: 0,
      line: expect.stringContaining('TANKEEPER OK - the server is ready | '),
    });
    expect(line).toMatch(/'response'=[\d.]+s;2;8;; 'database'=[\d.]+s;1;5;;/);
    expect(line).toContain("'tokens'=0;;;;");
    expect(line).toContain("'locked_tokens'=0;;;;");
    expect((await check('--url', `${server.baseUrl}/`)).line).toMatch(/ready \| 'response'=[\d.]+s;2;8;;$/);
  });

  it.each([
    ['HOST', '127.0.0.2', '127.0.0.2', 0],
    ['HOST of all addresses', '0.0.0.0', '127.0.0.1', 0],
    ['PORT, also where fetch blocks it', '127.0.0.1', '127.0.0.1', 6_679],
  ])('asks the server of this machine, by its %s', async (_what, HOST, address, port) => {
    const ready = createServer((_request, response) => response.end('{}')).listen(port, address);
    await once(ready, 'listening');
    const place = ready.address();
    const PORT = String(typeof place === 'object' ? place?.port : '');
    const { code, out } = await runCli(['check'], { ...environment, HOST, PORT });
    ready.close();
    expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining('the server is ready') });
  });

  it('is a WARNING or CRITICAL by thresholds of any value', async () => {
    const ask = ['--url', server.baseUrl, '--token-file', tokenFile];
    expect(await check(...ask, '--warning', 'tokens=1:')).toMatchObject({
      code: 1,
      line: expect.stringContaining('TANKEEPER WARNING - tokens is 0 (1:)'),
    });
    const both = ['--warning', 'tokens=1:', '--critical', 'open_challenges=@0'];
    expect(await check(...ask, ...both)).toMatchObject({ code: 2 });
  });

  it('is CRITICAL for a server that is stopped, that hangs, or is none', async () => {
    const silent = await startSilentServer();
    expect(await check('--url', 'http://127.0.0.1:9')).toMatchObject({ code: 2 });
    const hanging = await check('--url', `http://127.0.0.1:${silent.port}`, '--timeout', '1');
    expect(hanging.line).toMatch(/^TANKEEPER CRITICAL - no answer/);
    await silent.stop();
    expect((await check('--url', `${server.baseUrl}/elsewhere`)).line).toContain('status 404');
  });

  it('is CRITICAL for a server that starts, and says so', async () => {
    const port = await freePort();
    const starting = await startStartupServer({ host: '127.0.0.1', port });
    const { code, line } = await check('--url', `http://127.0.0.1:${port}`);
    await starting.close();
    expect({ code, line }).toEqual({
      code: 2,
      line: expect.stringMatching(/^TANKEEPER CRITICAL - the server is starting \| /),
    });
  });

  it.each([
    ['a bad option', ['--bogus']],
    ['a bad range', ['--warning', '20:10']],
    ['a value that there is not', ['--warning', 'tokns=1']],
    ['a bad URL', ['--url', 'ftp://x']],
    ['a token file that is not there', ['--token-file', '/nonexistent']],
    ['an argument too many', ['x']],
  ])('is UNKNOWN for %s', async (_what, parameters) => {
    expect(await check(...parameters)).toMatchObject({
      code: 3,
      line: expect.stringMatching(/^TANKEEPER UNKNOWN - /),
    });
  });

  it('is UNKNOWN for a token that may not', async () => {
    const other = join(folder, 'other');
    await writeFile(other, 'tk_wrong');
    const { code, line } = await check('--url', server.baseUrl, '--token-file', other);
    expect({ code, line }).toMatchObject({ code: 3, line: expect.stringContaining('monitoring:metrics') });
  });

  it.each(['tk_geheim\nsecond line', 'tk_geheim€', ''])(
    'is UNKNOWN for a file that is no token, and does not show it: %j',
    async (text) => {
      const other = join(folder, 'no-token');
      await writeFile(other, text);
      const { code, line } = await check('--url', server.baseUrl, '--token-file', other);
      expect({ code, line }).toEqual({
        code: 3,
        line: `TANKEEPER UNKNOWN - ${other} must hold one API token and nothing else`,
      });
    },
  );

  it.each([
    'http://probe:geheim@127.0.0.1:9',
    'ftp://probe:geheim@127.0.0.1',
    'http://127.0.0.1:9/?t=geheim',
  ])('is UNKNOWN for a URL with a secret, and does not show it: %s', async (url) => {
    const { code, line } = await check('--url', url);
    expect(code).toBe(3);
    expect(line).not.toContain('geheim');
  });

  it('checks the database past any server, as a process with the exit code of a plugin', async () => {
    const ok = await runCli(['check', '--database'], environment);
    expect(ok).toMatchObject({
      code: 0,
      out: expect.stringContaining('TANKEEPER OK - the database answers | '),
    });
    expect(ok.out).toContain("'housekeeping_backlog'=0;100000;;;");
    const away = await runCli(['check', '--database'], {
      ...environment,
      DATABASE_URL: 'postgres://x@127.0.0.1:9/x',
    });
    expect(away).toMatchObject({ code: 2, out: expect.stringContaining('TANKEEPER CRITICAL - ') });
    const files = ['--config', join(folder, 'none.yaml'), '--config', '/dev/null/last.yaml'];
    const other = await runCli(['check', ...files], environment);
    expect(other).toMatchObject({ code: 3, out: expect.stringContaining('/dev/null/last.yaml') });
    const broken = await runCli(['check'], { ...environment, PORT: 'x' });
    expect(broken).toMatchObject({ code: 3, out: expect.stringContaining('TANKEEPER UNKNOWN - ') });
  });
});
