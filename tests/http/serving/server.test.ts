import { once } from 'node:events';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { send } from '../../../src/http/reply.ts';
import { type RunningServer, startServer } from '../../../src/http/serving/server.ts';
import { lingerAfterUnreadBody } from '../../../src/http/serving/served-connections.ts';
import { sendRaw } from '../../support/application/raw-http.ts';
import { plainLog } from '../../../src/observability/plain-log.ts';
import { logUnreadable } from '../../../src/http/serving/broken-requests.ts';
import { TestApplication, TestClock } from '../../support/application/test-application.ts';

const HERE = { host: '127.0.0.1', port: 0 };
const STATUS = /HTTP\/1\.1 (\d+ [^\r]*)\r/g;
const REQUEST = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';

let application: TestApplication;
beforeAll(async () => {
  application = await TestApplication.open();
});
afterAll(() => application.close());

const servers: { close(grace: number): unknown }[] = [];
const sockets: Socket[] = [];
afterEach(async () => {
  sockets.splice(0).forEach((socket) => socket.destroy());
  await Promise.all(servers.splice(0).map((server) => server.close(0)));
});

/** @returns a server that is closed after the test */
async function opened(listener: RequestListener): Promise<RunningServer> {
  const server = await startServer(listener, HERE);
  servers.push(server);
  return server;
}

describe('startServer', () => {
  it('says which address is taken', async () => {
    const first = await startServer(() => undefined, HERE);
    await expect(startServer(() => undefined, { host: '127.0.0.1', port: first.port })).rejects.toMatchObject(
      {
        code: 'address.unavailable',
        message: `Cannot listen on 127.0.0.1 port ${first.port}: another program listens there. Stop it, or choose another port (PORT, METRICS_PORT)`,
      },
    );
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
    [
      'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
      '400 Bad Request',
    ],
    ['GET / HTTP/1.1\r\nHost: x\r\nX-A: a\nb\r\n\r\n', '400 Bad Request'],
    ['GET / HTTP/1.1\r\n\r\n', '400 Bad Request'],
    ['GET /?pass=s3cret\u0001 HTTP/1.1\r\nHost: x\r\n\r\n', '400 Bad Request'],
    ['PUT /?pass=s3cret\u00e4 HTTP/1.1\r\nHost: x\r\n\r\n', '400 Bad Request'],
    ['GET /s3cret\u00e4\r\nHost: x\r\n\r\n', '400 Bad Request'],
    ['GET http://s3cret\u00e4/ HTTP/1.1\r\nHost: x\r\n\r\n', '400 Bad Request'],
    ['GET /s3cret HTTPS/1.1\r\nHost: x\r\n\r\n', '400 Bad Request'],
    ['GET /s3cret HTTP/1.1\nHost: x\n\n', '400 Bad Request'],
    [`GET /${'\u00e4'.repeat(3_000)} HTTP/1.1\r\nHost: x\r\n\r\n`, '431 Request Header Fields Too Large'],
    [
      'POST /\u00e4 HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n',
      '400 Bad Request',
    ],
  ])(
    'answers input that is not HTTP with %#, in words, and tells of it without its text',
    async (bytes, status) => {
      const told: string[] = [];
      const answer = await sendRaw((_request, response) => response.end('reached'), bytes, {
        unreadable: (reason, client) => told.push(`${reason} ${client}`),
      });
      expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status}\r\n`));
      expect(answer).toMatch(/\r\n\r\n[A-Z][^\n]+\n$/);
      expect(answer).not.toContain('reached');
      expect(told).toEqual([expect.stringMatching(/ 127\.0\.0\.1$/)]);
      expect(told.join() + answer).not.toContain('s3cret');
    },
  );

  it.each<[what: string, target: Buffer]>([
    ['UTF-8', Buffer.from('/a\u00fc?user=M\u00fcller&x=%41')],
    ['Latin-1', Buffer.from('/a\u00fc?user=M\u00fcller&x=%41', 'latin1')],
  ])('reads letters in a target that are not percent-encoded: %s', async (_what, target) => {
    const bytes = Buffer.concat([
      Buffer.from(`${REQUEST}POST `),
      target,
      Buffer.from(
        ' HTTP/1.1\r\nHost: x\r\nX: \u00fc\r\nContent-Length: 3\r\n\r\na\u00fcGET /next HTTP/1.1\r\nHost: x\r\n\r\n',
      ),
    ]);
    const seen: string[] = [];
    const answer = await sendRaw((sent, response) => {
      void sent.toArray().then((body) => {
        seen.push(
          `${sent.url ?? ''} ${Buffer.concat(body as Buffer[]).toString()} ${sent.socket.remoteAddress ?? ''}`,
        );
        response.end('served');
      });
    }, bytes);
    expect(seen).toEqual(['/  127.0.0.1', '/a%C3%BC?user=M%C3%BCller&x=%41 a\u00fc 127.0.0.1']);
    expect(answer.match(/served/g)).toHaveLength(2);
    expect(answer).toMatch(/\r\nConnection: close\r\n[^]*served$/);
  });

  it('waits for the rest of a request with such a target', async () => {
    const server = await opened((sent, response) => {
      void sent.toArray().then((body) => {
        setTimeout(() => response.end(Buffer.concat(body as Buffer[])), 50);
      });
    });
    const socket = connect({ port: server.port, host: '127.0.0.1', allowHalfOpen: true });
    const answer = collected(socket);
    const ended = once(socket, 'end');
    socket.write('POST /\u00fc HTTP/1.1\r\nHost: x\r\nContent-Length: 200000\r\n\r\n');
    await new Promise((resolve) => setTimeout(resolve, 50));
    socket.write('x'.repeat(200_000));
    await ended;
    expect(answer()).toMatch(/^HTTP\/1\.1 200 OK\r\n[^]*\r\n\r\nx{200000}$/);
  });

  it('does not guess a target whose beginning came before', async () => {
    const server = await opened((_request, response) => response.end('reached'));
    const socket = connect({ port: server.port, host: '127.0.0.1' });
    const answer = collected(socket);
    const ended = once(socket, 'end');
    socket.setNoDelay().write('POST /?pass=');
    await new Promise((resolve) => setTimeout(resolve, 50));
    socket.write('\u00fc HTTP/1.1\r\nHost: x\r\n\r\n');
    await ended;
    expect(answer()).toMatch(/^HTTP\/1\.1 400 /);
  });

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
    await expect(sendRaw((context, response) => response.end(context.url), request)).resolves.toMatch(
      /\r\n\/\?a=b$/,
    );
  });

  it.each([
    ['alone', '', '100 Continue 200 OK'],
    ['behind another request', 'GET /first HTTP/1.1\r\nHost: x\r\n\r\n', '200 OK 100 Continue 200 OK'],
  ])('keeps the order for a client that sends Expect: 100-continue, %s', async (_, before, order) => {
    const head = 'Host: x\r\nExpect: 100-continue\r\nConnection: close\r\n\r\n';
    const answer = await sendRaw((_request, response) => {
      setImmediate(() => response.end(Buffer.from('body')));
    }, `${before}GET /last HTTP/1.1\r\n${head}`);
    expect([...answer.matchAll(STATUS)].map(([, text]) => text).join(' ')).toBe(order);
    expect(answer).toMatch(/\r\n\r\nbody$/);
  });

  it('serves a client with an unknown expectation', async () => {
    const request = 'GET /healthz HTTP/1.1\r\nHost: x\r\nExpect: wonders\r\nConnection: close\r\n\r\n';
    await expect(sendRaw(application.app, request)).resolves.toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  });

  it.each([
    ['what is no HTTP', 'not http at all\r\n\r\n', '400 Bad Request'],
    ['a request without a host', `GET /last HTTP/1.1\r\n\r\n`, '400 Bad Request'],
    [
      'too many headers',
      `GET / HTTP/1.1\r\nHost: x\r\nX: ${'y'.repeat(20_000)}\r\n\r\n`,
      '431 Request Header Fields Too Large',
    ],
  ])('answers earlier requests before %s', async (_what, bytes, status) => {
    const answer = await sendRaw(
      (_request, response) => {
        setImmediate(() => response.end('x'));
      },
      REQUEST.repeat(2) + bytes,
    );
    expect([...answer.matchAll(STATUS)].map(([, text]) => text)).toEqual(['200 OK', '200 OK', status]);
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
  const enough = { status: 200, contentType: 'text/plain', body: 'enough' };

  it.each([100, 300_000, 3_000_000])('gets to a client that goes on to send %i bytes', async (length) => {
    const server = createServer((request, response) => {
      response.once('prefinish', () => {
        lingerAfterUnreadBody(request, 15_000);
      });
      send(response, enough);
    });
    servers.push({ close: () => server.close() });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    const answer = collected(socket);
    const ended = once(socket, 'end');
    socket.write(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${length + 1}\r\n\r\n`);
    await ended;
    socket.end(Buffer.alloc(length));
    // Rejects where the server has reset the connection.
    await once(socket, 'close');
    expect(answer()).toMatch(/^HTTP\/1\.1 200 OK\r\nConnection: close\r\n[^]*\r\n\r\nenough$/);
  });

  it('is the last one on its connection, though its client closes it late', async () => {
    const context: IncomingMessage[] = [];
    const server = await opened((request, response) => {
      context.push(request);
      send(response, enough);
    });
    const socket = connect({ port: server.port, host: '127.0.0.1', allowHalfOpen: true });
    const answers = collected(socket);
    const ended = once(socket, 'end');
    socket.write('POST /first HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nbo');
    await ended;
    socket.write('dy');
    while (context[0]?.complete !== true && context[0]?.destroyed === false) {
      await new Promise(setImmediate);
    }
    socket.on('error', () => undefined).end(REQUEST);
    await new Promise((resolve) => socket.once('close', resolve));
    expect(answers().match(/enough/g)).toHaveLength(1);
    expect(context.map(({ url }) => url)).toEqual(['/first']);
    await expect(server.close(30_000)).resolves.toBe(true);
  });

  it('ends the connection of a client that sends for ever', async () => {
    const server = await opened((_request, response) => {
      send(response, enough);
    });
    const socket = connect({ port: server.port, host: '127.0.0.1', allowHalfOpen: true });
    socket.on('error', () => undefined).resume();
    socket.write('POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n');
    const drip = setInterval(() => socket.write('1\r\nx\r\n'), 20);
    await new Promise((resolve) => socket.once('close', resolve));
    clearInterval(drip);
    await expect(server.close(30_000)).resolves.toBe(true);
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
    const pieces: Buffer[] = [];
    socket.on('data', (piece: Buffer) => pieces.push(piece)).write(bytes);
    await once(socket, 'end');
    const answer = Buffer.concat(pieces).toString('latin1');
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status}\r\n`));
    await expect(server.close(30_000)).resolves.toBe(true);
    socket.destroy();
  });

  it('cannot keep an unused connection by blank lines', async () => {
    const server = await startServer(answering, { ...HERE, requestTimeout: 500, keepAlive: 200 });
    const socket = connect({ port: server.port, host: '127.0.0.1', allowHalfOpen: true });
    socket.on('error', () => undefined).resume();
    socket.write(REQUEST);
    const drip = setInterval(() => socket.write('\r\n'), 20);
    await new Promise((resolve) => socket.once('close', resolve));
    clearInterval(drip);
    await server.close(0);
    expect(socket.destroyed).toBe(true);
  });

  it('can use its connection again as long as it is kept', async () => {
    const server = await startServer(answering, { ...HERE, requestTimeout: 10_000, keepAlive: 10_000 });
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
