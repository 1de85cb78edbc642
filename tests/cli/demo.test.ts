import { existsSync } from 'node:fs';
import { appendFile, readdir, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { Command } from 'commander';
import { CommandContext } from '../../src/cli/command-context.ts';
import { runDemo } from '../../src/cli/demo/run-demo.ts';
import type { DemoServerOptions, startDemoServer } from '../../src/compose/server.ts';
import { loadConfig } from '../../src/config/config.ts';
import { findFreePort } from '../../src/cli/demo/free-port.ts';
import type { CliDependencies } from '../../src/cli/dependencies.ts';
import { runProgram } from '../../src/cli/program.ts';
import { type Call, type FakeCli, fakeCli, recordingServices } from './fake-dependencies.ts';
import { execFileSync } from 'node:child_process';
import { shellWord } from '../../src/cli/demo/tour.ts';

interface DemoRun extends FakeCli {
  /** The requests of the demo for its server. */
  readonly started: DemoServerOptions[];
  readonly seeded: Call[];
  readonly stops: { count: number };
  /** The message of its failure. */
  readonly failure: string | undefined;
}

interface DemoParts extends Partial<Omit<CliDependencies, 'io'>> {
  readonly port?: number;
  readonly start?: typeof startDemoServer;
  readonly requested?: AbortSignal;
}

/** Runs a demo whose server exists in name only: `fetch` answers for it. */
async function runDemoWith({
  port = 5001,
  start,
  requested = new AbortController().signal,
  ...overrides
}: DemoParts): Promise<DemoRun> {
  const started: DemoServerOptions[] = [];
  const seeded: Call[] = [];
  const stops = { count: 0 };
  const cli = fakeCli({}, overrides);
  const startInName: typeof startDemoServer = async (_config, options) => {
    started.push(options);
    await appendFile(options.logFile, 'the last thing that the server said\n');
    return {
      baseUrl: `http://127.0.0.1:${options.port}`,
      adminPassword: 'throw-away',
      services: recordingServices({}, seeded, []),
      stop: () => {
        stops.count += 1;
        return Promise.resolve();
      },
    };
  };
  const context = new CommandContext(cli.dependencies, new Command());
  const signals = { requested, urgent: new AbortController().signal };
  const failure = await runDemo(context, { exit: true, port }, start ?? startInName, signals).then(
    () => undefined,
    (error: unknown) => (error as Error).message,
  );
  return { ...cli, started, seeded, stops, failure };
}

const wrong: CliDependencies['fetch'] = () => Promise.resolve(Response.json({ result: { status: false } }));

describe('a demo whose server answers wrongly', () => {
  it('fails loudly: names step and place, shows the log, stops the server and removes its folder', async () => {
    const demo = await runDemoWith({ fetch: wrong });
    expect(demo.failure).toBe('step 1 (/admin/init) went wrong: the answer reports a failure');
    expect(demo.io.err()).toContain('the last thing that the server said');
    expect(demo.stops.count).toBe(1);
    expect(existsSync(demo.started[0]?.folder ?? '/')).toBe(false);
  });

  it('fails as loudly when it answers with an error status, or not at all', async () => {
    const failing = await runDemoWith({
      fetch: () => Promise.resolve(new Response('<h1>\u001b[2J</h1>', { status: 500 })),
    });
    expect(failing.failure).toContain('HTTP status 500');
    expect(failing.io.out()).not.toContain('\u001b');
    const silent = await runDemoWith({ fetch: () => Promise.reject(new TypeError('fetch failed')) });
    expect(silent.failure).toBe('fetch failed');
    expect(silent.stops.count).toBe(1);
  });
});

describe('a demo', () => {
  it('fills its own server: two realms, forty users, a hundred tokens and where responses go', async () => {
    const demo = await runDemoWith({ fetch: wrong });
    const count = (call: string): number => demo.seeded.filter(([name]) => name === call).length;
    expect(count('realms.set')).toBe(2);
    expect(count('users.add')).toBe(40);
    expect(count('enrolment.init')).toBe(100);
    expect(count('tokens.disable')).toBe(20);
    expect(count('tokens.setRealms')).toBe(1);
    const { port = 0 } = demo.started[0] ?? {};
    expect(demo.seeded).toContainEqual([
      'policies.set',
      expect.objectContaining({ action: `qrtanurl=http://127.0.0.1:${port}/ocra/check_t` }),
    ]);
    expect(demo.opened.count).toBe(0);
  });

  it('says that it leaves the database of DATABASE_URL alone', async () => {
    const config = loadConfig({ DATABASE_URL: 'postgres://db/x' });
    const demo = await runDemoWith({ fetch: wrong, loadConfiguration: () => Promise.resolve(config) });
    expect(demo.io.out()).toContain('DATABASE_URL is set; the demo leaves that database alone');
    const other = await runDemoWith({ fetch: wrong });
    expect(other.io.out()).not.toContain('DATABASE_URL');
  });

  it('works in a fresh folder with a log that its owner alone may read', async () => {
    const seen: { names: string[]; logMode: number }[] = [];
    const { failure } = await runDemoWith({
      start: async (_config, { folder, logFile }) => {
        seen.push({ names: await readdir(folder), logMode: (await stat(logFile)).mode & 0o777 });
        expect(dirname(logFile)).toBe(folder);
        throw new Error('enough');
      },
    });
    expect(failure).toBe('enough');
    expect(seen).toEqual([{ names: ['server.log'], logMode: 0o600 }]);
  });

  it('ends well when somebody ends it in the middle of its tour', async () => {
    const demo = await runDemoWith({
      fetch: () => new Promise(() => undefined),
      requested: AbortSignal.abort(),
    });
    expect(demo.failure).toBeUndefined();
    expect(demo.stops.count).toBe(1);
    expect(existsSync(demo.started[0]?.folder ?? '/')).toBe(false);
  });

  it('takes the next port where one is taken', async () => {
    const neighbour = createServer();
    await new Promise<void>((resolve) => neighbour.listen(0, '127.0.0.1', resolve));
    const { port } = neighbour.address() as AddressInfo;
    const demo = await runDemoWith({ fetch: wrong, port });
    expect(demo.started[0]?.port).toBeGreaterThan(port);
    await new Promise((resolve) => neighbour.close(resolve));
  });

  it('says when there is no port left', async () => {
    await expect(findFreePort(65_536)).rejects.toThrow('there is no free port from 65536 on');
  });

  it.each(['0', '65536', '-1', 'http', ''])('refuses %j as a port', async (port) => {
    expect(await runProgram(['demo', '--port', port], fakeCli().dependencies)).toBe(2);
  });
});

describe('a curl line of the demo', () => {
  it.each(['plain', "it's", '$HOME `id` "x" \\ !', '', '*', 'a\nb', '-u', '&;|<>()'])(
    'passes %j through a shell as it is',
    (text) => {
      expect(execFileSync('sh', ['-c', `printf %s ${shellWord(text)}`], { encoding: 'utf8' })).toBe(text);
    },
  );
});
