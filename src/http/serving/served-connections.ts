import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { ConnectionGuard } from '../limits/connection-guard.ts';
import { isBodyUnread } from '../request/body-headers.ts';

/** Begins to serve a request. */
type Serve = (request: IncomingMessage, response: ServerResponse) => void;

/** A request that waits, or the last answer of a connection, which has none. */
interface Held {
  readonly request?: IncomingMessage;
  /** The bytes for which it counts in the guard. */
  readonly memory: number;
  readonly serve: () => void;
}

/** The state of an open connection. Its listeners and timers serve all answers: those of each would be many. */
interface Served {
  /** The answer under way, until the system has taken it for the client. */
  current: ServerResponse | undefined;
  /** The bytes for which that answer counts in the guard. */
  unread: number;
  /** The further requests that have come, in their order. */
  readonly held: Held[];
  /** When it came to rest, by `performance.now()`, and the bytes that it had sent by then. */
  restedAt: number;
  readAtRest: number;
  /** Ends the connection when no further request comes. */
  idleEnd: NodeJS.Timeout | undefined;
  /** Ends an answer that the client does not take in time, which would otherwise be kept for ever. */
  unreadEnd: NodeJS.Timeout | undefined;
  /** Listens to each answer: it is complete. */
  readonly completed: () => void;
  /** Listens to each answer: the client has it, or has left. */
  readonly taken: () => void;
}

/** Bytes of memory of a request that waits: without and for each of its headers, and the most of its body. */
const WAITING = { request: 4_096, header: 96, body: 65_536 };

/**
 * The open connections of a server with their requests. Each is served one request at a time (RFC 9112 §9.3.2), the
 * next one when the system has taken the answer: a client that does not read is owed one answer at most.
 */
export class ServedConnections {
  readonly #open = new Map<Socket, Served>();
  readonly #timeMs: { readonly nextRequest: number; readonly answer: number };
  readonly #guard: ConnectionGuard | undefined;
  #isEnding = false;

  /**
   * @param timeMs milliseconds from an answer within which the headers of the next request must be complete, and those
   *   in which a client must take an answer
   * @param guard bounds what all connections hold in memory
   */
  constructor(timeMs: { readonly nextRequest: number; readonly answer: number }, guard?: ConnectionGuard) {
    this.#timeMs = timeMs;
    this.#guard = guard;
  }

  /** Begins to track the server's connections. To be called before the server listens. */
  watch(server: Server): void {
    server.on('connection', (socket: Socket) => {
      const served: Served = {
        current: undefined,
        unread: 0,
        held: [],
        restedAt: performance.now(),
        readAtRest: 0,
        idleEnd: undefined,
        unreadEnd: undefined,
        completed: () => {
          this.#completed(socket, served);
        },
        taken: () => {
          this.#taken(socket, served);
        },
      };
      this.#open.set(socket, served);
      socket.once('close', () => {
        this.#open.delete(socket);
        clearTimeout(served.idleEnd);
        clearTimeout(served.unreadEnd);
        release(socket, served);
      });
      // Node resumes reading when an answer ends.
      socket.on('resume', () => {
        pauseWhileHeld(socket, served);
      });
    });
  }

  /**
   * Tracks a request. To be called for each request on arrival.
   * @param serve is called at once, or as soon as the earlier requests of its connection are answered
   */
  begin(request: IncomingMessage, response: ServerResponse, serve: Serve): void {
    const { socket } = request;
    const served = this.#open.get(socket);
    // A connection that has sent its last answer takes no further one.
    if (served === undefined || !socket.writable) {
      return;
    }
    if (served.current === undefined && served.held.length === 0) {
      this.#serve(request, served, response, serve);
      return;
    }
    const memory = memoryOf(request);
    served.held.push({
      request,
      memory,
      serve: () => {
        this.#guard?.hold(socket, -memory);
        this.#serve(request, served, response, serve);
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
    const end = setTimeout(() => socket.destroy(), this.#timeMs.nextRequest).unref();
    socket.once('close', () => {
      clearTimeout(end);
    });
  }

  /**
   * Announces the close in further answers: a client that sends a request into a closing connection could not know its
   * outcome.
   */
  end(): void {
    this.#isEnding = true;
    for (const { current, held } of this.#open.values()) {
      // With further requests the connection must outlive this answer.
      if (current !== undefined && held.length === 0) {
        current.shouldKeepAlive = false;
      }
    }
  }

  /** Closes the connections that have been at rest for so many milliseconds: no request, no answer, no part of one. */
  closeResting(milliseconds: number): void {
    const now = performance.now();
    for (const [socket, { current, held, restedAt, readAtRest }] of this.#open) {
      const isAtRest = current === undefined && held.length === 0 && socket.bytesRead === readAtRest;
      if (isAtRest && now - restedAt >= milliseconds) {
        socket.destroy();
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

  #serve(request: IncomingMessage, served: Served, response: ServerResponse, serve: Serve): void {
    served.current = response;
    if (this.#isEnding && served.held.length === 0) {
      response.shouldKeepAlive = false;
    }
    response.on('prefinish', served.completed).on('close', served.taken);
    serve(request, response);
  }

  #completed(socket: Socket, served: Served): void {
    const response = served.current;
    // A timer set after the end of the connection would keep it, with its requests, for all of its time.
    if (response === undefined || !this.#open.has(socket)) {
      return;
    }
    lingerAfterUnreadBody(response.req);
    served.unreadEnd ??= setTimeout(endUnread, this.#timeMs.answer, served).unref();
    served.unreadEnd.refresh();
    // A content with a tag is in the memory once, for all clients, unless it is of one of them alone.
    const isShared = response.hasHeader('ETag') && response.getHeader('Cache-Control') !== 'no-store';
    served.unread = isShared ? 0 : response.writableLength;
    if (served.unread > 0) {
      this.#guard?.hold(socket, served.unread);
    }
  }

  #taken(socket: Socket, served: Served): void {
    const { current, unread } = served;
    served.current = undefined;
    served.unread = 0;
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
      served.restedAt = performance.now();
      // After a body that is not read, the connection ends by itself.
      served.readAtRest = current?.req.complete === false ? -1 : socket.bytesRead;
      served.idleEnd ??= setTimeout(endIdle, this.#timeMs.nextRequest, socket, served).unref();
      served.idleEnd.refresh();
    }
  }
}

/**
 * Gives up the requests that wait on a closed connection. The one under way may take long yet, and leads to them: by its
 * listeners here, and by Node's to the connection's answers that have not begun.
 */
function release(socket: Socket, { current, held }: Served): void {
  held.length = 0;
  for (const event of ['data', 'end', 'close', 'drain']) {
    socket.removeAllListeners(event);
  }
  const beginsNext = current?.listeners('finish').find(({ name }) => name === 'bound resOnFinish');
  if (current !== undefined && beginsNext !== undefined) {
    current.removeListener('finish', beginsNext as () => void);
    Object.assign(current, { _onPendingData: () => undefined });
  }
}

/** The time of the connection's last answer is over. */
function endUnread({ current }: Served): void {
  if (current?.writableEnded === true) {
    current.destroy();
  }
}

/** The time from the connection's last answer is over. */
function endIdle(socket: Socket, { current, held }: Served): void {
  if (current === undefined && held.length === 0) {
    socket.destroy();
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

/** Milliseconds that a client has to close its side after an answer that it did not wait for. */
export const LINGER_MS = 1_000;

/**
 * Delivers an answer to a client that is still sending its body. Closing a socket with unread bytes resets the
 * connection and loses an answer in transit; so only one side is closed, and further bytes are dropped for a while.
 * To be called when the answer is complete.
 * @param timeoutMs milliseconds that the client has to close its side; default: 1 second
 */
export function lingerAfterUnreadBody(request: IncomingMessage, timeoutMs = LINGER_MS): void {
  if (!isBodyUnread(request)) {
    return;
  }
  const { socket } = request;
  // Node calls this after the last answer of a connection.
  socket.destroySoon = () => {
    socket.end();
    request.removeAllListeners('data').resume();
    const deadline = setTimeout(() => socket.destroy(), timeoutMs).unref();
    socket.once('close', () => {
      clearTimeout(deadline);
    });
  };
}
