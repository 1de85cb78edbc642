import { connect } from 'node:net';
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import { EventChannel } from '../../src/http/event-channel.ts';

describe('a channel of events', () => {
  it('is not ready while the client takes nothing, and is again when it does', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1').pause();
    socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n');
    const [, response] = (await once(server, 'request')) as [unknown, ServerResponse];
    const channel = new EventChannel(response);
    let sent = 0;
    while (channel.isReady && sent < 10_000) {
      channel.send('x'.repeat(65_536));
      sent += 1;
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(channel.isReady).toBe(false);
    expect(response.writableLength).toBeLessThan(200_000);
    socket.resume();
    await once(response, 'drain');
    expect(channel.isReady).toBe(true);
    channel.cutOff();
    await once(socket, 'close');
    expect(channel.isReady).toBe(false);
    channel.send('after');
    server.close();
  });
});
