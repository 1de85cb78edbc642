import { afterEach, describe, expect, it } from '@jest/globals';
import { constants, generateKeyPairSync, privateDecrypt, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { connectMysql } from '../../src/linotp/sources/open-source.ts';

const PASSWORD = 'Größe: a:b@c/d';
const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const OK = Buffer.from([0, 0, 0, 2, 0, 0, 0]);
const DENIED = Buffer.concat([Buffer.from([0xff, 0x15, 0x04]), Buffer.from('#28000Access denied')]);
/** The hash of the password is not in the cache of the server. */
const FULL_LOGIN = Buffer.from([1, 4]);
const REQUEST_KEY = 2;
const QUERY = 3;

let server: Server | undefined;
afterEach(() => {
  server?.close();
});

function xor(text: Buffer, key: Buffer): Buffer {
  return Buffer.from(text.map((byte, place) => byte ^ (key[place % key.length] ?? 0)));
}

/** The first packet of MySQL 8.0: capabilities without TLS and compression, and its kind of login. */
function greeting(scramble: Buffer): Buffer {
  return Buffer.concat([
    Buffer.from('\x0a8.0.40\0', 'latin1'),
    Buffer.alloc(4, 1),
    scramble.subarray(0, 8),
    Buffer.from([0, 0xdf, 0xf7, 0xff, 2, 0, 0x08, 0, 21]),
    Buffer.alloc(10),
    scramble.subarray(8),
    Buffer.from('\0caching_sha2_password\0', 'latin1'),
  ]);
}

/** A server that lets a user with the password in. */
async function listen(): Promise<number> {
  server = createServer((socket) => {
    const scramble = Buffer.from(randomBytes(20).map((byte) => byte % 127 || 1));
    const answers = answersOf(scramble);
    let sequence = 0;
    const send = (content: Buffer): void => {
      const head = Buffer.alloc(4);
      head.writeUIntLE(content.length, 0, 3);
      head[3] = sequence;
      socket.write(Buffer.concat([head, content]));
    };
    send(greeting(scramble));
    onPackets(socket, (content, number) => {
      sequence = number + 1;
      const answer = answers(content);
      if (answer !== undefined) {
        send(answer);
      }
      // A failure of the login, or the end that the client asks for.
      if (answer === DENIED || answer === undefined) {
        socket.end();
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

function onPackets(socket: Socket, take: (content: Buffer, number: number) => void): void {
  let rest = Buffer.alloc(0);
  socket.on('error', () => undefined);
  socket.on('data', (data: Buffer) => {
    rest = Buffer.concat([rest, data]);
    while (rest.length >= 4 && rest.length >= 4 + rest.readUIntLE(0, 3)) {
      const end = 4 + rest.readUIntLE(0, 3);
      take(rest.subarray(4, end), rest[3] ?? 0);
      rest = rest.subarray(end);
    }
  });
}

function answersOf(scramble: Buffer): (content: Buffer) => Buffer | undefined {
  let state: 'login' | 'key' | 'password' | 'in' = 'login';
  return (content) => {
    if (state === 'login') {
      state = 'key';
      return FULL_LOGIN;
    }
    if (state === 'key') {
      state = 'password';
      expect(content).toEqual(Buffer.from([REQUEST_KEY]));
      return Buffer.concat([
        Buffer.from([1]),
        Buffer.from(publicKey.export({ type: 'spki', format: 'pem' })),
      ]);
    }
    if (state === 'password') {
      state = 'in';
      const padding = constants.RSA_PKCS1_OAEP_PADDING;
      const opened = xor(privateDecrypt({ key: privateKey, padding, oaepHash: 'sha1' }, content), scramble);
      return opened.toString('utf8') === `${PASSWORD}\0` ? OK : DENIED;
    }
    return content[0] === QUERY ? OK : undefined;
  };
}

const urlOf = (port: number, password = PASSWORD): string =>
  `mysql://linotp:${encodeURIComponent(password)}@127.0.0.1:${port}/linotp`;

describe('a login at MySQL by caching_sha2_password', () => {
  it('sends the password by the key of the server where TLS is off, and says so where it is wrong', async () => {
    const port = await listen();
    await (await connectMysql(urlOf(port))).close();
    await expect(connectMysql(urlOf(port, 'wrong'))).rejects.toThrow('Access denied');
  });
});
