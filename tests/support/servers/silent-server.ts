import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

/** Takes every connection and never says a word, as a server that hangs does. */
export interface SilentServer {
  readonly port: number;
  /** How many connections have been made to it. */
  readonly connections: () => number;
  /** Resolves once that many connections have been made. */
  readonly connected: (number: number) => Promise<void>;
  /** Ends all connections. */
  readonly stop: () => Promise<void>;
}

/** @param port a port of 127.0.0.1; a free one unless told */
export async function startSilentServer(port = 0): Promise<SilentServer> {
  const sockets: Socket[] = [];
  const server = createServer((socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined);
    server.emit('another');
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    connections: () => sockets.length,
    connected: async (number) => {
      while (sockets.length < number) {
        await once(server, 'another');
      }
    },
    stop: async () => {
      const closed = once(server, 'close');
      server.close();
      sockets.forEach((socket) => socket.destroy());
      await closed;
    },
  };
}
