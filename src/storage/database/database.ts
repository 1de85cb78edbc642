import knex from 'knex';
import type { Knex } from 'knex';
import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

import { type Clock, systemClock } from '../../kernel/clock.ts';
import { isServiceError } from '../../kernel/errors.ts';
import { AuditTrail } from '../audit/audit-trail.ts';
import type { ConnectionGate } from './connection-gate.ts';
import { isGivenUp, translateDatabaseFault, translateFinalFault } from './database-faults.ts';
import { hookedClient, type PoolHooks, type PoolUsage, poolUsageOf, retireAfter } from './knex-internals.ts';
import { beginLongWork, type UnitOfWork } from './unit-of-work.ts';
import type { Log } from '../../kernel/log.ts';

/** A server's socket. Explicit to the last: what is left out here, pg would take from PG* variables. */
interface SocketConnection {
  /** The folder of the socket. */
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly database: string;
  readonly ssl: false;
  readonly options: string;
}

/** How to reach the database, and how much of it to use. Durations in milliseconds. */
export interface DatabaseOptions {
  /** A postgres:// URL, or the embedded PostgreSQL's connection. */
  readonly connection: string | SocketConnection;
  /** The most connections at once; default 10. */
  readonly poolSize?: number;
  /** Shown in pg_stat_activity. */
  readonly applicationName?: string;
  /** How long a statement may run; default 30 s, 0 for ever. */
  readonly statementTimeoutMs?: number;
  /** How long a statement may wait for a lock; as long as it may run by default. */
  readonly lockTimeoutMs?: number;
  /** How long a request waits for a connection; default 5 s. */
  readonly acquireTimeoutMs?: number;
  readonly log?: Log;
  /** Stands before the pool; none by default. */
  readonly gate?: ConnectionGate | undefined;
  /** Dates audit rows; the system's by default. */
  readonly clock?: Clock;
}

/** What a transaction may be. */
interface TransactionOptions {
  /** Known to take minutes where there are many rows, and no request: its statements may take as long as they need. */
  readonly isLong?: boolean;
}

/** The pool. What is awaited through it fails with ServiceError 'database.unavailable' when the database is away. */
export interface Database {
  /** For single statements. */
  readonly knex: Knex;
  /** Signs the audit rows that are written through this pool. */
  readonly audit: AuditTrail;
  /** Each statement and each audit row in a transaction of its own. */
  readonly autocommit: UnitOfWork<Knex>;
  /**
   * Runs `work` in one transaction: committed when it returns, rolled back when it throws. It is run again, up to five
   * times in all, when PostgreSQL gives it up for the sake of another transaction, so it must do nothing else than
   * statements and audit rows of its unit.
   */
  transact<T>(work: (unit: UnitOfWork) => Promise<T>, options?: TransactionOptions): Promise<T>;
  /** Asks the database for a sign of life. @throws ServiceError 'database.unavailable' */
  ready(): Promise<void>;
  /** Waits for what is running, writes a last checkpoint of the audit, then closes every connection. */
  close(): Promise<void>;
}

const ATTEMPTS = 5;
/**
 * SQLSTATE of a server that ends the connection, before the socket closes, or that takes no writes on it (25006), as a
 * standby.
 */
const LAST_WORDS = /^(?:57P0[1-5]|25P0[34]|25006)$/;

/** @returns a pool that connects when it is first needed: opening it never fails */
export function openDatabase(options: DatabaseOptions): Database {
  const pool = knex(knexConfig(options));
  const { applicationName = 'tankeeper', clock = systemClock, log } = options;
  const audit = new AuditTrail({ pool, name: applicationName, clock, log });
  return {
    knex: pool,
    audit,
    autocommit: { sql: pool, audit: audit.autocommit },
    transact: (work, { isLong = false } = {}) => transact(audit, isLong ? atLength(work) : work),
    ready: async () => {
      await pool.raw('SELECT 1');
    },
    close: async () => {
      await audit.close();
      await pool.destroy();
    },
  };
}

/** One connection, as pg wants to know of it. */
interface ConnectionSettings extends Partial<SocketConnection> {
  readonly connectionString?: string;
  readonly application_name: string;
  readonly statement_timeout: number;
  readonly lock_timeout: number;
  readonly connectionTimeoutMillis: number;
  readonly keepAlive: boolean;
  readonly keepAliveInitialDelayMillis: number;
  readonly stream?: () => Socket;
}

/** @returns how pg makes a connection of the pool, or one beside it */
export function connectionSettings(options: DatabaseOptions): ConnectionSettings {
  const { connection } = options;
  return {
    ...(typeof connection === 'string' ? { connectionString: connection } : connection),
    application_name: options.applicationName ?? 'tankeeper',
    statement_timeout: options.statementTimeoutMs ?? 30_000,
    lock_timeout: options.lockTimeoutMs ?? 0,
    // A host that swallows packets must not hold a request for minutes.
    connectionTimeoutMillis: options.acquireTimeoutMs ?? 5_000,
    keepAlive: true,
    // Ends long work on a connection that leads nowhere; the system's default is two hours.
    keepAliveInitialDelayMillis: 10_000,
  };
}

/** @returns what Knex needs to know; also used by knexfile.ts */
export function knexConfig(options: DatabaseOptions): Knex.Config {
  const { gate, log } = options;
  const warn = (message: unknown): void => {
    const faultDetail = String(message).split('\n')[0] ?? '';
    // Many connections are lost at once, and the work that needed them logs it.
    const level = /^(?:Acquire )?connection error/i.test(faultDetail) ? 'debug' : 'warn';
    log?.[level]('Knex warns', { component: 'database', faultDetail });
  };
  return {
    client: hookedClient(hooksFor(gate)),
    connection: { ...connectionSettings(options), ...(gate !== undefined && { stream: gate.newSocket }) },
    pool: { min: 0, max: options.poolSize ?? 10, afterCreate: retireAfter(LAST_WORDS) },
    acquireConnectionTimeout: options.acquireTimeoutMs ?? 5_000,
    // Errors quote the statement; with this setting without the values, which may be secret.
    compileSqlOnError: false,
    log: { warn, error: warn, deprecate: warn, debug: () => undefined },
  };
}

/** @returns what the pool is doing; zeros once it is closed */
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
  audit: AuditTrail,
  work: (unit: UnitOfWork) => Promise<T>,
  attempt = 1,
): Promise<T> {
  try {
    return await audit.transact(work);
  } catch (error) {
    if (!isGivenUp(error) || attempt >= ATTEMPTS) {
      throw translateFinalFault(error);
    }
  }
  // Those that were in each other's way should not meet again.
  await sleep(Math.random() * 10 * 2 ** attempt);
  return transact(audit, work, attempt + 1);
}

function hooksFor(gate: ConnectionGate | undefined): PoolHooks {
  const translate = (fault: unknown, isInTransaction: boolean): unknown =>
    // A transaction that PostgreSQL gives up is run again by `transact`.
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
        gate.reportTrouble();
      }
      return translated;
    },
  };
}
