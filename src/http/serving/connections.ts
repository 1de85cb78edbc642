import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { KeyedCounts } from '../../kernel/bounded-work.ts';
import type { LimitReporter } from '../limits/limit-reporter.ts';
import { clientAddress, clientNetwork } from '../limits/networks.ts';

/** The limits on the open connections of a server. */
export interface ConnectionLimits {
  readonly refusals: Pick<LimitReporter, 'note'>;
  /** The most open connections. */
  readonly max: number;
  /** True for a proxy or an exempt client, whose connections are counted in the total only. */
  readonly isExempt: (address: string) => boolean;
}

/** The share of the connections that one client may take, so that it cannot take the places of all others. */
const CLIENT_SHARE = 1 / 4;
/** The share above which places are scarce: each answer is then the last of its connection. */
const CROWDED_SHARE = 3 / 4;

/** Requests without an answer behind another one at which a connection is cut off: Node keeps each in memory. */
const MAX_UNSERVED = 16;

/** An open connection. */
interface Connection {
  /** The answer to its newest request that is served. */
  answer: ServerResponse | undefined;
  /** Requests that came before that answer was given. */
  unserved: number;
  /** When it was seen at rest first, by `performance.now()`, and the bytes that had come by then. */
  restsSince: number;
  bytesRead: number;
}

/** The open connections of a server. Each serves one request at a time: there is no pipelining. */
export class Connections {
  readonly #open = new Map<Socket, Connection>();
  readonly #byClient = new KeyedCounts();
  readonly #limits: ConnectionLimits | undefined;
  #isEnding = false;

  /**
   * @param server does not listen yet
   * @param limits undefined: connections are limited by the system alone
   */
  constructor(server: Server, limits?: ConnectionLimits) {
    this.#limits = limits;
    server.on('connection', (socket: Socket) => {
      this.#opened(socket);
    });
    if (limits !== undefined) {
      server.maxConnections = limits.max;
      server.on('drop', () => {
        limits.refusals.note('connections', undefined, 0);
      });
    }
  }

  /**
   * To be called for each request.
   * @returns false where it is not to be served: it came before the answer to the one before it, with which the
   *   connection ends
   */
  admit({ socket }: IncomingMessage, response: ServerResponse): boolean {
    const connection = this.#open.get(socket);
    if (connection === undefined || !socket.writable) {
      return false;
    }
    const { answer } = connection;
    if (answer !== undefined && !(answer.writableFinished && answer.shouldKeepAlive)) {
      closeAfter(answer, socket, connection);
      return false;
    }
    connection.answer = response;
    if (this.#isEnding || this.#isCrowded()) {
      response.shouldKeepAlive = false;
    }
    return true;
  }

  /** Answers what cannot be read, unless another answer is under way. It is the last one of the connection. */
  refuse(socket: Socket, status: string): void {
    const connection = this.#open.get(socket);
    const answer = connection?.answer;
    if (connection !== undefined && answer?.req.complete === true && !answer.writableFinished) {
      closeAfter(answer, socket, connection);
      return;
    }
    const isAnswered = answer?.req.complete === false && answer.headersSent;
    if (socket.writable && !isAnswered) {
      // A content could belong to the answer to HEAD, which has none.
      socket.write(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
    }
    socket.destroySoon();
  }

  /**
   * Announces the close in further answers: a client that sends a request into a closing connection could not know its
   * outcome.
   */
  end(): void {
    this.#isEnding = true;
    for (const { answer } of this.#open.values()) {
      if (answer?.headersSent === false) {
        answer.shouldKeepAlive = false;
      }
    }
  }

  /** Closes the connections that have been at rest for so many milliseconds: no request, no answer, no part of one. */
  closeResting(milliseconds: number): void {
    const now = performance.now();
    for (const [socket, connection] of this.#open) {
      const { answer } = connection;
      const isServing = answer !== undefined && !(answer.writableFinished && answer.req.complete);
      if (isServing || socket.bytesRead !== connection.bytesRead) {
        connection.restsSince = now;
        connection.bytesRead = socket.bytesRead;
      }
      if (!isServing && now - connection.restsSince >= milliseconds) {
        socket.destroy();
      }
    }
  }

  #opened(socket: Socket): void {
    const connection = { answer: undefined, unserved: 0, restsSince: performance.now(), bytesRead: 0 };
    this.#open.set(socket, connection);
    socket.once('close', () => {
      this.#open.delete(socket);
    });
    const address = clientAddress(socket.remoteAddress);
    if (this.#limits === undefined || this.#limits.isExempt(address)) {
      return;
    }
    const { max, refusals } = this.#limits;
    const network = clientNetwork(address);
    if (this.#byClient.of(network) >= Math.max(1, Math.floor(max * CLIENT_SHARE))) {
      refusals.note('connections', network, 0);
      socket.destroy();
      return;
    }
    this.#byClient.change(network, 1);
    socket.once('close', () => {
      this.#byClient.change(network, -1);
    });
  }

  #isCrowded(): boolean {
    return this.#limits !== undefined && this.#open.size > this.#limits.max * CROWDED_SHARE;
  }
}

function closeAfter(answer: ServerResponse, socket: Socket, connection: Connection): void {
  connection.unserved += 1;
  if (connection.unserved > MAX_UNSERVED) {
    socket.destroy();
  } else if (connection.unserved === 1) {
    answer.shouldKeepAlive = false;
    // Its headers may have been sent already.
    answer.once('finish', () => {
      socket.destroySoon();
    });
  }
}
