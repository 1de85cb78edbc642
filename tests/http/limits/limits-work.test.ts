import { once } from 'node:events';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import request from 'supertest';
import { networkMatcher } from '../../../src/http/limits/networks.ts';
import { type LimitName, LimitReporter } from '../../../src/http/limits/limit-reporter.ts';
import type { ConnectionLimits } from '../../../src/http/serving/connections.ts';
import { type RunningServer, type ServerOptions, startServer } from '../../../src/http/serving/server.ts';
import { deferred } from '../../support/values/until.ts';
import { applicationOfTests, TestClock } from '../../support/application/test-application.ts';
import { largeBodyGuard } from '../../../src/http/limits/guards.ts';
import { LoginGuard } from '../../../src/http/limits/login-guard.ts';
import { expectSoon } from '../../support/values/expect-soon.ts';
import { eventualRefusal } from '../../support/values/refusal.ts';

const TAN = { transactionid: '0123456789abcdef0123', pass: '12345678' };

const application = applicationOfTests();

/** Refusals that remember what was counted and logged. */
function watched(): { refusals: LimitReporter; counted: LimitName[]; lines: string[] } {
  const counted: LimitName[] = [];
  const lines: string[] = [];
  const line = (message: string): void => {
    lines.push(message);
  };
  const refusals = new LimitReporter({
    metrics: { limitReached: (limit) => counted.push(limit) },
    log: { error: line, warn: line, info: line, debug: line },
    clock: new TestClock(),
  });
  return { refusals, counted, lines };
}

describe('requests that are worked on at once', () => {
  it('are bounded, but for the question whether the server lives', async () => {
    const { app, services, metrics, lines } = application.restarted({ limits: { requestsAtOnce: 3 } });
    const held = deferred<undefined>();
    let begun = 0;
    jest.spyOn(services.ocra, 'checkTransaction').mockImplementation(async () => {
      begun += 1;
      await held.promise;
      return { known: true, dropped: false, failCount: 0, result: true };
    });
    const server = await startServer(app, { host: '127.0.0.1', port: 0 });
    const url = `http://127.0.0.1:${server.port}`;
    const waiting = Array.from({ length: 3 }, async () =>
      request(url).post('/ocra/check_t').type('form').send(TAN),
    );
    while (begun < 3) {
      await new Promise(setImmediate);
    }
    const refused = await Promise.all(
      Array.from({ length: 5 }, async () => request(url).post('/ocra/check_t').type('form').send(TAN)),
    );
    for (const { status, headers, body } of refused) {
      expect(status).toBe(503);
      expect(headers['retry-after']).toBe('1');
      expect(body).toMatchObject({
        result: { status: false, error: { code: -311, message: 'The server is busy' } },
      });
    }
    expect((await request(url).get('/healthz')).status).toBe(200);
    expect((await request(url).get('/readyz')).status).toBe(200);
    expect((await request(url).get('/startupz')).status).toBe(200);
    expect(await metrics.text()).toContain('tankeeper_limit_refusals_total{limit="requests-at-once"} 5');
    expect(lines.filter(({ level }) => level === 'warn')).toHaveLength(1);
    held.resolve(undefined);
    expect((await Promise.all(waiting)).map(({ status }) => status)).toEqual([200, 200, 200]);
    expect((await request(url).post('/ocra/check_t').type('form').send(TAN)).status).toBe(200);
    await server.close(1_000);
  });

  it('do not count while their bodies are still coming', async () => {
    const { app } = application.restarted({ limits: { requestsAtOnce: 1 } });
    const begun = deferred<undefined>();
    const listener: RequestListener = (incoming, response) => {
      app(incoming, response);
      begun.resolve(undefined);
    };
    const server = await startServer(listener, { host: '127.0.0.1', port: 0 });
    const slow = connect(server.port, '127.0.0.1');
    slow.write(
      'POST /ocra/check_t HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 999\r\n\r\npass=',
    );
    await begun.promise;
    const url = `http://127.0.0.1:${server.port}`;
    expect((await request(url).post('/ocra/check_t').type('form').send(TAN)).status).toBe(200);
    slow.destroy();
    await server.close(1_000);
  });
});

describe('a slow client', () => {
  let server: RunningServer;
  afterEach(() => server.close(0));

  async function open(listener: RequestListener, options: Partial<ServerOptions> = {}): Promise<Socket> {
    server = await startServer(listener, { host: '127.0.0.1', port: 0, requestTimeout: 1_000, ...options });
    return connect(server.port, '127.0.0.1');
  }

  /** @returns all that came back until the connection ended, while the client goes on to send a little */
  async function dripping(socket: Socket, start: string, drop: string): Promise<string> {
    socket.on('error', () => undefined);
    socket.write(start);
    const drip = setInterval(() => socket.write(drop), 50);
    const pieces: Buffer[] = [];
    socket.on('data', (piece) => pieces.push(piece));
    await once(socket, 'close');
    clearInterval(drip);
    return Buffer.concat(pieces).toString('latin1');
  }

  it('that never ends its headers is cut off', async () => {
    const socket = await open(() => undefined);
    const answer = await dripping(socket, 'GET / HTTP/1.1\r\nHost: x\r\n', 'X-A: b\r\n');
    expect(answer).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
  });

  it('that never ends its body is cut off', async () => {
    const socket = await open(application.app);
    const answer = await dripping(
      socket,
      'POST /ocra/check_t HTTP/1.1\r\nHost: x\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: 60000\r\n\r\n',
      'a',
    );
    expect(answer).toMatch(/^HTTP\/1\.1 408 Request Timeout\r\n/);
  });

  it('that does not take its answer is cut off', async () => {
    const given: ServerResponse[] = [];
    const socket = await open(
      (_request: IncomingMessage, response) => {
        given.push(response);
        response.end(Buffer.alloc(64 * 1024 * 1024));
      },
      { silence: 500 },
    );
    socket.on('error', () => undefined);
    socket.pause();
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    while (given[0] === undefined) {
      await new Promise(setImmediate);
    }
    await once(given[0], 'close');
    expect(socket.bytesRead).toBeLessThan(64 * 1024 * 1024);
    socket.destroy();
  });
});

describe('connections', () => {
  const sockets: Socket[] = [];
  let server: RunningServer;
  afterEach(async () => {
    sockets.splice(0).forEach((socket) => socket.destroy());
    await server.close(0);
  });

  async function open(connections: ConnectionLimits, { isKept = false } = {}): Promise<void> {
    const answer: RequestListener = (_request, response) =>
      isKept ? response.end('here') : response.write('here');
    server = await startServer(answer, { host: '127.0.0.1', port: 0, connections });
  }

  /** @returns true if the server answers over a new connection, which stays */
  async function isTaken(): Promise<boolean> {
    const socket = connect(server.port, '127.0.0.1');
    sockets.push(socket);
    socket.on('error', () => undefined);
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    const no = (): boolean => false;
    return Promise.race([once(socket, 'data').then(() => true, no), once(socket, 'close').then(no, no)]);
  }

  async function take(times: number): Promise<boolean[]> {
    const taken: boolean[] = [];
    for (let index = 0; index < times; index += 1) {
      taken.push(await isTaken());
    }
    return taken;
  }

  it('of one address get a quarter of the places, which are free again when they end', async () => {
    const { refusals, counted, lines } = watched();
    await open({ refusals, max: 8, isExempt: () => false });
    expect(await take(4)).toEqual([true, true, false, false]);
    expect(counted).toEqual(['connections', 'connections']);
    expect(lines).toHaveLength(1);
    sockets[0]?.destroy();
    await expectSoon(isTaken).toBe(true);
  });

  it('of a proxy get all places, and no more', async () => {
    const { refusals, counted } = watched();
    await open({ refusals, max: 4, isExempt: networkMatcher(['loopback']) });
    expect(await take(6)).toEqual([true, true, true, true, false, false]);
    expect(counted).toEqual(['connections', 'connections']);
  });

  it('that wait for a next request are given up once places get scarce', async () => {
    const { refusals, counted } = watched();
    await open({ refusals, max: 8, isExempt: () => true }, { isKept: true });
    expect(await take(20)).toEqual(Array<boolean>(20).fill(true));
    expect(counted).toEqual([]);
    const kept = (): number =>
      sockets.filter(({ destroyed, readableEnded }) => !destroyed && !readableEnded).length;
    await expectSoon(kept).toBe(6);
  });
});

describe('large bodies', () => {
  it('are taken one at a time, in the order in which they came, whether or not it goes well', async () => {
    const guard = largeBodyGuard({ refusals: watched().refusals, timeoutMs: 60_000 });
    const ends = Array.from({ length: 3 }, () => deferred<string>());
    const begun: number[] = [];
    const results = ends.map((end, index) =>
      guard.run(() => {
        begun.push(index);
        return end.promise;
      }),
    );
    expect(begun).toEqual([0]);
    ends[0]?.reject(new Error('broken off'));
    await expect(results[0]).rejects.toThrow('broken off');
    // Nobody who comes now goes before those who wait.
    const last = guard.run(() => {
      begun.push(3);
      return Promise.resolve('3');
    });
    ends[1]?.resolve('1');
    await expect(results[1]).resolves.toBe('1');
    expect(begun).toEqual([0, 1, 2]);
    ends[2]?.resolve('2');
    await expect(Promise.all([results[2], last])).resolves.toEqual(['2', '3']);
    expect(begun).toEqual([0, 1, 2, 3]);
    await expect(guard.run(() => Promise.resolve('free'))).resolves.toBe('free');
  });

  it('are refused at once where many wait', async () => {
    const guard = largeBodyGuard({ refusals: watched().refusals, timeoutMs: 60_000 });
    const end = deferred<string>();
    const results = Array.from({ length: 17 }, () => guard.run(() => end.promise));
    expect((await eventualRefusal(guard.run(() => end.promise))).code).toBe('server.busy');
    end.resolve('done');
    await expect(Promise.all(results)).resolves.toEqual(Array(17).fill('done'));
  });
});

it('passwords of one client that are verified at once are so many different ones, each as often as it is given', async () => {
  const { refusals, counted } = watched();
  const free = { wait: () => 0, count: () => Promise.resolve(0), forgive: () => Promise.resolve() };
  const guard = new LoginGuard({
    names: free,
    clients: free,
    isExempt: () => false,
    refusals,
    atOnce: 2,
  });
  const end = deferred<boolean>();
  const verify = (password: string): Promise<boolean> =>
    guard.attempt({ client: '198.51.100.7', account: 'anna', password }, () => end.promise);
  const results = ['first', 'second', 'first'].map(verify);
  expect((await eventualRefusal(verify('third'))).code).toBe('too-many-requests');
  expect(counted).toEqual(['logins-at-once']);
  end.resolve(true);
  await expect(Promise.all(results)).resolves.toEqual([true, true, true]);
  await expect(verify('third')).resolves.toBe(true);
});
