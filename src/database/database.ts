import knex, { type Knex } from 'knex';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Clock, systemClock } from '../kernel/clock.ts';
import { isServiceError } from '../kernel/errors.ts';
import { AuditWriter } from '../audit/writer-store.ts';
import type { ConnectionGate } from './connection-gate.ts';
import { isAborted, isCanceled, translateDatabaseFault, translateFinalFault } from './database-faults.ts';
import { hookedClient, type PoolHooks, type PoolUsage, poolUsageOf, retireAfter } from './knex-internals.ts';
import {
  assertSessionWorks,
  schemasAskedFor,
  SESSION_QUESTION,
  type SessionAnswer,
  SessionClient,
} from './session-settings.ts';
import { PreparedStatements, SHARING, type Sharing } from './prepared-statements.ts';
import { beginLongWork, type UnitOfWork } from './unit-of-work.ts';
import type { Log } from '../kernel/log.ts';

/** A server's socket. All fields are explicit: pg would take a missing one from PG* variables. */
interface SocketConnection {
  /** The folder of the socket. */
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly database: string;
  readonly ssl: false;
  readonly options: string;
}

/** The address of the database and the limits of its use. Durations in milliseconds. */
export interface DatabaseOptions {
  /** A postgres:// URL, or the embedded PostgreSQL's connection. */
  readonly connection: string | SocketConnection;
  /** The most connections at once; default 10. */
  readonly poolSize?: number;
  /** Shown in pg_stat_activity. */
  readonly applicationName?: string;
  /** The longest time of a statement; default 30 s, 0 for no limit. */
  readonly statementTimeoutMs?: number;
  /** The longest wait of a statement for a lock; default: the longest time of a statement. */
  readonly lockTimeoutMs?: number;
  /** The longest pause between the statements of a transaction; by default that of `withSessionSettings`. */
  readonly idleTransactionMs?: number;
  /** The longest wait of a request for a connection; default 5 s. */
  readonly acquireTimeoutMs?: number;
  readonly log?: Log;
  /** Stands before the pool; none by default. */
  readonly gate?: ConnectionGate | undefined;
  /** Dates audit rows; the machine's by default. */
  readonly clock?: Clock;
  /** False where prepared statements cannot be kept, as behind PgBouncer in transaction mode; default true. */
  readonly keepsStatements?: boolean | undefined;
  /** Default: `SHARING`. */
  readonly sharing?: Sharing;
}

interface TransactionOptions {
  /** Takes minutes where there are many rows, and serves no request: its statements have no time limit. */
  readonly isLong?: boolean;
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
  transact<T>(work: (unit: UnitOfWork) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /**
   * Queries the database for a sign of life, and whether its settings are those with which this program works.
   * @throws ServiceError 'database.unavailable', 'configuration.invalid'
   */
  ready(): Promise<void>;
  /** Waits for running work, then closes every connection. */
  close(): Promise<void>;
}

const ATTEMPTS = 5;
/**
 * SQLSTATE of a server that ends the connection, before the socket closes, or that takes no writes on it (25006), as a
 * standby does.
 */
const LAST_WORDS = /^(?:57P0[1-5]|25P0[34]|25006)$/;

/** @returns a pool that connects at its first use; opening it never fails */
export function openDatabase(options: DatabaseOptions): Database {
  const pool = knex(knexConfig(options));
  const { clock = systemClock, log, keepsStatements = true } = options;
  const prepared = new PreparedStatements(pool, keepsStatements, log);
  const audit = new AuditWriter({ pool, prepared, clock });
  return {
    knex: pool,
    prepared,
    sharing: options.sharing ?? SHARING,
    audit,
    transact: (work, { isLong = false } = {}) => transact(audit, isLong ? atLength(work) : work),
    ready: async () => {
      const { rows } = await pool.raw<{ rows: SessionAnswer[] }>(SESSION_QUESTION);
      assertSessionWorks(rows[0], askedSchemas(options));
    },
    close: () => pool.destroy(),
  };
}

/** The settings of one connection in pg's form. */
interface ConnectionSettings extends Partial<SocketConnection> {
  readonly connectionString?: string;
  readonly application_name: string;
  readonly statement_timeout: number;
  readonly lock_timeout: number;
  readonly idle_in_transaction_session_timeout?: number;
  readonly connectionTimeoutMillis: number;
  readonly keepAlive: boolean;
  readonly keepAliveInitialDelayMillis: number;
  readonly stream?: () => Socket;
}

/** @returns pg's settings for a connection of the pool, or one beside it */
export function connectionSettings(options: DatabaseOptions): ConnectionSettings {
  const { connection } = options;
  return {
    ...(typeof connection === 'string' ? { connectionString: connection } : connection),
    application_name: options.applicationName ?? 'tankeeper',
    statement_timeout: options.statementTimeoutMs ?? 30_000,
    lock_timeout: options.lockTimeoutMs ?? 0,
    ...(options.idleTransactionMs !== undefined && {
      idle_in_transaction_session_timeout: options.idleTransactionMs,
    }),
    // A host that drops packets must not hold a request for minutes.
    connectionTimeoutMillis: options.acquireTimeoutMs ?? 5_000,
    keepAlive: true,
    // Ends long work on a dead connection; the system's default is two hours.
    keepAliveInitialDelayMillis: 10_000,
  };
}

/** @returns the schemas that the options of a connection ask for */
export function askedSchemas({ connection }: DatabaseOptions): readonly string[] {
  if (typeof connection !== 'string') {
    return schemasAskedFor(connection.options);
  }
  return schemasAskedFor(new URLSearchParams(/\?.*$/s.exec(connection)?.[0]).get('options') ?? '');
}

/** @returns the configuration of Knex; also used by knexfile.ts */
export function knexConfig(options: DatabaseOptions): Knex.Config {
  const { gate, log } = options;
  const warn = (message: unknown): void => {
    const faultDetail = String(message).split('\n')[0] ?? '';
    // Many connections are lost at once, and the work that needed them logs the fault.
    const level = /^(?:Acquire )?connection error/i.test(faultDetail) ? 'debug' : 'warn';
    log?.[level]('Knex warns', { component: 'database', faultDetail });
  };
  return {
    client: hookedClient(hooksFor(gate), SessionClient),
    connection: { ...connectionSettings(options), ...(gate !== undefined && { stream: gate.newSocket }) },
    pool: { min: 0, max: options.poolSize ?? 10, afterCreate: retireAfter(LAST_WORDS) },
    acquireConnectionTimeout: options.acquireTimeoutMs ?? 5_000,
    // Errors quote the statement; this setting omits the values, which may be secret.
    compileSqlOnError: false,
    log: { warn, error: warn, deprecate: warn, debug: () => undefined },
  };
}

/** @returns the pool's present use; zeros once it is closed */
export function poolUsage({ knex: pool }: Pick<Database, 'knex'>): PoolUsage {
  return poolUsageOf(pool);
}

function atLength<T>(work: (unit: UnitOfWork) => Promise<T>): (unit: UnitOfWork) => Promise<T> {
  return async (unit) => {
    await beginLongWork(unit.sql);
    return work(unit);
  };
}

async function transact<T>(
  audit: AuditWriter,
  work: (unit: UnitOfWork) => Promise<T>,
  attempt = 1,
): Promise<T> {
  try {
    return await audit.transact(work);
  } catch (error) {
    if (!isAborted(error) || attempt >= ATTEMPTS) {
      throw translateFinalFault(error);
    }
  }
  // Transactions that blocked each other should not meet again.
  await sleep(Math.random() * 10 * 2 ** attempt);
  return transact(audit, work, attempt + 1);
}

function hooksFor(gate: ConnectionGate | undefined): PoolHooks {
  const translate = (fault: unknown, isInTransaction: boolean): unknown =>
    // `transact` retries a transaction that PostgreSQL has aborted.
    isInTransaction ? translateDatabaseFault(fault) : translateFinalFault(fault);
  if (gate === undefined) {
    return { acquire: (acquire) => acquire(), answer: (answer) => answer, translate };
  }
  return {
    acquire: (acquire, waiting, giveBack) => gate.pass(acquire, waiting, giveBack),
    answer: (answer, end, isLong) => gate.bounded(answer, end, isLong),
    translate: (fault, isInTransaction) => {
      const translated = translate(fault, isInTransaction);
      if (isServiceError(translated, 'database.unavailable')) {
        if (translated.detail?.includes('Timeout acquiring a connection') === true) {
          gate.noteExhaustion();
        }
        // A statement that was cancelled at its time limit is a sign of life.
        if (!isCanceled(translated)) {
          gate.reportTrouble();
        }
      }
      return translated;
    },
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
