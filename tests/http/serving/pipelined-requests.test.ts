import { type EventEmitter, once } from 'node:events';
import { IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { queryObjects } from 'node:v8';
import { afterEach, describe, expect, it } from '@jest/globals';
import { type RunningServer, type ServerOptions, startServer } from '../../../src/http/serving/server.ts';
import { expectSoon } from '../../support/values/expect-soon.ts';

const HERE = { host: '127.0.0.1', port: 0 };
const REQUEST = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';

const servers: RunningServer[] = [];
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

/** @returns how many requests have not been collected as garbage, after a collection */
function requestsInMemory(): number {
  return queryObjects(IncomingMessage, { format: 'count' });
}

describe('a connection with many requests at once', () => {
  const PIPELINED = 5_000;

  it('is read only as far as its answers go, and all are given in order', async () => {
    const waiting: [string, ServerResponse][] = [];
    let connection: Socket | undefined;
    const server = await opened((request, response) => {
      if (request.url === '/other') {
        response.end('here');
        return;
      }
      waiting.push([request.url ?? '', response]);
      connection = request.socket;
    });
    const socket = connect(server.port, '127.0.0.1');
    const request = (index: number): string =>
      `GET /${`${index}`.padEnd(2_000, 'x')} HTTP/1.1\r\nHost: x\r\n\r\n`;
    for (let index = 0; index < PIPELINED; index += 1) {
      socket.write(request(index));
    }
    const unanswered = (answered: number): number =>
      (connection?.bytesRead ?? 0) - answered * request(0).length;
    while (waiting.length < 1) {
      await new Promise(setImmediate);
    }
    // Others are served meanwhile; whatever of the 10 MB the server would read, it has by then.
    for (let times = 0; times < 20; times += 1) {
      const other = connect(server.port, '127.0.0.1');
      other.end('GET /other HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
      expect(Buffer.concat((await other.toArray()) as Buffer[]).toString('latin1')).toMatch(/here$/);
    }
    expect(waiting).toHaveLength(1);
    const most = { waiting: 0, unanswered: unanswered(0) };

    const answers = collected(socket);
    for (let served = 0; served < PIPELINED;) {
      most.waiting = Math.max(most.waiting, waiting.length);
      most.unanswered = Math.max(most.unanswered, unanswered(served));
      for (const [url, response] of waiting.splice(0, 7)) {
        response.end(`<${parseInt(url.slice(1), 10)}>`);
        served += 1;
      }
      await new Promise(setImmediate);
    }
    const expected = Array.from({ length: PIPELINED }, (_, index) => `<${index}>`);
    while (!answers().includes(`<${PIPELINED - 1}>`)) {
      await new Promise(setImmediate);
    }
    expect(answers().match(/<\d+>/g)).toEqual(expected);
    expect(most.waiting).toBe(1);
    // That one, and what came with it.
    expect(most.unanswered).toBeLessThan(500_000);
  });

  it('is read on where a body of the last request that came is missing', async () => {
    const bodies: string[] = [];
    const server = await opened((request, response) => {
      request.on('data', (piece: Buffer) => bodies.push(piece.toString('latin1')));
      request.on('end', () => response.end('x'));
    });
    const socket = connect(server.port, '127.0.0.1');
    const answers = collected(socket);
    const post = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\n';
    socket.write(`${`${post}body`.repeat(120)}${post}bo`);
    while (bodies.length < 121) {
      await new Promise(setImmediate);
    }
    socket.write(`dy${`${post}body`.repeat(120)}`);
    while ((answers().match(/HTTP\/1\.1 200/g) ?? []).length < 241) {
      await new Promise(setImmediate);
    }
    expect(bodies.join('')).toBe('body'.repeat(241));
  });

  it('holds one answer that its client does not read, and not those behind it', async () => {
    const bytes = 1_000_000;
    const answers: ServerResponse[] = [];
    const server = await opened((_request, response) => {
      answers.push(response);
      response.end('x'.repeat(bytes), 'latin1');
    });
    const socket = connect(server.port, '127.0.0.1');
    sockets.push(socket);
    socket.write(REQUEST.repeat(40));
    // Until the system takes no more.
    let taken = -1;
    while (taken < answers.length) {
      taken = answers.length;
      await setTimeout(200);
    }
    const owed = answers.map(({ writableLength }) => writableLength).filter((length) => length > 0);
    expect(owed).toHaveLength(1);
    expect(owed[0]).toBeLessThan(bytes + 1_000);
    let received = 0;
    socket.on('data', (piece: Buffer) => (received += piece.length));
    while (received < 40 * bytes) {
      await setTimeout(10);
    }
    expect(answers).toHaveLength(40);
  });

  it('is forgotten with its client, and requests that had not begun are not served', async () => {
    const waiting: ServerResponse[] = [];
    const server = await opened((_request, response) => waiting.push(response));
    const socket = connect(server.port, '127.0.0.1');
    socket.write(REQUEST.repeat(200));
    while (waiting.length < 1) {
      await new Promise(setImmediate);
    }
    const left = Promise.all(waiting.map((response) => once(response, 'close')));
    socket.destroy();
    waiting[0]?.write('x');
    // The server does not read what the client says last, so it learns of it by writing.
    const writing = setInterval(() => waiting[0]?.write(Buffer.alloc(100_000)), 20);
    await left;
    clearInterval(writing);
    expect(waiting).toHaveLength(1);
    await expect(server.close(10_000)).resolves.toBe(true);
  });

  it('takes its requests out of the memory when it ends, while the answer under way still waits', async () => {
    // The process may hold some of other tests, and let them go meanwhile.
    const others = requestsInMemory();
    const waiting: ServerResponse[] = [];
    const server = await opened((_request, response) => waiting.push(response));
    const socket = connect(server.port, '127.0.0.1');
    sockets.push(socket);
    socket.write(REQUEST.repeat(200));
    while (waiting.length < 1) {
      await new Promise(setImmediate);
    }
    const [underWay] = waiting;
    await expectSoon(requestsInMemory).toBeGreaterThan(199);
    underWay?.req.socket.destroy();
    await expectSoon(requestsInMemory).toBeLessThan(others + 10);
    underWay?.end('too late');
    await expectSoon(requestsInMemory).toBeLessThan(others + 10);
  });
});

describe('a request that never becomes whole, behind another one', () => {
  const CHUNKED = 'POST /broken HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nZZZZ\r\n';
  const INCOMPLETE = 'POST /broken HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\nhalf';

  /** @returns a server that reads bodies and answers each request with its path; `/slow` when told to */
  async function reading(
    options: Partial<ServerOptions> = {},
  ): Promise<{ server: RunningServer; slow: ServerResponse[]; served: string[] }> {
    const slow: ServerResponse[] = [];
    const served: string[] = [];
    const server = await opened((request, response) => {
      served.push(request.url ?? '');
      request.resume().on('end', () => {
        if (request.url === '/slow') {
          slow.push(response);
        } else {
          response.end(`<${request.url ?? ''}>`);
        }
      });
    }, options);
    return { server, slow, served };
  }

  it('is refused after the answers to the earlier ones, and the connection is closed', async () => {
    const { server, served } = await reading();
    const socket = connect(server.port, '127.0.0.1');
    const answers = collected(socket);
    socket.write(`GET /one HTTP/1.1\r\nHost: x\r\n\r\nGET /two HTTP/1.1\r\nHost: x\r\n\r\n${CHUNKED}`);
    await once(socket, 'close');
    expect(answers()).toMatch(/^HTTP\/1\.1 200.*<\/one>HTTP\/1\.1 200.*<\/two>HTTP\/1\.1 400 Bad Request/s);
    expect(served).toEqual(['/one', '/two']);
    await expect(server.close(10_000)).resolves.toBe(true);
  });

  it('is refused with 408 when the earlier answer took longer than a request may', async () => {
    const { server, slow, served } = await reading({ requestTimeout: 200 });
    const socket = connect(server.port, '127.0.0.1');
    const answers = collected(socket);
    socket.write(`GET /slow HTTP/1.1\r\nHost: x\r\n\r\n${INCOMPLETE}`);
    while (slow.length < 1) {
      await new Promise(setImmediate);
    }
    const { server: listening } = slow[0]?.req.socket as Socket & { server: EventEmitter };
    await once(listening, 'clientError');
    slow[0]?.end('slow');
    await once(socket, 'close');
    expect(answers()).toMatch(/^HTTP\/1\.1 200.*slowHTTP\/1\.1 408 Request Timeout/s);
    expect(served).toEqual(['/slow']);
    await expect(server.close(10_000)).resolves.toBe(true);
  });

  it('holds no connection open, even if the earlier answer never comes', async () => {
    const { server } = await reading({ requestTimeout: 200, keepAlive: 200 });
    const sent = [CHUNKED, INCOMPLETE].map((broken) => {
      const socket = connect(server.port, '127.0.0.1');
      collected(socket);
      socket.write(`GET /slow HTTP/1.1\r\nHost: x\r\n\r\n${broken}`);
      return once(socket, 'close');
    });
    await Promise.all(sent);
    await expect(server.close(10_000)).resolves.toBe(true);
  });
});

/** @returns a function that tells all that has come back so far */
function collected(socket: Socket): () => string {
  const pieces: string[] = [];
  sockets.push(socket);
  socket.setEncoding('latin1').on('data', (piece: string) => pieces.push(piece));
  return () => pieces.join('');
}
