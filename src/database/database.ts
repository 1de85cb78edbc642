import type { Knex } from 'knex';
import { AuditWriter } from '../audit/writer-store.ts';
import { type Clock, systemClock } from '../kernel/clock.ts';
import { isServiceError } from '../kernel/errors.ts';
import { openPool, type PoolOptions } from './pool.ts';
import { PreparedStatements, repeatAborted, SHARING, type Sharing } from './prepared-statements.ts';
import type { UnitOfWork } from './unit-of-work.ts';

export interface DatabaseOptions extends PoolOptions {
  /** Dates audit rows; the machine's by default. */
  readonly clock?: Clock;
  /** False where prepared statements cannot be kept, as behind PgBouncer in transaction mode; default true. */
  readonly keepsStatements?: boolean | undefined;
  /** Default: `SHARING`. */
  readonly sharing?: Sharing;
}

/** The present connections of a pool. */
interface PoolUsage {
  readonly used: number;
  readonly free: number;
  /** The number of waiters for a connection. */
  readonly waiting: number;
}

/** The pool. Its statements fail with ServiceError 'database.unavailable' while the database is away. */
export interface Database {
  /** Runs single statements. */
  readonly knex: Knex;
  /** Runs the statements of the hot path. */
  readonly prepared: PreparedStatements;
  /** The extent to which requests share these statements. */
  readonly sharing: Sharing;
  /** Writes the audit rows of this pool. */
  readonly audit: AuditWriter;
  /**
   * Runs `work` in one transaction: committed when it returns, rolled back when it throws. It runs again, up to five
   * times in all, when PostgreSQL aborts it in favour of another transaction. It must therefore do nothing but
   * statements and audit rows of its unit.
   */
  transact<T>(
    work: (unit: UnitOfWork) => Promise<T>,
    options?: {
      /** Takes minutes where there are many rows, and serves no request: its statements have no time limit. */
      readonly isLong?: boolean;
    },
  ): Promise<T>;
  /**
   * Queries the database for a sign of life, and whether its settings are those with which this program works.
   * @throws ServiceError 'database.unavailable', 'configuration.invalid'
   */
  ready(): Promise<void>;
  /** @returns the present use, without long work */
  usage(): PoolUsage;
  /** Waits for running work, then closes every connection. */
  close(): Promise<void>;
}

/** The most connections for long work, which leaves those of requests alone. */
const LONG_WORK = 4;

/** @returns a pool that connects at its first use; opening it never fails */
export function openDatabase(options: DatabaseOptions): Database {
  const { clock = systemClock, log, keepsStatements = true } = options;
  const pool = openPool(options, options.poolSize ?? 10, false);
  const long = openPool(options, LONG_WORK, true);
  const { connections } = pool;
  const prepared = new PreparedStatements(connections, keepsStatements, log);
  const audit = new AuditWriter({ pool: pool.knex, prepared, clock });
  return {
    knex: pool.knex,
    prepared,
    sharing: options.sharing ?? SHARING,
    audit,
    transact: (work, { isLong = false } = {}) =>
      repeatAborted(() =>
        isLong ? audit.transact(withoutLimits(work), long.knex) : audit.transact(work, pool.knex),
      ),
    ready: async () => {
      try {
        await pool.knex.raw('SELECT 1');
      } catch (error) {
        const { cause } = error as Error;
        throw isServiceError(cause, 'configuration.invalid') ? cause : error;
      }
    },
    usage: () => ({
      used: connections.totalCount - connections.idleCount,
      free: connections.idleCount,
      waiting: connections.waitingCount,
    }),
    close: async () => {
      await Promise.all([pool.close(), long.close()]);
    },
  };
}

/**
 * Lifts the time limits of a transaction before its work: PostgreSQL ends neither its statements nor a pause between
 * them, as a backup makes for a slow disk.
 */
function withoutLimits<T>(work: (unit: UnitOfWork) => Promise<T>): (unit: UnitOfWork) => Promise<T> {
  return async (unit) => {
    const limits = ['statement_timeout', 'idle_in_transaction_session_timeout'];
    const { version = '' } = unit.sql.client as Knex.Client;
    if (Number.parseInt(version, 10) >= 17) {
      limits.push('transaction_timeout');
    }
    // No query: work may still choose its isolation level.
    await unit.sql.raw(limits.map((name) => `SET LOCAL ${name} = 0`).join('; '));
    return work(unit);
  };
}

/**
 * Renews the statistics of tables after many rows were loaded, by which prepared statements are planned anew, too.
 * Autovacuum would do so minutes later. Never fails: the rows are stored.
 */
export async function renewStatistics(
  { knex }: Pick<Database, 'knex'>,
  tables: readonly string[],
): Promise<void> {
  try {
    // PostgreSQL only warns of a table of another owner, and of one that is locked: nobody waits for statistics.
    await knex.raw(`ANALYZE (SKIP_LOCKED) ${tables.join(', ')}`);
  } catch {
    // Autovacuum does it.
  }
}
