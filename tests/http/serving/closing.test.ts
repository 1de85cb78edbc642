import { once } from 'node:events';
import type { RequestListener, ServerResponse } from 'node:http';
import { connect, Socket } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import express from 'express';
import { expressMessages, startServer } from '../../../src/http/serving/server.ts';

const HERE = { host: '127.0.0.1', port: 0 };
const REQUEST = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';

const sockets: Socket[] = [];
afterEach(() => {
  sockets.splice(0).forEach((socket) => socket.destroy());
});

/** @returns a listener that leaves requests unanswered, and the next response */
function holding(): {
  listener: (request: unknown, response: ServerResponse) => void;
  next: Promise<ServerResponse>;
} {
  let take: (response: ServerResponse) => void = () => undefined;
  const next = new Promise<ServerResponse>((resolve) => (take = resolve));
  return {
    listener: (_request, response) => {
      take(response);
    },
    next,
  };
}

/** @returns a function that tells all that has come back so far */
function collected(socket: Socket): () => string {
  const pieces: string[] = [];
  sockets.push(socket);
  socket.setEncoding('latin1').on('data', (piece: string) => pieces.push(piece));
  return () => pieces.join('');
}

describe('close', () => {
  it('lets requests at work finish and takes no more', async () => {
    const { listener, next } = holding();
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
    const { listener, next } = holding();
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
      const { listener, next } = holding();
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

  async function opened(socket: Socket): Promise<Socket> {
    await once(socket, 'connect');
    return socket;
  }

  it.each([
    ['has answered before', REQUEST],
    ['has not asked anything yet', ''],
  ])('answers one more request of a client that %s, and says that it is the last', async (_what, before) => {
    const server = await startServer(answering, HERE);
    const socket = await opened(connect(server.port, '127.0.0.1'));
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
    const socket = await opened(connect(server.port, '127.0.0.1'));
    const closed = server.close(LONG, { rest: LONG });
    socket.write('GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n');
    const answer = Buffer.concat((await socket.toArray()) as Buffer[]).toString('latin1');
    expect(answer).toMatch(/\r\nConnection: close\r\n/);
    await expect(closed).resolves.toBe(true);
  });

  it('closes a connection that rests', async () => {
    const server = await startServer(answering, HERE);
    const socket = await opened(connect(server.port, '127.0.0.1'));
    socket.write(REQUEST);
    await once(socket, 'data');
    const ended = once(socket.resume(), 'end');
    await expect(server.close(LONG, { rest: 100 })).resolves.toBe(true);
    await ended;
  });
});

async function refusal(port: number): Promise<unknown> {
  return new Promise((resolve) => {
    connect(port, '127.0.0.1')
      .once('error', (error: NodeJS.ErrnoException) => {
        resolve(error.code);
      })
      .once('connect', () => {
        resolve('connected');
      });
  });
}

describe('the messages of an Express app', () => {
  it('have the prototypes that Express gives them', () => {
    const app = express();
    const { IncomingMessage, ServerResponse } = expressMessages(app);
    const request = new IncomingMessage(new Socket());
    expect(Object.getPrototypeOf(request)).toBe(app.request);
    expect(Object.getPrototypeOf(new ServerResponse(request))).toBe(app.response);
  });

  it('keep the accessors of Express and their app', async () => {
    const app = express();
    app.get('/there', (request, response) => {
      response
        .status(203)
        .json({ path: request.path, isItsApp: request.app === app && response.app === app });
    });
    const server = await startServer(app, { host: '127.0.0.1', port: 0 });
    try {
      const answer = await fetch(`http://127.0.0.1:${server.port}/there?a=1`);
      expect(answer.status).toBe(203);
      expect(await answer.json()).toEqual({ path: '/there', isItsApp: true });
    } finally {
      await server.close(0);
    }
  });
});
