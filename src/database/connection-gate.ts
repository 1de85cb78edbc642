import { Socket } from 'node:net';

import type { ServiceError } from '../kernel/errors.ts';
import { DatabaseUnavailable } from './database-faults.ts';

/** The longest wait for a statement of long work, in milliseconds: a day. */
const MAX_WORK_MS = 86_400_000;

/**
 * Stands before a pool. While the database is known to be away, it refuses connections at once, so that no work waits.
 * It knows the pool's sockets and can cut the dead ones.
 */
export class ConnectionGate {
  readonly #sockets = new Set<Socket>();
  readonly #inside = new Set<(fault: ServiceError) => void>();
  #reason: string | undefined;
  #listener: () => void = () => undefined;
  #isExhausted = false;
  #longestStatement = 0;
  #longestWork = 0;

  /** The reason for which connections are refused; undefined while they are not. */
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
   * Sets how long the answer to a statement may take before its connection is ended. It is meant to be longer than the
   * time after which the database itself ends a statement. Before this call, statements may take any time.
   * @param longWork for statements without a limit in the database (`beginLongWork`): longer than any such work takes.
   *   The watch and the system's TCP notice a dead connection sooner; this is for a server that lives and never answers
   */
  limitStatements(milliseconds: number, longWork = MAX_WORK_MS): void {
    this.#longestStatement = milliseconds;
    this.#longestWork = longWork;
  }

  /**
   * @param end ends the connection on which `answer` is awaited, so that it fails
   * @returns `answer`
   */
  async bounded<Answer>(answer: Promise<Answer>, end: () => void, isLong: boolean): Promise<Answer> {
    const limit = isLong ? this.#longestWork : this.#longestStatement;
    const timer = limit > 0 ? setTimeout(end, limit).unref() : undefined;
    try {
      return await answer;
    } finally {
      clearTimeout(timer);
    }
  }

  /** @param listener is called at each trouble with the database. One only; must not throw */
  onTrouble(listener: () => void): void {
    this.#listener = listener;
  }

  reportTrouble(): void {
    this.#listener();
  }

  /** Refuses connections, also to work that already waits for one. @param reason for clients */
  shut(reason: string): void {
    this.#reason = reason;
    for (const refuse of [...this.#inside]) {
      refuse(new DatabaseUnavailable(reason));
    }
  }

  open(): void {
    this.#reason = undefined;
  }

  /** Ends every connection of the pool, also those not yet established. Running statements fail at once. */
  cut(): void {
    for (const socket of [...this.#sockets]) {
      socket.destroy();
    }
  }

  /**
   * Waits for a connection only while there is hope: not while the gate is shut, and not behind others after the last
   * wait was in vain.
   * @param acquire takes a connection from the pool
   * @param waiting the number of waiters
   * @param giveBack returns a connection that arrives after the refusal
   * @throws ServiceError 'database.unavailable', or what `acquire` throws
   */
  async pass<Connection>(
    acquire: () => Promise<Connection>,
    waiting: number,
    giveBack: (connection: Connection) => void,
  ): Promise<Connection> {
    if (this.#reason !== undefined) {
      // Has no detail: the watch has logged it.
      throw new DatabaseUnavailable(this.#reason);
    }
    if (this.#isExhausted && waiting > 0) {
      throw new DatabaseUnavailable('no connection became free in time');
    }
    const acquired = acquire();
    const connection = await this.#orRefused(acquired, giveBack);
    this.#isExhausted = false;
    return connection;
  }

  /** Records a wait in vain: from now on one caller waits at a time, until one gets a connection. */
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
