import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EventChannel } from '../../src/http/event-channel.ts';
import { sendEvents } from '../../src/http/event-stream.ts';
import type { EventReply } from '../../src/http/reply.ts';
import type { Exchange } from '../../src/http/request/exchange.ts';

const server = createServer();

beforeEach(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

describe('a channel of events', () => {
  it('does not wait at its end for a client that takes nothing', async () => {
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    client.pause();
    client.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    const [, response] = (await once(server, 'request')) as [unknown, ServerResponse];
    const channel = new EventChannel(response);
    channel.send(`data: ${'x'.repeat(32_000_000)}\n\n`);
    expect(channel.isReady).toBe(false);
    const closed = once(response, 'close');
    channel.end('event: signed-out\ndata: {}\n\n');
    await closed;
    expect(response.writableFinished).toBe(false);
    client.destroy();
  });
});

describe('a stream of events', () => {
  it('is left once by a client that goes while it takes its place', async () => {
    const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
    client.on('error', () => undefined).write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    const [, response] = (await once(server, 'request')) as [unknown, ServerResponse];
    const calls: string[] = [];
    const open = (): ReturnType<EventReply['open']> => {
      response.socket?.destroy();
      return Promise.resolve({ begin: () => calls.push('begin'), left: () => calls.push('left') });
    };
    const closed = once(response, 'close');
    await sendEvents(response, { headers: {}, open }, { waitedMs: 0, isStream: false } as Exchange);
    await closed;
    expect(calls).toEqual(['left']);
  });
});
