import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { EventChannel } from '../../src/http/event-channel.ts';

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
