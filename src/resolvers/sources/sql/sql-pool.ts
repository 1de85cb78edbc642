import knex, { type Knex } from 'knex';
import type { SqlSettings } from '../../settings/sql-settings.ts';
import type { Log } from '../../../kernel/log.ts';
import { withTimeLimit } from '../../../kernel/bounded-work.ts';
import { SqlDelay } from './sql-fault.ts';
import type { ConnectionOptions as MysqlConnection } from 'mysql2';
import type { ClientConfig as PostgresConnection } from 'pg';
import { LOGINS } from './mysql-login.ts';

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

/** The part of a connection that is used here, of both drivers. */
interface RawConnection {
  /** mysql2's connection: closes it at once. */
  destroy?(): void;
  /** pg's client: the socket below it. */
  readonly connection?: { readonly stream?: { destroy(): void } };
  query(sql: string, done: (error: Error | null, rows?: unknown) => void): unknown;
}

interface TlsOptions {
  readonly rejectUnauthorized: boolean;
  readonly ca?: string;
  readonly host: string;
  readonly checkServerIdentity?: () => undefined;
}

/** @returns the driver's settings. None is taken from the environment, which may have our own database's password */
function connectionTo(
  settings: SqlSettings,
  password: string,
  timeoutMs: number,
): Knex.PgConnectionConfig | Knex.MySql2ConnectionConfig {
  return settings.database === 'postgresql'
    ? postgresConnection(settings, password, timeoutMs)
    : mysqlConnection(settings, password, timeoutMs);
}

function postgresConnection(
  settings: SqlSettings,
  password: string,
  timeoutMs: number,
): Knex.PgConnectionConfig {
  const config = {
    host: settings.server,
    port: settings.port,
    database: settings.name,
    user: settings.user,
    // A function, because an empty text would be replaced by the environment's password.
    password: () => password,
    ssl: tlsOptions(settings) ?? false,
    application_name: 'tankeeper resolver',
    // Values as PostgreSQL writes them: as numbers or dates of JavaScript, several would become one.
    types: { getTypeParser: () => (text: string | Buffer) => text },
    connectionTimeoutMillis: timeoutMs,
    keepAlive: true,
  } satisfies PostgresConnection;
  return config;
}

function mysqlConnection(
  settings: SqlSettings,
  password: string,
  timeoutMs: number,
): Knex.MySql2ConnectionConfig {
  const ssl = tlsOptions(settings);
  const config = {
    ...(settings.server.startsWith('/')
      ? { socketPath: settings.server }
      : { host: settings.server, port: settings.port }),
    database: settings.name,
    user: settings.user,
    password,
    ...(ssl !== undefined && { ssl: { ...ssl, verifyIdentity: settings.tls === 'verify-full' } }),
    charset: 'utf8mb4',
    connectTimeout: timeoutMs,
    authPlugins: LOGINS,
    // A foreign server must not be able to request files of this machine.
    flags: ['-LOCAL_FILES'],
  } satisfies MysqlConnection;
  return config as object;
}

function tlsOptions({ tls, authorities, server }: SqlSettings): TlsOptions | undefined {
  if (tls === 'disable') {
    return undefined;
  }
  return {
    rejectUnauthorized: tls !== 'require',
    ...(authorities !== undefined && { ca: authorities }),
    // The name or address that the certificate is verified against.
    host: server,
    ...(tls === 'verify-full' ? {} : { checkServerIdentity: () => undefined }),
  };
}

/**
 * Prepares a new connection to MySQL or MariaDB: limits the time of statements, makes the backslash an escape character,
 * as the driver assumes that quotes our values, and leaves the padding of CHAR out.
 */
function prepareConnection(
  { database }: Pick<SqlSettings, 'database'>,
  statementLimitMs: number,
): (connection: RawConnection, done: (error: Error | null, connection: RawConnection) => void) => void {
  return (connection, done) => {
    if (database === 'postgresql') {
      done(null, connection);
      return;
    }
    connection.query('SELECT VERSION() AS version', (fault, rows) => {
      if (fault !== null) {
        done(fault, connection);
        return;
      }
      const version = String((rows as { version?: unknown }[] | undefined)?.[0]?.version);
      const limit = /mariadb/i.test(version)
        ? `max_statement_time = ${statementLimitMs / 1000}`
        : `max_execution_time = ${statementLimitMs}`;
      const mode = `sql_mode = REPLACE(REPLACE(@@SESSION.sql_mode, 'NO_BACKSLASH_ESCAPES', ''), 'PAD_CHAR_TO_FULL_LENGTH', '')`;
      connection.query(`SET SESSION ${limit}, SESSION ${mode}`, (error) => {
        done(error, connection);
      });
    });
  };
}
