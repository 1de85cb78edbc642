import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** What is known of an open connection. */
interface Served {
  /** The answers that are still owed on it, in the order of their requests. */
  readonly owed: Set<ServerResponse>;
  /** What ends it when no further request comes. */
  idleEnd: NodeJS.Timeout | undefined;
}

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
      this.#open.set(socket, { owed: new Set(), idleEnd: undefined });
      socket.once('close', () => {
        this.#forget(socket);
      });
    });
  }

  /** To be called for each request when it comes. */
  begin({ socket }: IncomingMessage, response: ServerResponse): void {
    const served = this.#open.get(socket);
    if (served === undefined) {
      return;
    }
    clearTimeout(served.idleEnd);
    if (this.#isEnding && served.owed.size === 0) {
      response.shouldKeepAlive = false;
    }
    served.owed.add(response);
    response.once('close', () => {
      served.owed.delete(response);
      if (served.owed.size === 0 && this.#open.has(socket)) {
        served.idleEnd = setTimeout(() => socket.destroy(), this.#patience).unref();
      }
    });
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
