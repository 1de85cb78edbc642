import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

const BODY = 'transactionid=1&pass=1';
const HEAD = [
  'POST /ocra/check_t HTTP/1.1',
  'Host: 127.0.0.1',
  'Content-Type: application/x-www-form-urlencoded',
  `Content-Length: ${BODY.length}`,
  'Connection: close',
  '',
  '',
].join('\r\n');

/** A request that stays at work for as long as the test wants: the end of its body is missing. */
export class HalfRequest {
  readonly #socket: Socket;
  readonly #answered: Promise<string>;

  private constructor(socket: Socket) {
    this.#socket = socket;
    this.#answered = answerOn(socket);
  }

  /** Sends all but the last byte to a server on 127.0.0.1. */
  static async begin(port: number): Promise<HalfRequest> {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    const request = new HalfRequest(socket);
    socket.write(HEAD + BODY.slice(0, -1));
    // The server reads the sent part before it answers another connection.
    await fetch(`http://127.0.0.1:${port}/healthz`, { headers: { Connection: 'close' } });
    return request;
  }

  /** Sends the last byte. @returns the server's whole answer; empty if it has cut the connection off */
  finish(): Promise<string> {
    this.#socket.write(BODY.slice(-1));
    return this.#answered;
  }

  /** @returns the same without that byte */
  answer(): Promise<string> {
    return this.#answered;
  }
}

async function answerOn(socket: Socket): Promise<string> {
  let text = '';
  socket.on('error', () => undefined);
  socket.on('data', (piece: Buffer) => (text += piece.toString('utf8')));
  await once(socket, 'close');
  return text;
}
