import knex from 'knex';
import type { Knex } from 'knex';

import type { SqlSettings } from '../../settings/sql-settings.ts';
import type { Log } from '../../../kernel/log.ts';
import { withTimeLimit } from '../../../kernel/bounded-work.ts';
import { connectionTo, prepareConnection, type RawConnection } from './sql-connection.ts';
import { SqlDelay } from './sql-fault.ts';

/** Enough for concurrent log-ins; a resolver that hangs must not collect connections. */
const MAX_CONNECTIONS = 4;
/** Milliseconds. */
const IDLE_TIMEOUT_MS = 30_000;
/** Milliseconds between the server's own time-out of a statement and ours. */
const DRIVER_TIMEOUT_MARGIN_MS = 250;

interface SqlPoolOptions {
  /** The resolver's name. */
  readonly resolver: string;
  readonly settings: SqlSettings;
  /** The password to log in with; requested for each connection. */
  readonly password: () => Promise<string>;
  /** Milliseconds for an answer, including the wait for a connection. */
  readonly timeoutMs: number;
  readonly log: Log;
}

interface OpenPool {
  readonly knex: Knex;
  readonly connections: Set<RawConnection>;
}

/** A small pool of read-only connections to a foreign database, made when they are needed. */
export class SqlPool {
  readonly #deps: SqlPoolOptions;
  #open: OpenPool | undefined;

  constructor(options: SqlPoolOptions) {
    this.#deps = options;
  }

  /**
   * Runs statements in a read-only transaction.
   * @throws SqlDelay after the time limit; all connections are then given up, as none of them can be trusted to answer.
   *   Other errors of the driver are passed on
   */
  async read<Value>(work: (transaction: Knex.Transaction) => Promise<Value>): Promise<Value> {
    const { timeoutMs } = this.#deps;
    this.#open ??= this.#connect();
    const open = this.#open;
    const working = open.knex.transaction(
      async (transaction) => {
        await this.#prepare(transaction);
        return work(transaction);
      },
      { readOnly: true },
    );
    try {
      return await withTimeLimit(timeoutMs, working, () => new SqlDelay(timeoutMs));
    } catch (cause) {
      if (cause instanceof SqlDelay) {
        this.#giveUp(open);
      }
      throw cause;
    }
  }

  /** Lets running work finish, then closes the connections. */
  async close(): Promise<void> {
    const open = this.#open;
    this.#open = undefined;
    await open?.knex.destroy();
  }

  /**
   * Sets the time limit, and the forms of values as texts, for this transaction only: poolers before PostgreSQL reuse
   * connections with their settings. The time zone stays, as conditions depend on it.
   */
  async #prepare(transaction: Knex.Transaction): Promise<void> {
    if (this.#deps.settings.database === 'postgresql') {
      await transaction.raw(
        `SET LOCAL statement_timeout = ${this.#statementLimit}; SET LOCAL datestyle = 'ISO'; ` +
          `SET LOCAL bytea_output = 'hex'; SET LOCAL extra_float_digits = 3`,
      );
    }
  }

  get #statementLimit(): number {
    return Math.max(100, this.#deps.timeoutMs - DRIVER_TIMEOUT_MARGIN_MS);
  }

  #connect(): OpenPool {
    const { settings, password, timeoutMs, log, resolver } = this.#deps;
    const connections = new Set<RawConnection>();
    const prepare = prepareConnection(settings, this.#statementLimit);
    const warn = (message: unknown): void => {
      log.warn('Knex warns', {
        component: 'resolver',
        resolver,
        faultDetail: String(message).split('\n')[0],
      });
    };
    const pool = knex({
      client: settings.database === 'postgresql' ? 'pg' : 'mysql2',
      connection: async () => connectionTo(settings, await password(), timeoutMs),
      pool: {
        min: 0,
        max: MAX_CONNECTIONS,
        idleTimeoutMillis: IDLE_TIMEOUT_MS,
        afterCreate: (
          connection: RawConnection,
          done: (error: Error | null, connection: RawConnection) => void,
        ) => {
          connections.add(connection);
          prepare(connection, done);
        },
      },
      acquireConnectionTimeout: timeoutMs,
      // Errors quote the statement; this setting omits the values, which are logins.
      compileSqlOnError: false,
      log: { warn, error: warn, deprecate: warn, debug: () => undefined },
    });
    return { knex: pool, connections };
  }

  /** Discards the pool; the next read makes new connections. */
  #giveUp(open: OpenPool): void {
    if (this.#open === open) {
      this.#open = undefined;
    }
    for (const connection of open.connections) {
      connection.destroy?.();
      connection.connection?.stream?.destroy();
    }
    open.knex.destroy().catch(() => undefined);
  }
}
