import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** An answer, complete or not. */
export interface FuzzAnswer {
  readonly status: number;
  /** Headers by their names in lower case. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
}

/**
 * Milliseconds without an answer after which the server counts as hanging: fewer than the 30 s after which it gives up a
 * request by itself.
 */
const TIMEOUT_MS = 25_000;

/** A client that keeps its connection while the server allows it, and checks that each request has one answer. */
export class FuzzClient {
  readonly #port: number;
  #socket: Socket | undefined;

  constructor(port: number) {
    this.#port = port;
  }

  /**
   * @param bytes a whole request
   * @throws Error without an answer, or with more than one
   */
  async ask(bytes: Buffer, method: string): Promise<FuzzAnswer> {
    const socket = this.#socket?.writable === true ? this.#socket : await open(this.#port);
    this.#socket = socket;
    const { answer, left } = await new Promise<Parsed>((resolve, reject) => {
      let received = Buffer.alloc(0);
      const settle = (act: () => void): void => {
        clearTimeout(deadline);
        socket.removeAllListeners('data').removeAllListeners('close');
        act();
      };
      const look = (ended: boolean): void => {
        const parsed = parseAnswer(received, method);
        if (parsed !== undefined) {
          settle(() => {
            resolve(parsed);
          });
        } else if (ended) {
          settle(() => {
            reject(new Error(`no answer but ${received.length} bytes`));
          });
        }
      };
      const deadline = setTimeout(() => {
        settle(() => {
          reject(new Error('no answer in time'));
        });
        socket.destroy();
      }, TIMEOUT_MS);
      socket.on('data', (piece: Buffer) => {
        received = Buffer.concat([received, piece]);
        look(false);
      });
      socket.on('close', () => {
        look(true);
      });
      socket.write(bytes);
    });
    if (left > 0) {
      throw new Error(`${left} bytes after the answer`);
    }
    if (answer.headers.get('connection')?.toLowerCase() === 'close') {
      this.close();
    }
    return answer;
  }

  close(): void {
    this.#socket?.destroy();
    this.#socket = undefined;
  }
}

/**
 * Sends bytes that may be no HTTP, and nothing else.
 * @returns all answers until the server closes the connection, possibly none
 * @throws Error if it does not close it
 */
export async function sendBroken(port: number, bytes: Buffer): Promise<readonly FuzzAnswer[]> {
  const socket = await open(port);
  const pieces: Buffer[] = [];
  socket.on('data', (piece: Buffer) => pieces.push(piece));
  const closed = once(socket, 'close', { signal: AbortSignal.timeout(TIMEOUT_MS) });
  socket.end(bytes);
  try {
    await closed;
  } catch {
    throw new Error('the connection stays open');
  } finally {
    socket.destroy();
  }
  const answers: FuzzAnswer[] = [];
  let received = Buffer.concat(pieces);
  for (;;) {
    // The request may have been a HEAD: then the head is the whole answer.
    const parsed = parseAnswer(received, 'GET') ?? parseAnswer(received, 'HEAD');
    if (parsed === undefined) {
      return answers;
    }
    answers.push(parsed.answer);
    received = received.subarray(received.length - parsed.left);
  }
}

async function open(port: number): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', noDelay: true });
  await once(socket, 'connect', { signal: AbortSignal.timeout(TIMEOUT_MS) });
  // Only the received bytes count; a reset by the server after its answer is ignored.
  socket.on('error', () => undefined);
  return socket;
}

interface Parsed {
  readonly answer: FuzzAnswer;
  /** The number of bytes after it. */
  readonly left: number;
}

/** @returns undefined while it is incomplete */
function parseAnswer(received: Buffer, method: string): Parsed | undefined {
  const end = received.indexOf('\r\n\r\n');
  if (end === -1) {
    return undefined;
  }
  const [first = '', ...lines] = received.subarray(0, end).toString('latin1').split('\r\n');
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1] ?? Number.NaN);
  if (status === 100) {
    return parseAnswer(received.subarray(end + 4), method);
  }
  const headers = new Map(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
    }),
  );
  const from = end + 4;
  const to = method === 'HEAD' || status === 204 || status === 304 ? from : bodyEnd(received, from, headers);
  return to === undefined
    ? undefined
    : { answer: { status, headers, body: received.subarray(from, to) }, left: received.length - to };
}

/** Answers in chunks are Node's own, with none (417), and exports. */
function bodyEnd(received: Buffer, from: number, headers: FuzzAnswer['headers']): number | undefined {
  if (headers.get('transfer-encoding') === 'chunked') {
    const last = received.indexOf('0\r\n\r\n', from);
    return last === -1 ? undefined : last + 5;
  }
  const to = from + Number(headers.get('content-length') ?? 0);
  return to > received.length ? undefined : to;
}
