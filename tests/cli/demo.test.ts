import { existsSync } from 'node:fs';
import { appendFile, readdir, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import type { DemoServerOptions } from '../../src/cli/demo/demo-server.ts';
import { findFreePort } from '../../src/cli/demo/free-port.ts';
import type { CliDependencies } from '../../src/cli/dependencies.ts';
import { runProgram } from '../../src/cli/program.ts';
import type { Caller } from '../../src/policy/caller.ts';
import { ServiceError } from '../../src/kernel/errors.ts';
import { type Call, type FakeCli, fakeCli, recordingServices } from './fake-dependencies.ts';

interface DemoRun extends FakeCli {
  /** The request of the demo for its server. */
  readonly started: DemoServerOptions[];
  readonly seeded: Call[];
  readonly stops: { count: number };
}

/** @returns a demo whose server exists in name only: `fetch` answers for it */
function demoWith(overrides: Partial<Omit<CliDependencies, 'io'>>): DemoRun {
  const started: DemoServerOptions[] = [];
  const seeded: Call[] = [];
  const callers: Caller[] = [];
  const stops = { count: 0 };
  const cli = fakeCli(
    {},
    {
      startDemoServer: async (options) => {
        started.push(options);
        await appendFile(options.logFile, 'the last thing that the server said\n');
        return {
          baseUrl: `http://127.0.0.1:${options.port}`,
          adminPassword: 'throw-away',
          services: recordingServices({}, seeded, callers),
          stop: () => {
            stops.count += 1;
            return Promise.resolve();
          },
        };
      },
      ...overrides,
    },
  );
  return { ...cli, started, seeded, stops };
}

const wrong: CliDependencies['fetch'] = () => Promise.resolve(Response.json({ result: { status: false } }));

describe('a demo whose server answers wrongly', () => {
  it('fails loudly: names step and place, shows the log, stops the server and removes its folder', async () => {
    const demo = demoWith({ fetch: wrong });
    expect(await runProgram(['demo', '--exit'], demo.dependencies)).toBe(1);
    expect(demo.io.err()).toContain(
      'tankeeper: step 1 (/admin/init) went wrong: answer.result.status is false, expected true\n',
    );
    expect(demo.io.err()).toContain('the last thing that the server said');
    expect(demo.stops.count).toBe(1);
    expect(existsSync(demo.started[0]?.folder ?? '/')).toBe(false);
  });

  it('had shown the request as a line to paste, and the answer', async () => {
    const demo = demoWith({ fetch: wrong });
    await runProgram(['demo', '--exit'], demo.dependencies);
    const { port = 0 } = demo.started[0] ?? {};
    expect(demo.io.out()).toContain(
      `$ curl -s -u admin:throw-away http://127.0.0.1:${port}/admin/init -d type=ocra -d genkey=1 -d user=ada -d realm=bank -d sharedsecret=1\n   { "result": { "status": false } }\n`,
    );
  });

  it('fails as loudly when it answers with an error status, or not at all', async () => {
    const failing = demoWith({
      fetch: () => Promise.resolve(new Response('<h1>\u001b[2J</h1>', { status: 500 })),
    });
    expect(await runProgram(['demo', '--exit'], failing.dependencies)).toBe(1);
    expect(failing.io.err()).toContain('HTTP status is 500, expected 200');
    expect(failing.io.out()).not.toContain('\u001b');
    const silent = demoWith({ fetch: () => Promise.reject(new TypeError('fetch failed')) });
    expect(await runProgram(['demo', '--exit'], silent.dependencies)).toBe(1);
    expect(silent.stops.count).toBe(1);
  });
});

describe('a demo', () => {
  it('fills its own server: two realms, forty users, a hundred tokens and where responses go', async () => {
    const demo = demoWith({ fetch: wrong });
    await runProgram(['demo', '--exit'], demo.dependencies);
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
    const demo = demoWith({
      fetch: wrong,
      settings: () =>
        Promise.resolve({
          port: 5001,
          baseUrl: 'http://127.0.0.1:5001',
          databaseConfigured: true,
          debug: false,
        }),
    });
    await runProgram(['demo', '--exit'], demo.dependencies);
    expect(demo.io.out()).toContain('DATABASE_URL is set; the demo leaves that database alone');
    const other = demoWith({ fetch: wrong });
    await runProgram(['demo', '--exit'], other.dependencies);
    expect(other.io.out()).not.toContain('DATABASE_URL');
  });

  it('works in a fresh folder with a log that its owner alone may read', async () => {
    const seen: { names: string[]; logMode: number }[] = [];
    const demo = demoWith({
      startDemoServer: async ({ folder, logFile }) => {
        seen.push({ names: await readdir(folder), logMode: (await stat(logFile)).mode & 0o777 });
        expect(dirname(logFile)).toBe(folder);
        throw new Error('enough');
      },
    });
    expect(await runProgram(['demo'], demo.dependencies)).toBe(1);
    expect(seen).toEqual([{ names: ['server.log'], logMode: 0o600 }]);
  });

  it('ends well when somebody ends it in the middle of its tour', async () => {
    const demo = demoWith({
      fetch: () => new Promise(() => undefined),
      watchSignals: () => ({ requested: AbortSignal.abort(), urgent: new AbortController().signal }),
    });
    expect(await runProgram(['demo'], demo.dependencies)).toBe(0);
    expect(demo.stops.count).toBe(1);
    expect(existsSync(demo.started[0]?.folder ?? '/')).toBe(false);
  });

  it('takes the next port where one is taken', async () => {
    const neighbour = createServer();
    await new Promise<void>((resolve) => neighbour.listen(0, '127.0.0.1', resolve));
    const { port } = neighbour.address() as AddressInfo;
    const demo = demoWith({ fetch: wrong });
    await runProgram(['demo', '--exit', '--port', String(port)], demo.dependencies);
    expect(demo.started[0]?.port).toBeGreaterThan(port);
    await new Promise((resolve) => neighbour.close(resolve));
  });

  it('takes the next port where one is taken while its database starts', async () => {
    const neighbour = createServer();
    const ports: number[] = [];
    const demo = demoWith({
      startDemoServer: async ({ port }) => {
        ports.push(port);
        if (ports.length > 1) {
          throw new Error('enough');
        }
        await new Promise<void>((resolve) => neighbour.listen(port, '127.0.0.1', resolve));
        throw new ServiceError('address.unavailable', 'another program listens there');
      },
    });
    expect(await runProgram(['demo', '--exit'], demo.dependencies)).toBe(1);
    await new Promise((resolve) => neighbour.close(resolve));
    expect(ports).toHaveLength(2);
    expect(ports[1]).toBeGreaterThan(ports[0] ?? Infinity);
    expect(demo.io.err()).toContain('enough');
  });

  it('says when there is no port left', async () => {
    await expect(findFreePort(65_536)).rejects.toThrow('there is no free port from 65536 on');
  });

  it.each(['0', '65536', '-1', 'http', ''])('refuses %j as a port', async (port) => {
    expect(await runProgram(['demo', '--port', port], demoWith({}).dependencies)).toBe(2);
  });
});
