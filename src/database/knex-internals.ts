import knex from 'knex';
import type { Knex } from 'knex';
import type pg from 'pg';

/*
 * Fields and methods of Knex, its pool (tarn) and pg that their documentation does not promise. They are used nowhere
 * else, but for the startup packet (`SessionClient`); tests/database/knex-internals.test.ts fails where a new version
 * changes one of them.
 */

/** Hooks of a pool around its connections and statements. */
export interface PoolHooks {
  /**
   * Waits for a connection.
   * @param acquire takes one from the pool
   * @param waiting the number of waiters
   * @param giveBack returns a connection to the pool
   */
  acquire<Connection>(
    acquire: () => Promise<Connection>,
    waiting: number,
    giveBack: (connection: Connection) => void,
  ): Promise<Connection>;
  /**
   * Waits for the answer to a statement.
   * @param end ends its connection, so that `answer` fails
   * @param isLong true if the statement belongs to a transaction of long work (`markLongWork`)
   */
  answer<Answer>(answer: Promise<Answer>, end: () => void, isLong: boolean): Promise<Answer>;
  /** @returns the error to throw for a fault of connecting, or of an awaited statement or transaction */
  translate(fault: unknown, isInTransaction: boolean): unknown;
}

/** The present connections of a pool. */
export interface PoolUsage {
  readonly used: number;
  readonly free: number;
  /** The number of waiters for a connection. */
  readonly waiting: number;
}

interface PooledConnection extends pg.Client {
  /** A set value keeps Knex from handing out the connection. */
  __knex__disposed?: unknown;
}

/** Knex gives each transaction a client of its own. */
interface TransactionClient {
  readonly transacting?: boolean;
  isLongWork?: boolean;
}

interface TarnCounts {
  numUsed(): number;
  numFree(): number;
  numPendingAcquires(): number;
}

interface Runner {
  run(): Promise<unknown>;
}

// Knex does not export the class of its PostgreSQL dialect by name. No connection is made here.
const PostgresClient = (knex({ client: 'pg' }).client as Knex.Client).constructor as typeof Knex.Client;

/**
 * @param Client makes the connections
 * @returns Knex's PostgreSQL dialect with hooks, for `Knex.Config.client`
 */
export function hookedClient(hooks: PoolHooks, Client: typeof pg.Client): typeof Knex.Client {
  return class extends PostgresClient {
    /** The part of pg that Knex uses. */
    protected _driver(): { readonly Client: typeof pg.Client } {
      return { Client };
    }

    override runner(builder: unknown): Runner {
      const runner = super.runner(builder) as Runner;
      const run = runner.run.bind(runner);
      const isInTransaction = (this as TransactionClient).transacting === true;
      return Object.assign(runner, { run: () => run().catch(throwTranslated(hooks, isInTransaction)) });
    }

    override query(connection: PooledConnection, statement: unknown): Promise<unknown> {
      const answer = super.query(connection, statement) as Promise<unknown>;
      const end = (): void => {
        cutConnection(connection);
      };
      return hooks.answer(answer, end, (this as TransactionClient).isLongWork === true);
    }

    /** Runs a statement in pg's form, past Knex's builder and formatter. */
    async runPrepared(connection: PooledConnection, statement: pg.QueryConfig): Promise<pg.QueryResult> {
      const end = (): void => {
        cutConnection(connection);
      };
      const { transacting = false, isLongWork = false } = this as TransactionClient;
      return hooks
        .answer(connection.query(statement), end, isLongWork)
        .catch(throwTranslated(hooks, transacting));
    }

    override async acquireConnection(): Promise<unknown> {
      const acquire = (): Promise<unknown> =>
        (super.acquireConnection() as Promise<unknown>).catch(throwTranslated(hooks, false));
      const giveBack = (connection: unknown): void => {
        void this.releaseConnection(connection);
      };
      return hooks.acquire(acquire, usageOf(this).waiting, giveBack);
    }
  };
}

function throwTranslated(hooks: PoolHooks, isInTransaction: boolean): (fault: unknown) => never {
  return (fault) => {
    throw hooks.translate(fault, isInTransaction);
  };
}

/** Marks the statements of this transaction as long for `PoolHooks.answer`. */
export function markLongWork(transaction: Knex.Transaction): void {
  (transaction.client as TransactionClient).isLongWork = true;
}

/** @returns the main version of PostgreSQL, which Knex asks for on the first connection of a pool */
export function serverVersionOf(transaction: Knex.Transaction): number {
  const { version } = transaction.client as { readonly version?: string };
  return Number.parseInt(version ?? '', 10);
}

/** @returns the pool's present use; zeros once it is closed */
export function poolUsageOf(pool: Knex): PoolUsage {
  return usageOf(pool.client);
}

function usageOf(client: unknown): PoolUsage {
  const { pool } = client as { readonly pool?: TarnCounts };
  return {
    used: pool?.numUsed() ?? 0,
    free: pool?.numFree() ?? 0,
    waiting: pool?.numPendingAcquires() ?? 0,
  };
}

/**
 * Takes a connection out of use after its server has reported one of these faults.
 * @param sqlStates matches their codes
 * @returns a hook for `Knex.PoolConfig.afterCreate`
 */
export function retireAfter(
  sqlStates: RegExp,
): (pooled: PooledConnection, done: (error: null, pooled: PooledConnection) => void) => void {
  return (pooled, done) => {
    pooled.connection.on('errorMessage', (fault: { code?: string }) => {
      if (sqlStates.test(fault.code ?? '')) {
        pooled.__knex__disposed = fault;
      }
    });
    done(null, pooled);
  };
}

/** Runs `work` with a connection of the pool, for statements that `Knex.Raw.connection` puts on it. */
export async function withPooledConnection<T>(
  pool: Knex,
  work: (connection: unknown) => Promise<T>,
): Promise<T> {
  const client = pool.client as Knex.Client;
  const connection: unknown = await client.acquireConnection();
  try {
    return await work(connection);
  } finally {
    await client.releaseConnection(connection);
  }
}

/**
 * Runs a statement in pg's form, with `$1` for values, on a connection of the pool or of a transaction.
 * @param pool made with `hookedClient`
 */
export function runOnConnection(
  pool: Knex,
  connection: unknown,
  statement: pg.QueryConfig,
): Promise<pg.QueryResult> {
  const client = pool.client as {
    runPrepared(on: unknown, run: pg.QueryConfig): Promise<pg.QueryResult>;
  };
  return client.runPrepared(connection, statement);
}

/** Runs `work` with a new connection beside the pool, even if the pool has none free. */
export async function withExtraConnection<T>(
  pool: Knex,
  work: (connection: unknown) => Promise<T>,
): Promise<T> {
  const client = pool.client as Knex.Client;
  const connection: unknown = await client.acquireRawConnection();
  try {
    return await work(connection);
  } finally {
    await client.destroyRawConnection(connection);
  }
}

/** Ends a connection at once, without a terminate message, which may not arrive. */
export function cutConnection(client: pg.Client): void {
  client.connection.stream.destroy();
}
