import { afterEach, describe, expect, it } from '@jest/globals';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import type { RequestListener, ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { send } from '../../../src/http/reply.ts';
import {
  logUnreadable,
  type RunningServer,
  type ServerOptions,
  startServer,
} from '../../../src/http/serving/server.ts';
import { plainLog } from '../../../src/observability/plain-log.ts';
import { sendRaw } from '../../support/application/raw-http.ts';
import { applicationOfTests, TestClock } from '../../support/application/test-application.ts';
import { expectSoon } from '../../support/values/expect-soon.ts';
import { deferred } from '../../support/values/until.ts';

const HERE = { host: '127.0.0.1', port: 0 };
const REQUEST = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';

const application = applicationOfTests();

const servers: { close(grace: number): unknown }[] = [];
const sockets: Socket[] = [];
afterEach(async () => {
  sockets.splice(0).forEach((socket) => socket.destroy());
  await Promise.all(servers.splice(0).map((server) => server.close(0)));
});

/** @returns a server that is closed after the test */
async function opened(
  listener: RequestListener,
  options: Partial<ServerOptions> = {},
): Promise<RunningServer> {
  const server = await startServer(listener, { ...HERE, ...options });
  servers.push(server);
  return server;
}

describe('startServer', () => {
  it('says which address is taken', async () => {
    const first = await startServer(() => undefined, HERE);
    await expect(startServer(() => undefined, { ...HERE, port: first.port })).rejects.toMatchObject({
      code: 'address.unavailable',
      message: `Cannot listen on 127.0.0.1 port ${first.port}: another program listens there. Stop it, or choose another port (PORT, METRICS_PORT)`,
    });
    await first.close(0);
  });

  it('names the fault of an address that this machine does not have', async () => {
    await expect(startServer(() => undefined, { host: '192.0.2.1', port: 0 })).rejects.toMatchObject({
      code: 'address.unavailable',
      message: 'Cannot listen on 192.0.2.1 port 0: this machine has no such address. Correct HOST',
    });
  });

  it.each([
    ['not http at all\r\n\r\n', '400 Bad Request'],
    [`GET / HTTP/1.1\r\nHost: x\r\nX: ${'y'.repeat(20_000)}\r\n\r\n`, '431 Request Header Fields Too Large'],
    [`HEAD / HTTP/1.1\r\nHost: x\r\nX: ${'y'.repeat(20_000)}\r\n\r\n`, '431 Request Header Fields Too Large'],
    [
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
      '400 Bad Request',
    ],
    ['GET / HTTP/1.1\r\nHost: x\r\nX-A: a\nb\r\n\r\n', '400 Bad Request'],
    ['GET / HTTP/1.1\r\n\r\n', '400 Bad Request'],
    ['GET /?pass=s3cret\u0001 HTTP/1.1\r\nHost: x\r\n\r\n', '400 Bad Request'],
    ['GET /s3cret HTTPS/1.1\r\nHost: x\r\n\r\n', '400 Bad Request'],
    ['GET /s3cret HTTP/1.1\nHost: x\n\n', '400 Bad Request'],
  ])(
    'answers input that is not HTTP without a content (%#), and tells of it without its text',
    async (bytes, status) => {
      const told: string[] = [];
      const answer = await sendRaw((_request, response) => response.end('reached'), bytes, {
        unreadable: (reason, client) => told.push(`${reason} ${client}`),
      });
      expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status}\r\n`));
      expect(answer).toMatch(/^Connection: close\r$/m);
      expect(answer).toMatch(/^Content-Length: 0\r$/m);
      expect(answer).toMatch(/\r\n\r\n$/);
      expect(told).toEqual([expect.stringMatching(/ 127\.0\.0\.1$/)]);
      expect(told.join() + answer).not.toContain('s3cret');
    },
  );

  it.each(['utf8', 'latin1'] as const)(
    'refuses letters in a URL that are not encoded, and says so: %s',
    async (charset) => {
      const told: string[] = [];
      const bytes = Buffer.from('GET /?user=M\u00fcller HTTP/1.1\r\nHost: x\r\n\r\n', charset);
      const answer = await sendRaw((_request, response) => response.end('reached'), bytes, {
        unreadable: (reason) => told.push(reason),
      });
      expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
      expect(told).toEqual([expect.stringContaining('not percent-encoded')]);
    },
  );

  it('logs the same reason of a client once a minute', () => {
    const lines: string[] = [];
    const clock = new TestClock();
    const log = plainLog({ level: 'warn', write: (line) => lines.push(line) });
    const note = logUnreadable({ log, clock });
    for (const client of ['192.0.2.1', '192.0.2.1', '192.0.2.2']) {
      note('The header Host is missing', client);
    }
    expect(lines).toHaveLength(2);
    clock.set(new Date(clock.now().getTime() + 60_000));
    note('The header Host is missing', '192.0.2.1');
    expect(lines).toHaveLength(3);
    expect(lines[2]).toContain('(client 192.0.2.1, reason The header Host is missing)');
  });

  it.each(['http://[::1/nothing', 'http://[/nothing?x=1', '//a@[#b'])(
    'answers the target %p as any other path where nothing is',
    async (target) => {
      const request = `GET ${target} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`;
      const answer = await sendRaw(application.app, request);
      expect(answer).toMatch(/^HTTP\/1\.1 404 Not Found\r\n/);
      expect(answer).toMatch(/^X-Request-Id: \w+\r$/m);
      expect(answer).toMatch(/^Cache-Control: no-store\r$/m);
      expect(answer).toContain('There is nothing at this path');
    },
  );

  it('leaves aside which server a target names', async () => {
    const request = 'GET http://[::1?a=b HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
    const answer = await sendRaw((asked, response) => response.end(asked.url), request);
    expect(answer).toMatch(/\r\n\/\?a=b$/);
  });

  it('serves a client with an unknown expectation', async () => {
    const request = 'GET /healthz HTTP/1.1\r\nHost: x\r\nExpect: wonders\r\nConnection: close\r\n\r\n';
    await expect(sendRaw(application.app, request)).resolves.toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  });
});

/** @returns a function that tells all that has come back so far */
function collected(socket: Socket): () => string {
  const pieces: string[] = [];
  sockets.push(socket);
  socket.setEncoding('latin1').on('data', (piece: string) => pieces.push(piece));
  return () => pieces.join('');
}

describe('an answer to a body that is not read', () => {
  it.each(['keep-alive', 'close'])('gets to a client that sends all of it: %s', async (connection) => {
    const server = await opened((_request, response) => {
      send(response, { status: 200, contentType: 'text/plain', body: 'enough' });
    });
    const socket = connect(server.port, '127.0.0.1');
    const answers = collected(socket);
    socket.write(
      `POST / HTTP/1.1\r\nHost: x\r\nConnection: ${connection}\r\nContent-Length: 3000001\r\n\r\nx`,
    );
    await new Promise((resolve) => setTimeout(resolve, 50));
    socket.write(Buffer.alloc(3_000_000));
    await expectSoon(answers).toMatch(/enough$/);
  });

  it('is the last one of a client that goes on for too long', async () => {
    const server = await opened((_request, response) => response.end('x'), { requestTimeout: 500 });
    const socket = connect(server.port, '127.0.0.1');
    const answers = collected(socket.on('error', () => undefined));
    socket.write('POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n');
    const drip = setInterval(() => socket.write('1\r\nx\r\n'), 20);
    await new Promise((resolve) => socket.once('close', resolve));
    clearInterval(drip);
    expect(answers().match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200']);
  });
});

describe('what comes before the answer to the request before it', () => {
  const CHUNKED = 'POST /broken HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nZZZZ\r\n';

  /** A server that answers when told to, a client, and the requests that are served. */
  async function holding(): Promise<{ socket: Socket; waiting: ServerResponse[] }> {
    const waiting: ServerResponse[] = [];
    const server = await opened((_request, response) => waiting.push(response));
    const socket = connect(server.port, '127.0.0.1').on('error', () => undefined);
    return { socket, waiting };
  }

  it.each([
    ['another request', REQUEST],
    ['a request without a host', 'GET / HTTP/1.1\r\n\r\n'],
    ['a broken request', CHUNKED],
    ['what is no HTTP', 'not http at all\r\n\r\n'],
  ])('is not answered, and the connection ends with that answer: %s', async (_what, second) => {
    const { socket, waiting } = await holding();
    const answers = collected(socket);
    const ended = once(socket, 'close');
    socket.write(REQUEST + second);
    await expectSoon(() => waiting).toHaveLength(1);
    waiting[0]?.end('first');
    await ended;
    expect(answers()).toMatch(/^HTTP\/1\.1 200 OK\r\n(?:.+\r\n)*Connection: close\r\n(?:.+\r\n)*\r\nfirst$/);
    expect(waiting).toHaveLength(1);
  });

  it('is not answered after an answer whose head was sent', async () => {
    const { socket, waiting } = await holding();
    const answers = collected(socket);
    const ended = once(socket, 'close');
    socket.write(REQUEST);
    await expectSoon(() => waiting).toHaveLength(1);
    waiting[0]?.writeHead(200, { 'Content-Length': 5 }).write('fi');
    socket.write(REQUEST);
    await expectSoon(() => answers().endsWith('fi')).toBe(true);
    await new Promise((resolve) => setTimeout(resolve, 50));
    waiting[0]?.end('rst');
    await ended;
    expect(answers()).toMatch(/\r\n\r\nfirst$/);
    expect(waiting).toHaveLength(1);
  });

  it('ends the connection at once where it is much, and is not parsed further', async () => {
    const { socket, waiting } = await holding();
    let parsed = 0;
    const count = (): void => {
      parsed += 1;
    };
    subscribe('http.server.request.start', count);
    socket.write(REQUEST.repeat(1_000));
    await once(socket.resume(), 'close');
    unsubscribe('http.server.request.start', count);
    expect(waiting).toHaveLength(1);
    expect(parsed).toBeLessThan(20);
  });
});

describe('a client that never closes its side', () => {
  const answering: RequestListener = (_request, response) => response.end('x');

  it.each([
    ['what is no HTTP', 'not http at all\r\n\r\n', '400 Bad Request'],
    ['half of its headers', 'GET / HTTP/1.1\r\n', '408 Request Timeout'],
    ['half of a body', 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nx', '408 Request Timeout'],
  ])('loses its connection after %s', async (_what, bytes, status) => {
    const server = await startServer(() => undefined, { ...HERE, requestTimeout: 500 });
    const socket = connect({ port: server.port, host: '127.0.0.1', allowHalfOpen: true });
    const answers = collected(socket);
    socket.write(bytes);
    await once(socket, 'end');
    expect(answers()).toMatch(new RegExp(`^HTTP/1\\.1 ${status}\r\n`));
    await expect(server.close(30_000)).resolves.toBe(true);
    socket.destroy();
  });

  it('can use its connection again as long as it is kept', async () => {
    const server = await startServer(answering, HERE);
    const socket = connect(server.port, '127.0.0.1');
    for (let times = 0; times < 3; times += 1) {
      socket.write(REQUEST);
      const [piece] = (await once(socket, 'data')) as [Buffer];
      expect(piece.toString('latin1')).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    }
    socket.destroy();
    await server.close(0);
  });
});

/** @returns a listener that leaves requests unanswered, and the next response */
function unanswered(): { listener: RequestListener; next: Promise<ServerResponse> } {
  const next = deferred<ServerResponse>();
  const listener: RequestListener = (_request, response) => {
    next.resolve(response);
  };
  return { listener, next: next.promise };
}

describe('close', () => {
  it('lets requests at work finish and takes no more', async () => {
    const { listener, next } = unanswered();
    const server = await startServer(listener, HERE);
    const socket = connect(server.port, '127.0.0.1');
    socket.write(REQUEST);
    const response = await next;
    const closed = server.close(10_000);
    await expect(refusal(server.port)).resolves.toBe('ECONNREFUSED');
    response.end('done');
    const answer = Buffer.concat((await socket.toArray()) as Buffer[]).toString('latin1');
    expect(answer).toContain('done');
    expect(answer).toMatch(/^Connection: close\r$/m);
    await expect(closed).resolves.toBe(true);
  });

  it('does not wait for clients that have said nothing', async () => {
    const server = await startServer(() => undefined, HERE);
    const socket = connect(server.port, '127.0.0.1').resume();
    await once(socket, 'connect');
    await expect(server.close(10_000)).resolves.toBe(true);
  });

  it('cuts off requests that have not finished in time', async () => {
    const { listener, next } = unanswered();
    const server = await startServer(listener, HERE);
    const socket = connect(server.port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write(REQUEST);
    await next;
    await expect(server.close(100)).resolves.toBe(false);
  });

  it.each(['while it waits', 'before it waits'])(
    'cuts it off at once when that is urgent, %s',
    async (when) => {
      const { listener, next } = unanswered();
      const server = await startServer(listener, HERE);
      const socket = connect(server.port, '127.0.0.1');
      socket.on('error', () => undefined);
      socket.write(REQUEST);
      await next;
      const urgent = new AbortController();
      if (when === 'before it waits') {
        urgent.abort();
      }
      // Longer than a test may take.
      const closed = server.close(600_000, { urgent: urgent.signal });
      urgent.abort();
      await expect(closed).resolves.toBe(false);
    },
  );

  it('does not wait for clients that only keep their connection', async () => {
    const server = await startServer((_request, response) => response.end('x'), HERE);
    const socket = connect(server.port, '127.0.0.1');
    socket.write(REQUEST);
    await new Promise((resolve) => socket.once('data', resolve));
    await expect(server.close(10_000)).resolves.toBe(true);
  });

  it('does not cut off an answer that its client is still taking', async () => {
    const bytes = 20_000_000;
    const server = await startServer((_request, response) => response.end(Buffer.alloc(bytes)), HERE);
    const socket = connect(server.port, '127.0.0.1').pause();
    socket.write(REQUEST);
    await once(socket, 'readable');
    // The system holds a part of the answer only.
    const closed = server.close(30_000);
    const taken = (await socket.toArray()) as Buffer[];
    expect(Buffer.concat(taken).length).toBeGreaterThan(bytes);
    await expect(closed).resolves.toBe(true);
  });
});

describe('close with a time of rest', () => {
  const answering: RequestListener = (_request, response) => response.end('x');
  /** Longer than a test may take. */
  const LONG = 600_000;

  async function connected(port: number): Promise<Socket> {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    return socket;
  }

  it.each([
    ['has answered before', REQUEST],
    ['has not asked anything yet', ''],
  ])('answers one more request of a client that %s, and says that it is the last', async (_what, before) => {
    const server = await startServer(answering, HERE);
    const socket = await connected(server.port);
    const answers = collected(socket);
    const ended = once(socket, 'end');
    if (before !== '') {
      socket.write(before);
      await once(socket, 'data');
    }
    const closed = server.close(LONG, { rest: LONG });
    while ((await refusal(server.port)) === 'connected') {
      await new Promise(setImmediate);
    }
    socket.write(REQUEST);
    await ended;
    const last = answers().slice(answers().lastIndexOf('HTTP/1.1'));
    expect(last).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*\r\nConnection: close\r\n/);
    await expect(closed).resolves.toBe(true);
  });

  it('answers a client of HTTP/1.0 that keeps its connection, and closes it', async () => {
    const server = await startServer(answering, HERE);
    const socket = await connected(server.port);
    const closed = server.close(LONG, { rest: LONG });
    socket.write('GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n');
    const answer = Buffer.concat((await socket.toArray()) as Buffer[]).toString('latin1');
    expect(answer).toMatch(/\r\nConnection: close\r\n/);
    await expect(closed).resolves.toBe(true);
  });

  it('closes a connection that rests', async () => {
    const server = await startServer(answering, HERE);
    const socket = await connected(server.port);
    socket.write(REQUEST);
    await once(socket, 'data');
    const ended = once(socket.resume(), 'end');
    await expect(server.close(LONG, { rest: 100 })).resolves.toBe(true);
    await ended;
  });
});

const refusal = (port: number): Promise<unknown> =>
  once(connect(port, '127.0.0.1'), 'connect').then(
    () => 'connected',
    (error: unknown) => (error as NodeJS.ErrnoException).code,
  );
