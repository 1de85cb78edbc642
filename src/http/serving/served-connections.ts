import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** The state of an open connection. */
interface Served {
  /** The outstanding answers, in the order of their requests. */
  readonly owed: Set<ServerResponse>;
  /** Functions that begin to serve the last requests, which wait for earlier ones. */
  readonly held: (() => void)[];
  /** The timer that ends the connection when no further request comes. */
  idleEnd: NodeJS.Timeout | undefined;
}

/** The most requests of one connection that are served at a time; while more are waiting, no further ones are read. */
const MAX_SERVED = 50;

/** The open connections of a server with their outstanding answers. Node exposes only the first answer of each. */
export class ServedConnections {
  readonly #open = new Map<Socket, Served>();
  readonly #timeoutMs: number;
  #isEnding = false;

  /** @param timeoutMs milliseconds from an answer within which the headers of the next request must be complete */
  constructor(timeoutMs: number) {
    this.#timeoutMs = timeoutMs;
  }

  /** Begins to track the server's connections. To be called before the server listens. */
  watch(server: Server): void {
    server.on('connection', (socket: Socket) => {
      const served: Served = { owed: new Set(), held: [], idleEnd: undefined };
      this.#open.set(socket, served);
      socket.once('close', () => {
        this.#forget(socket);
      });
      // Node resumes reading when an answer ends.
      socket.on('resume', () => {
        pauseWhileHeld(socket, served);
      });
    });
  }

  /**
   * Tracks a request. To be called for each request on arrival.
   * @param serve begins to serve it: at once, or as soon as enough earlier requests of its connection are answered
   */
  begin({ socket }: IncomingMessage, response: ServerResponse, serve: () => void): void {
    const served = this.#open.get(socket);
    // A connection that has sent its last answer takes no further one.
    if (served === undefined || !socket.writable) {
      return;
    }
    clearTimeout(served.idleEnd);
    if (this.#isEnding && served.owed.size === 0) {
      response.shouldKeepAlive = false;
    }
    served.owed.add(response);
    response.once('close', () => {
      served.owed.delete(response);
      if (!this.#open.has(socket)) {
        return;
      }
      serveNext(socket, served);
      if (served.owed.size === 0) {
        served.idleEnd = setTimeout(() => socket.destroy(), this.#timeoutMs).unref();
      }
    });
    if (served.owed.size > MAX_SERVED) {
      served.held.push(serve);
      pauseWhileHeld(socket, served);
    } else {
      serve();
    }
  }

  /**
   * Closes connections that have sent nothing yet, and announces the close in further answers: a client that sends a
   * request into a closing connection could not know its outcome.
   */
  end(): void {
    this.#isEnding = true;
    for (const [socket, { owed }] of this.#open) {
      if (socket.bytesRead === 0) {
        socket.destroy();
      }
      // With several outstanding answers the connection must outlive the first one.
      if (owed.size === 1) {
        owed.forEach((response) => (response.shouldKeepAlive = false));
      }
    }
  }

  /** Closes the answers that waited behind others: node does not notify them of the end of the connection. */
  #forget(socket: Socket): void {
    const served = this.#open.get(socket);
    this.#open.delete(socket);
    clearTimeout(served?.idleEnd);
    for (const response of served?.owed ?? []) {
      if (response.socket === null) {
        response.destroy();
        response.emit('close');
      }
    }
  }
}

function serveNext(socket: Socket, { held }: Served): void {
  const serve = held.shift();
  if (serve === undefined || !socket.writable) {
    return;
  }
  serve();
  if (held.length === 0) {
    socket.resume();
  }
}

function pauseWhileHeld(socket: Socket, { held }: Served): void {
  if (held.length > 0) {
    socket.pause();
  }
}
