import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';

/** A server that accepts every connection and never answers, as a hanging one. */
export interface SilentServer {
  readonly port: number;
  /** @returns the number of connections so far */
  readonly connections: () => number;
  /** Resolves once that many connections have been made. */
  readonly connected: (number: number) => Promise<void>;
  /** Ends all connections. */
  readonly stop: () => Promise<void>;
}

/** @param port a port of 127.0.0.1; default: a free one */
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
