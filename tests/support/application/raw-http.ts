import { connect } from 'node:net';
import type { RequestListener } from 'node:http';
import { type ServerOptions, startServer } from '../../../src/http/serving/server.ts';

/**
 * Sends bytes that no client library would send.
 * @returns all bytes that come back until the connection ends
 */
export async function sendRaw(
  listener: RequestListener,
  bytes: string | Buffer,
  options: Partial<ServerOptions> = {},
): Promise<string> {
  const server = await startServer(listener, { host: '127.0.0.1', port: 0, ...options });
  try {
    const socket = connect(server.port, '127.0.0.1');
    socket.write(bytes);
    return Buffer.concat((await socket.toArray()) as Buffer[]).toString('latin1');
  } finally {
    await server.close(1_000);
  }
}
