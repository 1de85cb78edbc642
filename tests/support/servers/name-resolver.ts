import { createSocket } from 'node:dgram';
import { once } from 'node:events';

/** A resolver of names on 127.0.0.1. */
export interface NameResolver {
  readonly port: number;
  close(): void;
}

/** As that of Docker's networks: each name has the present addresses. */
export async function startNameResolver(addresses: () => readonly string[]): Promise<NameResolver> {
  const socket = createSocket('udp4');
  socket.on('message', (query, { port, address }) => {
    const end = query.indexOf(0, 12) + 5;
    // Type A; there are none of type AAAA.
    const found = query.readUInt16BE(end - 4) === 1 ? addresses() : [];
    const head = Buffer.from(query.subarray(0, 12));
    // A response, with one question and these answers.
    [0x8580, 1, found.length, 0, 0].forEach((word, index) => head.writeUInt16BE(word, 2 + 2 * index));
    const records = found.map((one) =>
      Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 1, 0, 4, ...one.split('.').map(Number)]),
    );
    socket.send(Buffer.concat([head, query.subarray(12, end), ...records]), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return { port: socket.address().port, close: () => socket.close() };
}
