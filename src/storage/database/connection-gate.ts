import { Socket } from 'node:net';

import { ServiceError } from '../../kernel/errors.ts';

/** How long a statement of long work is waited for, in milliseconds: a day. */
const MAX_WORK_MS = 86_400_000;

/**
 * Stands before a pool. While the database is known to be away, it refuses connections at once instead of letting work
 * wait. It knows the pool's sockets, so that it can cut those that lead nowhere.
 */
export class ConnectionGate {
  readonly #sockets = new Set<Socket>();
  readonly #inside = new Set<(fault: ServiceError) => void>();
  #reason: string | undefined;
  #listener: () => void = () => undefined;
  #isExhausted = false;
  #longestStatement = 0;
  #longestWork = 0;

  /** Why connections are refused; undefined while they are not. */
  get reason(): string | undefined {
    return this.#reason;
  }

  /** @returns a socket for a new connection, not yet connected; fits the option `stream` of pg */
  readonly newSocket = (): Socket => {
    const socket = new Socket();
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    return socket;
  };

  /**
   * From now on, a connection on which a statement is not answered for so long is ended: nothing will come any more, where
   * the database itself ends each statement sooner. Until this is called, statements may take any time.
   * @param longWork for what the database lets run on (`beginLongWork`): longer than any such work takes. Of a connection that
   *   leads nowhere the watch and the system's TCP know sooner; this is for a server that lives and never answers
   */
  limitStatements(milliseconds: number, longWork = MAX_WORK_MS): void {
    this.#longestStatement = milliseconds;
    this.#longestWork = longWork;
  }

  /** @param end ends the connection on which `answer` is awaited, so that it fails. @returns `answer` */
  async bounded<Answer>(answer: Promise<Answer>, end: () => void, isLong: boolean): Promise<Answer> {
    const limit = isLong ? this.#longestWork : this.#longestStatement;
    const timer = limit > 0 ? setTimeout(end, limit).unref() : undefined;
    try {
      return await answer;
    } finally {
      clearTimeout(timer);
    }
  }

  /** @param listener is called when work had trouble with the database. One only; must not throw */
  onTrouble(listener: () => void): void {
    this.#listener = listener;
  }

  /** To be called for each fault that looks as if the database were away. */
  reportTrouble(): void {
    this.#listener();
  }

  /** Also refuses work that waits for a connection. @param reason for clients */
  shut(reason: string): void {
    this.#reason = reason;
    for (const refuse of [...this.#inside]) {
      refuse(unavailable(reason));
    }
  }

  open(): void {
    this.#reason = undefined;
  }

  /** Ends every connection of the pool, also those that are being made. Statements that run there fail at once. */
  cut(): void {
    for (const socket of [...this.#sockets]) {
      socket.destroy();
    }
  }

  /**
   * Waits for a connection, but not longer than there is hope: not while the gate is shut, and not behind others when the
   * last one that waited did so in vain.
   * @param acquire takes a connection from the pool
   * @param waiting how many wait for one
   * @param giveBack takes back a connection that comes after the refusal
   * @throws ServiceError 'database.unavailable', or what `acquire` throws
   */
  async pass<Connection>(
    acquire: () => Promise<Connection>,
    waiting: number,
    giveBack: (connection: Connection) => void,
  ): Promise<Connection> {
    if (this.#reason !== undefined) {
      throw unavailable(this.#reason);
    }
    if (this.#isExhausted && waiting > 0) {
      throw unavailable('no connection became free in time');
    }
    const acquired = acquire();
    const connection = await this.#orRefused(acquired, giveBack);
    this.#isExhausted = false;
    return connection;
  }

  /** Work has waited in vain: from now on one waits at a time, until one gets a connection. */
  noteExhaustion(): void {
    this.#isExhausted = true;
  }

  async #orRefused<Connection>(
    acquired: Promise<Connection>,
    giveBack: (connection: Connection) => void,
  ): Promise<Connection> {
    let refuse: (fault: ServiceError) => void = () => undefined;
    const refused = new Promise<never>((_resolve, reject) => {
      refuse = (fault) => {
        acquired.then(giveBack, () => undefined);
        reject(fault);
      };
    });
    this.#inside.add(refuse);
    try {
      return await Promise.race([acquired, refused]);
    } finally {
      this.#inside.delete(refuse);
    }
  }
}

/** Without a detail: the watch has logged it. */
function unavailable(reason: string): ServiceError {
  return new ServiceError('database.unavailable', `the database is not available: ${reason}`);
}
