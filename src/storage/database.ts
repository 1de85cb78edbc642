import knex from 'knex';
import type { Knex } from 'knex';
import { setTimeout as sleep } from 'node:timers/promises';

import { isServiceError } from '../kernel/errors.ts';
import { translateDatabaseFault } from './database-faults.ts';
import type { EmbeddedConnection } from './embedded-membership.ts';
import type { Log } from '../kernel/log.ts';

/** How to reach the database, and how much of it to use. Durations in milliseconds. */
export interface DatabaseOptions {
  /** A postgres:// URL, or the embedded PostgreSQL's connection. */
  readonly connection: string | EmbeddedConnection;
  /** The most connections at once; default 10. */
  readonly poolSize?: number;
  /** Shown in pg_stat_activity. */
  readonly applicationName?: string;
  /** How long a statement may run; default 30 s, 0 for ever. */
  readonly statementTimeoutMs?: number;
  /** How long a request waits for a connection; default 5 s. */
  readonly acquireTimeoutMs?: number;
  readonly log?: Log;
}

/** The connections of a pool, now. */
interface PoolUsage {
  readonly used: number;
  readonly free: number;
  /** How many wait for a connection. */
  readonly waiting: number;
}

/** The pool. What is awaited through it fails with ServiceError 'database.unavailable' when the database is away. */
export interface Database {
  /** For single statements. */
  readonly knex: Knex;
  /**
   * Runs `work` in one transaction: committed when it returns, rolled back when it throws. It is run again, up to five
   * times in all, when PostgreSQL gives it up for the sake of another transaction, so it must do nothing else than
   * statements on the transaction it gets.
   */
  transact<T>(work: (transaction: Knex.Transaction) => Promise<T>): Promise<T>;
  /** Asks the database for a sign of life. @throws ServiceError 'database.unavailable' */
  ready(): Promise<void>;
  /** Waits for what is running, then closes every connection. */
  close(): Promise<void>;
}

interface Runner {
  run(): Promise<unknown>;
}

const ATTEMPTS = 5;
/** serialization_failure, deadlock_detected */
const GIVEN_UP = ['40001', '40P01'];

// Knex does not export the class of its PostgreSQL dialect by name. No connection is made here.
const PostgresClient = (knex({ client: 'pg' }).client as Knex.Client).constructor as typeof Knex.Client;

/** Knex's PostgreSQL dialect, with the faults of connections translated wherever a query or a transaction is awaited. */
class TranslatingClient extends PostgresClient {
  override runner(builder: unknown): Runner {
    const runner = super.runner(builder) as Runner;
    const run = runner.run.bind(runner);
    return Object.assign(runner, { run: () => run().catch(rethrow) });
  }

  override async acquireConnection(): Promise<unknown> {
    return (super.acquireConnection() as Promise<unknown>).catch(rethrow);
  }
}

/** @returns a pool that connects when it is first needed: opening it never fails */
export function openDatabase(options: DatabaseOptions): Database {
  const pool = knex(knexConfig(options));
  return {
    knex: pool,
    transact: (work) => transact(pool, work),
    ready: async () => {
      await pool.raw('SELECT 1');
    },
    close: () => pool.destroy(),
  };
}

/** One connection, as pg wants to know of it. */
interface ConnectionSettings extends Partial<EmbeddedConnection> {
  readonly connectionString?: string;
  readonly application_name: string;
  readonly statement_timeout: number;
  readonly connectionTimeoutMillis: number;
  readonly keepAlive: boolean;
}

/** @returns how pg makes a connection of the pool, or one beside it */
export function connectionSettings(options: DatabaseOptions): ConnectionSettings {
  const { connection } = options;
  return {
    ...(typeof connection === 'string' ? { connectionString: connection } : connection),
    application_name: options.applicationName ?? 'tankeeper',
    statement_timeout: options.statementTimeoutMs ?? 30_000,
    // A host that swallows packets must not hold a request for minutes.
    connectionTimeoutMillis: options.acquireTimeoutMs ?? 5_000,
    keepAlive: true,
  };
}

/** @returns what Knex needs to know; also used by knexfile.ts */
export function knexConfig(options: DatabaseOptions): Knex.Config {
  const { log } = options;
  const warn = (message: unknown): void => {
    log?.warn('Knex warns', { component: 'database', faultDetail: String(message).split('\n')[0] });
  };
  return {
    client: TranslatingClient,
    connection: connectionSettings(options),
    pool: { min: 0, max: options.poolSize ?? 10 },
    acquireConnectionTimeout: options.acquireTimeoutMs ?? 5_000,
    // Errors quote the statement; with this setting without the values, which may be secret.
    compileSqlOnError: false,
    log: { warn, error: warn, deprecate: warn, debug: () => undefined },
  };
}

/** @returns what the pool is doing; Knex keeps it (tarn's) in the client, until it is closed */
export function poolUsage({ knex: pool }: Pick<Database, 'knex'>): PoolUsage {
  const tarn = (pool.client as { pool?: Record<string, () => number> }).pool;
  const number = (name: string): number => tarn?.[name]?.call(tarn) ?? 0;
  return {
    used: number('numUsed'),
    free: number('numFree'),
    waiting: number('numPendingAcquires'),
  };
}

async function transact<T>(
  pool: Knex,
  work: (transaction: Knex.Transaction) => Promise<T>,
  attempt = 1,
): Promise<T> {
  try {
    return await pool.transaction(work);
  } catch (error) {
    const translated = translateDatabaseFault(error);
    const code = (translated as { code?: string } | null)?.code ?? '';
    if (isServiceError(translated) || !GIVEN_UP.includes(code) || attempt >= ATTEMPTS) {
      throw translated;
    }
  }
  // Those that were in each other's way should not meet again.
  await sleep(Math.random() * 10 * 2 ** attempt);
  return transact(pool, work, attempt + 1);
}

function rethrow(error: unknown): never {
  throw translateDatabaseFault(error);
}
