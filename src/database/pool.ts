import knex, { type Knex } from 'knex';
import pg from 'pg';
import type { Log } from '../kernel/log.ts';
import { endsConnection, rethrow } from './database-faults.ts';
import { beginSession, sessionOptions, splitUrl } from './session-settings.ts';

/** Additional wait for the answer to a statement after its time-out in the database. */
const ANSWER_MS = 2_000;

/** A server's socket. All fields are explicit: pg would take a missing one from PG* variables. */
export interface SocketConnection {
  /** The folder of the socket. */
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly database: string;
  readonly ssl: false;
  readonly options: string;
}

/** The address of the database and the limits of its use. Durations in milliseconds. */
export interface PoolOptions {
  /** A postgres:// URL, or the embedded PostgreSQL's connection. */
  readonly connection: string | SocketConnection;
  /** The most connections at once, beside those for long work; default 10. */
  readonly poolSize?: number;
  /** Shown in pg_stat_activity. */
  readonly applicationName?: string;
  /** The longest time of a statement; default 30 s, 0 for no limit. */
  readonly statementTimeoutMs?: number;
  /** The longest wait of a statement for a lock; default: the longest time of a statement. */
  readonly lockTimeoutMs?: number;
  /** The longest pause between the statements of a transaction; by default that of `sessionOptions`. */
  readonly idleTransactionMs?: number;
  /** The longest wait for a connection; default 5 s. */
  readonly acquireTimeoutMs?: number;
  /** Uses no server that takes no writes, as a standby. */
  readonly writes?: boolean;
  readonly log?: Log;
}

/** A pool of connections, and the builder of statements that uses it. */
export interface Pool {
  readonly connections: pg.Pool;
  readonly knex: Knex;
  /** Waits for running work, then closes every connection. */
  close(): Promise<void>;
}

// Knex does not export its PostgreSQL dialect by name. No connection is made here.
const PostgresDialect = (knex({ client: 'pg' }).client as Knex.Client).constructor as typeof Knex.Client;

/** Knex's dialect, with the faults of this program. */
class Dialect extends PostgresDialect {
  override acquireConnection(): Promise<unknown> {
    return (super.acquireConnection() as Promise<unknown>).catch(rethrow);
  }

  override query(connection: pg.Client, statement: unknown): Promise<unknown> {
    return answered(connection, super.query(connection, statement) as Promise<unknown>);
  }
}

/**
 * @returns the answer on a connection; one that has got none in time, or takes no writes, is ended and leaves its pool
 * @throws the fault as translated
 */
export async function answered<Answer>(connection: pg.ClientBase, answer: Promise<Answer>): Promise<Answer> {
  try {
    return await answer;
  } catch (error) {
    if (endsConnection(error) && connection instanceof pg.Client) {
      void connection.end();
    }
    return rethrow(error);
  }
}

/** @returns the options that its connections request beside ours */
export function requestedOptions({ connection }: PoolOptions): string {
  return typeof connection === 'string' ? splitUrl(connection).options : connection.options;
}

/** The settings of one connection in pg's form. */
interface ConnectionSettings extends Partial<SocketConnection> {
  readonly connectionString?: string;
  readonly options: string;
  readonly application_name: string;
  readonly statement_timeout: number;
  readonly lock_timeout: number;
  readonly idle_in_transaction_session_timeout?: number;
  readonly connectionTimeoutMillis: number;
  readonly keepAlive: boolean;
  readonly keepAliveInitialDelayMillis: number;
}

/** @returns pg's settings for a connection of a pool, or one beside it */
export function connectionSettings(options: PoolOptions): ConnectionSettings {
  const { connection, statementTimeoutMs = 30_000, idleTransactionMs } = options;
  const address = typeof connection === 'string' ? splitUrl(connection) : connection;
  return {
    ...address,
    options: sessionOptions(address.options),
    application_name: options.applicationName ?? 'tankeeper',
    statement_timeout: statementTimeoutMs,
    lock_timeout: options.lockTimeoutMs ?? 0,
    ...(idleTransactionMs !== undefined && { idle_in_transaction_session_timeout: idleTransactionMs }),
    // A host that drops packets must not hold a request for minutes.
    connectionTimeoutMillis: options.acquireTimeoutMs ?? 5_000,
    keepAlive: true,
    // Ends long work on a dead connection; the system's default is two hours.
    keepAliveInitialDelayMillis: 10_000,
  };
}

/**
 * @param max the most connections
 * @param isLong without a limit for answers
 * @returns a pool that connects at its first use; opening it never fails
 */
export function openPool(options: PoolOptions, max: number, isLong: boolean): Pool {
  const { log, statementTimeoutMs = 30_000 } = options;
  const connections = new pg.Pool({
    ...connectionSettings(options),
    ...(!isLong && statementTimeoutMs > 0 && { query_timeout: statementTimeoutMs + ANSWER_MS }),
    max,
    idleTimeoutMillis: 30_000,
    verify: (connection, done) => {
      beginSession(connection, requestedOptions(options), options.writes).then(() => {
        done();
      }, done);
    },
  });
  const lost = ({ message }: Error): void => {
    log?.debug('A connection to the database is lost', { component: 'database', faultDetail: message });
  };
  // Of a connection at work: its statement fails, too.
  connections.on('connect', (connection) => connection.on('error', lost));
  connections.on('error', lost);
  const builder = knex({
    client: Dialect,
    connectionPool: connections,
    // Errors quote the statement; this setting omits the values, which may be secret.
    compileSqlOnError: false,
    log: knexLog(log),
  });
  let closing: Promise<void> | undefined;
  return { connections, knex: builder, close: () => (closing ??= connections.end()) };
}

/** @returns the connection of a transaction, for what Knex has no statement for */
export function connectionOf(transaction: Knex.Transaction): Promise<pg.Client> {
  return (transaction.client as Knex.Client).acquireConnection() as Promise<pg.Client>;
}

function knexLog(log: Log | undefined): Knex.Logger {
  const warn = (message: unknown): void => {
    const faultDetail = String(message).split('\n')[0] ?? '';
    // Many connections are lost at once, and the work that needed them logs the fault.
    const level = /^Acquire connection error/i.test(faultDetail) ? 'debug' : 'warn';
    log?.[level]('Knex warns', { component: 'database', faultDetail });
  };
  return { warn, error: warn, deprecate: warn, debug: () => undefined };
}
