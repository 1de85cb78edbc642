import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** What is known of an open connection. */
interface Served {
  /** The answers that are still owed on it, in the order of their requests. */
  readonly owed: Set<ServerResponse>;
  /** What begins the last requests of them, which wait for those before. */
  readonly held: (() => void)[];
  /** What ends it when no further request comes. */
  idleEnd: NodeJS.Timeout | undefined;
}

/** So many requests of one connection are served at a time; while more are there, no further ones are read. */
const MAX_SERVED = 50;

/** The open connections of a server, with the answers that are owed on each: node tells only of the first of them. */
export class ServedConnections {
  readonly #open = new Map<Socket, Served>();
  readonly #patience: number;
  #isEnding = false;

  /** @param patience milliseconds from an answer in which the next request must have its headers, blank lines or not */
  constructor(patience: number) {
    this.#patience = patience;
  }

  /** To be called before the server listens. */
  watch(server: Server): void {
    server.on('connection', (socket: Socket) => {
      const served: Served = { owed: new Set(), held: [], idleEnd: undefined };
      this.#open.set(socket, served);
      socket.once('close', () => {
        this.#forget(socket);
      });
      // Whatever ends in the meantime makes node read on.
      socket.on('resume', () => {
        pauseWhileHeld(socket, served);
      });
    });
  }

  /**
   * To be called for each request when it comes.
   * @param serve begins to serve it: at once, or as soon as enough of those before it on its connection are answered
   */
  begin({ socket }: IncomingMessage, response: ServerResponse, serve: () => void): void {
    const served = this.#open.get(socket);
    // Nothing can be answered on a connection whose last answer is out.
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
        served.idleEnd = setTimeout(() => socket.destroy(), this.#patience).unref();
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
   * From now on clients are told not to use their connection any further: one that would send its next request into a
   * connection that is being closed could not know what became of it. What has said nothing yet is ended.
   */
  end(): void {
    this.#isEnding = true;
    for (const [socket, { owed }] of this.#open) {
      if (socket.bytesRead === 0) {
        socket.destroy();
      }
      // Where more are owed, the connection must outlive the first one.
      if (owed.size === 1) {
        owed.forEach((response) => (response.shouldKeepAlive = false));
      }
    }
  }

  /** Answers that were waiting behind others would never learn that nobody waits for them any more. */
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
