import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { ConnectionGuard } from '../limits/connection-guard.ts';

/** A request that waits, or the last answer of a connection, which has none. */
interface Held {
  readonly request?: IncomingMessage;
  /** The bytes for which it counts in the guard. */
  readonly memory: number;
  readonly serve: () => void;
}

/** The state of an open connection. */
interface Served {
  /** The answer under way, until the system has taken it for the client. */
  current: ServerResponse | undefined;
  /** The further requests that have come, in their order. */
  readonly held: Held[];
  /** The timer that ends the connection when no further request comes. */
  idleEnd: NodeJS.Timeout | undefined;
}

/** Bytes of memory of a request that waits: without and for each of its headers, and the most of its body. */
const WAITING = { request: 4_096, header: 96, body: 65_536 };

/**
 * The open connections of a server with their requests. Each is served one request at a time (RFC 9112 §9.3.2), the
 * next one when the system has taken the answer: a client that does not read is owed one answer at most.
 */
export class ServedConnections {
  readonly #open = new Map<Socket, Served>();
  readonly #timeoutMs: number;
  readonly #guard: ConnectionGuard | undefined;
  #isEnding = false;

  /**
   * @param timeoutMs milliseconds from an answer within which the headers of the next request must be complete
   * @param guard bounds what all connections hold in memory
   */
  constructor(timeoutMs: number, guard?: ConnectionGuard) {
    this.#timeoutMs = timeoutMs;
    this.#guard = guard;
  }

  /** Begins to track the server's connections. To be called before the server listens. */
  watch(server: Server): void {
    server.on('connection', (socket: Socket) => {
      const served: Served = { current: undefined, held: [], idleEnd: undefined };
      this.#open.set(socket, served);
      socket.once('close', () => {
        this.#open.delete(socket);
        clearTimeout(served.idleEnd);
      });
      // Node resumes reading when an answer ends.
      socket.on('resume', () => {
        pauseWhileHeld(socket, served);
      });
    });
  }

  /**
   * Tracks a request. To be called for each request on arrival.
   * @param serve begins to serve it: at once, or as soon as the earlier requests of its connection are answered
   */
  begin(request: IncomingMessage, response: ServerResponse, serve: () => void): void {
    const { socket } = request;
    const served = this.#open.get(socket);
    // A connection that has sent its last answer takes no further one.
    if (served === undefined || !socket.writable) {
      return;
    }
    clearTimeout(served.idleEnd);
    if (served.current === undefined && served.held.length === 0) {
      this.#serve(socket, served, response, serve);
      return;
    }
    const memory = memoryOf(request);
    served.held.push({
      request,
      memory,
      serve: () => {
        this.#guard?.hold(socket, -memory);
        this.#serve(socket, served, response, serve);
      },
    });
    this.#guard?.hold(socket, memory);
    pauseWhileHeld(socket, served);
  }

  /**
   * Answers what is no request, or no whole one, when all earlier requests of the connection are answered. The
   * connection is ended after a while, whatever becomes of them.
   */
  answerLast(socket: Socket, answer: () => void): void {
    const served = this.#open.get(socket);
    if (served === undefined) {
      return;
    }
    const { current, held, idleEnd } = served;
    clearTimeout(idleEnd);
    this.#withdrawBroken(socket, held);
    if (current?.req.complete !== true && held.length === 0) {
      answer();
      return;
    }
    held.push({ memory: 0, serve: answer });
    socket.pause();
    const end = setTimeout(() => socket.destroy(), this.#timeoutMs).unref();
    socket.once('close', () => {
      clearTimeout(end);
    });
  }

  /**
   * Closes connections that have sent nothing yet, and announces the close in further answers: a client that sends a
   * request into a closing connection could not know its outcome.
   */
  end(): void {
    this.#isEnding = true;
    for (const [socket, { current, held }] of this.#open) {
      if (socket.bytesRead === 0) {
        socket.destroy();
      }
      // With further requests the connection must outlive this answer.
      if (current !== undefined && held.length === 0) {
        current.shouldKeepAlive = false;
      }
    }
  }

  /** Takes out the newest request if it will never be whole: serving it would never end. */
  #withdrawBroken(socket: Socket, held: Held[]): void {
    const newest = held.at(-1);
    if (newest?.request?.complete === false) {
      held.pop();
      this.#guard?.hold(socket, -newest.memory);
    }
  }

  #serve(socket: Socket, served: Served, response: ServerResponse, serve: () => void): void {
    served.current = response;
    if (this.#isEnding && served.held.length === 0) {
      response.shouldKeepAlive = false;
    }
    let unread = 0;
    response.once('prefinish', () => {
      // A content with a tag is in the memory once, for all clients, unless it is of one of them alone.
      const isShared = response.hasHeader('ETag') && response.getHeader('Cache-Control') !== 'no-store';
      unread = isShared ? 0 : response.writableLength;
      if (unread > 0) {
        this.#guard?.hold(socket, unread);
      }
    });
    response.once('close', () => {
      served.current = undefined;
      if (!this.#open.has(socket)) {
        return;
      }
      if (unread > 0) {
        this.#guard?.hold(socket, -unread);
      }
      if (served.held.length > 0) {
        // Many short answers of one client must not keep others waiting.
        setImmediate(serveNext, socket, served);
      } else {
        served.idleEnd = setTimeout(() => socket.destroy(), this.#timeoutMs).unref();
      }
    });
    serve();
  }
}

/** @returns the bytes of memory of a request that waits; of its body, no more has come than is read at once */
function memoryOf({ headers, rawHeaders }: IncomingMessage): number {
  const body =
    headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : WAITING.body;
  return WAITING.request + (WAITING.header * rawHeaders.length) / 2 + Math.min(body, WAITING.body);
}

function serveNext(socket: Socket, { held }: Served): void {
  const next = socket.writable ? held.shift() : undefined;
  if (next === undefined) {
    return;
  }
  next.serve();
  if (held.length === 0) {
    socket.resume();
  }
}

function pauseWhileHeld(socket: Socket, { held }: Served): void {
  if (held.length > 0 && !socket.isPaused()) {
    socket.pause();
  }
}
