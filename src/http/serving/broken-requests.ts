import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { Reported } from '../../kernel/bounded-work.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Log } from '../../kernel/log.ts';
import { decodeUtf8OrLatin1 } from '../request/charsets.ts';
import { LINGER_MS, type ServedConnections } from './served-connections.ts';

/** Is told of a request that cannot be read. @param client the address of the connection */
export type UnreadableNote = (reason: string, client: string) => void;

/** @returns a note that logs each reason of each client once a minute, and nothing that a client has sent */
export function logUnreadable({ log, clock }: { readonly log: Log; readonly clock: Clock }): UnreadableNote {
  const reported = new Reported({ clock });
  return (reason, client) => {
    if (reported.isNew(`${reason} ${client}`)) {
      log.warn('A request could not be read and was refused', { reason, client });
    }
  };
}

/** What node's parser tells of a request that it cannot read. */
interface BrokenRequest extends NodeJS.ErrnoException {
  /** Static words of the parser. */
  readonly reason?: string;
  /** The bytes that came together, and the place of the first that cannot be read. */
  readonly rawPacket?: Buffer;
  readonly bytesParsed?: number;
}

const STATUSES: Readonly<Record<string, readonly [status: string, reason: string]>> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'The headers are too large'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'The request did not come in time'],
};

const HEADERS: Readonly<Record<string, string>> = {
  Connection: 'close',
  'Cache-Control': 'no-store',
  Pragma: 'no-cache',
  'X-Content-Type-Options': 'nosniff',
  'Content-Type': 'text/plain; charset=utf-8',
};

/** Answers a request of HTTP/1.1 that names no host (RFC 9112 §3.2). */
export function refuseWithoutHost(
  { socket }: IncomingMessage,
  response: ServerResponse,
  unreadable: UnreadableNote,
): void {
  const reason = 'The header Host is missing';
  unreadable(reason, socket.remoteAddress ?? '');
  const body = `${reason}\n`;
  response.writeHead(400, { ...HEADERS, 'Content-Length': Buffer.byteLength(body) }).end(body);
}

/**
 * Answers input that is not HTTP, which reaches no other handler. A target with letters that are not percent-encoded, as
 * old clients send it, is mended and served.
 * @param served the connections: earlier requests of the same one are answered before
 * @returns the handler of node's `clientError`
 */
export function brokenRequestAnswer(
  server: Server,
  served: ServedConnections,
  unreadable: UnreadableNote,
): (error: BrokenRequest, socket: Socket) => void {
  const answered = new WeakSet<Socket>();
  return (error, socket) => {
    if (error.code === 'ECONNRESET' || !(socket.writable || answered.has(socket))) {
      socket.destroy();
      return;
    }
    if (answered.has(socket)) {
      return;
    }
    answered.add(socket);
    const mended = socket instanceof MendedConnection ? undefined : mendedTarget(error);
    if (mended !== undefined) {
      served.answerLast(socket, () => server.emit('connection', new MendedConnection(socket, mended)));
      return;
    }
    if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') {
      // A request that arrives after its time must not be served.
      socket.pause();
    }
    const [status, reason] = refusalOf(error);
    unreadable(reason, socket.remoteAddress ?? '');
    served.answerLast(socket, () => {
      endBroken(socket, status, `${reason}\n`);
    });
  };
}

function refusalOf({ code = '', reason = code }: BrokenRequest): readonly [status: string, reason: string] {
  return STATUSES[code] ?? ['400 Bad Request', `The request is not HTTP: ${reason}`];
}

function endBroken(socket: Socket, status: string, body: string): void {
  const headers = Object.entries({ ...HEADERS, 'Content-Length': String(Buffer.byteLength(body)) });
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status}\r\n${lines.join('')}\r\n${body}`);
  // Closing at once would lose the answer of a client that is still sending. A client may never close its side.
  const deadline = setTimeout(() => socket.destroy(), LINGER_MS).unref();
  socket.once('close', () => {
    clearTimeout(deadline);
  });
}

const [LINE_FEED, LAST_ASCII] = [0x0a, 0x7f];

/**
 * Percent-encodes the letters of a target that no URL may hold: read as UTF-8, else as Latin-1. Only bytes from 0x80 on,
 * and only within the target, are replaced: where the request ends is found by the strict parser, as ever. The methods
 * are none that another method ends with, so that a line whose beginning came before is not taken for a whole one.
 * @returns the bytes from the request on; undefined: it is broken otherwise, or its first line came in pieces
 */
function mendedTarget({ code, rawPacket, bytesParsed = 0 }: BrokenRequest): Buffer | undefined {
  if (code !== 'HPE_INVALID_URL' || rawPacket === undefined || (rawPacket[bytesParsed] ?? 0) <= LAST_ASCII) {
    return undefined;
  }
  const line = rawPacket.subarray(rawPacket.lastIndexOf(LINE_FEED, bytesParsed) + 1);
  // A line of any other form, a control within the target or none of its end in these bytes: nothing is guessed.
  const [, method = '', target] =
    /^((?:GET|HEAD|POST) )(\/[\x21-\x7e\x80-\xff]*) /.exec(line.toString('latin1')) ?? [];
  if (target === undefined) {
    return undefined;
  }
  const encoded = decodeUtf8OrLatin1(Buffer.from(target, 'latin1')).replace(
    /[^\0-\x7f]+/gu,
    encodeURIComponent,
  );
  return Buffer.concat([Buffer.from(method + encoded), line.subarray(method.length + target.length)]);
}

/** A connection from a mended request on. It serves that one only: the next needs a connection of its own. */
export class MendedConnection extends Duplex {
  readonly #socket: Socket;

  /** @param head the bytes that come before what the socket still receives */
  constructor(socket: Socket, head: Buffer) {
    super();
    this.#socket = socket;
    // The first parser must see no more: it would take the end of the request for the end of the connection.
    for (const event of ['data', 'end']) {
      socket.removeAllListeners(event);
    }
    socket.setTimeout(0);
    this.push(head);
    socket.on('data', (bytes: Buffer) => {
      if (!this.push(bytes)) {
        socket.pause();
      }
    });
    socket.once('end', () => this.push(null));
    socket.once('close', () => this.destroy());
  }

  get remoteAddress(): string | undefined {
    return this.#socket.remoteAddress;
  }

  /** Closes when all is sent; node calls it after the last answer. */
  destroySoon(): void {
    this.end(() => {
      this.#socket.destroySoon();
    });
  }

  override _read(): void {
    this.#socket.resume();
  }

  override _write(bytes: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#socket.write(bytes, done);
  }

  override _final(done: () => void): void {
    this.#socket.end(done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#socket.destroy();
    done(error);
  }
}
