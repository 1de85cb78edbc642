import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

const BODY = 'transactionid=1&pass=1';
const HEAD = [
  'POST /ocra/check_t HTTP/1.1',
  'Host: 127.0.0.1',
  'Content-Type: application/x-www-form-urlencoded',
  `Content-Length: ${BODY.length}`,
  // Answered when the server has read the head: from then on the request is at work.
  'Expect: 100-continue',
  'Connection: close',
  '',
  '',
].join('\r\n');
const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n';

/** A request that stays at work for as long as the test wants: the end of its body is missing. */
export class HalfRequest {
  readonly #socket: Socket;
  readonly #answered: Promise<string>;

  private constructor(socket: Socket) {
    this.#socket = socket;
    this.#answered = answerOn(socket);
  }

  /** Sends all but the last byte to a server on 127.0.0.1, and waits until it has begun with the request. */
  static async begin(port: number): Promise<HalfRequest> {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    socket.write(HEAD);
    await continued(socket);
    socket.write(BODY.slice(0, -1));
    return new HalfRequest(socket);
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

async function continued(socket: Socket): Promise<void> {
  let text = '';
  while (text.length < CONTINUE.length) {
    const [piece] = (await once(socket, 'data')) as [Buffer];
    text += piece.toString('latin1');
  }
  if (text !== CONTINUE) {
    throw new Error(`The server answered without the body: ${text}`);
  }
}

async function answerOn(socket: Socket): Promise<string> {
  let text = '';
  socket.on('error', () => undefined);
  socket.on('data', (piece: Buffer) => (text += piece.toString('utf8')));
  await new Promise((resolve) => socket.once('close', resolve));
  return text;
}
