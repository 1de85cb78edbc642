import { connect } from 'node:net';
import type { ServerResponse } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { startServer } from '../../src/http/server.ts';
import { sendRaw } from '../support/raw-http.ts';

const HERE = { host: '127.0.0.1', port: 0 };
const REQUEST = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n';

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

describe('startServer', () => {
  it('says which address is taken', async () => {
    const first = await startServer(() => undefined, HERE);
    await expect(startServer(() => undefined, { host: '127.0.0.1', port: first.port })).rejects.toMatchObject(
      {
        code: 'address.unavailable',
        message: `Cannot listen on 127.0.0.1 port ${first.port}: another program listens there`,
      },
    );
    await first.close(0);
  });

  it('says what is wrong with an address that this machine does not have', async () => {
    await expect(startServer(() => undefined, { host: '192.0.2.1', port: 0 })).rejects.toMatchObject({
      code: 'address.unavailable',
      message: 'Cannot listen on 192.0.2.1 port 0: EADDRNOTAVAIL',
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
    ['GET /?pass=\u00e4 HTTP/1.1\r\nHost: x\r\n\r\n', '400 Bad Request'],
  ])('answers what is no HTTP with %#', async (bytes, status) => {
    const answer = await sendRaw((_request, response) => response.end('reached'), bytes);
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status}\r\n`));
    expect(answer).not.toContain('reached');
  });
});

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
    await expect(closed).resolves.toBe(true);
  });

  it('cuts off what has not finished in time', async () => {
    const { listener, next } = holding();
    const server = await startServer(listener, HERE);
    const socket = connect(server.port, '127.0.0.1');
    socket.on('error', () => undefined);
    socket.write(REQUEST);
    await next;
    await expect(server.close(100)).resolves.toBe(false);
  });

  it('does not wait for clients that only keep their connection', async () => {
    const server = await startServer((_request, response) => response.end('x'), HERE);
    const socket = connect(server.port, '127.0.0.1');
    socket.write(REQUEST);
    await new Promise((resolve) => socket.once('data', resolve));
    await expect(server.close(10_000)).resolves.toBe(true);
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
