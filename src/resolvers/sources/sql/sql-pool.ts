import knex, { type Knex } from 'knex';
import type { SqlSettings } from '../../settings/sql-settings.ts';
import type { Log } from '../../../kernel/log.ts';
import { withTimeLimit } from '../../../kernel/bounded-work.ts';
import type { ConnectionOptions as MysqlConnection } from 'mysql2';
import type { ClientConfig as PostgresConnection } from 'pg';
import { ServiceError } from '../../../kernel/errors.ts';
import { connectionReason, ResolverUnavailable } from '../../user-source.ts';

/** Said where MariaDB or MySQL asks for a kind of login that the driver lacks, such as ed25519. */
export const UNKNOWN_LOGIN =
  'its database asks for a kind of login that is not known here: its user may log in by mysql_native_password or caching_sha2_password';
/** The driver's code for it. */
export const UNKNOWN_LOGIN_CODE = 'AUTH_SWITCH_PLUGIN_ERROR';

/** Enough for concurrent log-ins; a resolver that hangs must not collect connections. */
const MAX_CONNECTIONS = 4;
/** Milliseconds. */
const IDLE_TIMEOUT_MS = 30_000;
/** Milliseconds between the server's own time-out of a statement and ours. */
const DRIVER_TIMEOUT_MARGIN_MS = 250;

interface OpenPool {
  readonly knex: Knex;
  readonly connections: Set<RawConnection>;
}

/** A small pool of read-only connections to a foreign database, made when they are needed. */
export class SqlPool {
  readonly #deps;
  #open: OpenPool | undefined;

  constructor(options: {
    readonly resolver: string;
    readonly settings: SqlSettings;
    /** The password to log in with; requested for each connection. */
    readonly password: () => Promise<string>;
    /** Milliseconds for an answer, including the wait for a connection. */
    readonly timeoutMs: number;
    readonly log: Log;
  }) {
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
    const connectionTo = settings.database === 'postgresql' ? postgresConnection : mysqlConnection;
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
      // Nothing is taken from the environment, which may have our own database's password.
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

class SqlDelay extends Error {
  override readonly name = 'SqlDelay';
  readonly code = 'TIME_LIMIT';
  constructor(milliseconds: number) {
    super(`No answer within ${milliseconds} ms`);
  }
}

/** A fault in the rows themselves, in words for the client. */
export class SqlRowsFault extends Error {
  override readonly name = 'SqlRowsFault';
}

const AWAY = 'its database closed the connection';
const LATE = 'its database does not answer in time';
const UNTRUSTED = 'the certificate of its database is not trusted, or for another host';
const NO_TLS = 'its database does not speak TLS';

/** Reasons by the code, or else the message, of a fault: of PostgreSQL (SQLSTATE), of MySQL and MariaDB, of their drivers. */
const REASONS: readonly (readonly [RegExp, string])[] = [
  [/^(?:28P01|28000|ER_ACCESS_DENIED)/, 'its database refuses the user or the password'],
  [new RegExp(`^${UNKNOWN_LOGIN_CODE}`), UNKNOWN_LOGIN],
  [/^(?:3D000|ER_BAD_DB|ER_DBACCESS_DENIED)/, 'there is no such database, or its user may not use it'],
  [/^(?:42P01|3F000|ER_NO_SUCH_TABLE)/, 'there is no such table'],
  [/^(?:42703|ER_BAD_FIELD)/, 'a column that its Map or its Where names does not exist'],
  [/^(?:42501|ER_TABLEACCESS_DENIED|ER_COLUMNACCESS_DENIED)/, 'its user may not read the table'],
  [/^(?:42601|42804|42883|ER_PARSE|ER_SP_DOES)/, 'the database does not understand its Where'],
  [/^(?:25006|ER_CANT_EXECUTE_IN_READ_ONLY)/, 'its Where would change something'],
  [/^(?:53300|ER_CON_COUNT|ER_TOO_MANY_USER)/, 'its database takes no more connections'],
  // 1969: of MariaDB, which the driver has no name for.
  [/^(?:57014|1969|ER_QUERY_|TIME_LIMIT)/, LATE],
  [/^HANDSHAKE_NO_SSL|does not support SSL/, NO_TLS],
  [/^(?:CERT_|DEPTH_|SELF_|UNABLE_|ERR_TLS_CERT)|certificate/i, UNTRUSTED],
  [/timeout|timed out/i, LATE],
  [/^57P0|^PROTOCOL_CONNECTION_LOST|terminated|closed/i, AWAY],
];
/**
 * The text is no value of the column's type, so no row has it. 42883: PostgreSQL cannot compare values of the type, as
 * of json.
 */
const NO_SUCH_VALUE = ['22P02', '22003', '22007', '22008', '42883', 'ER_WRONG_VALUE'];

/** The text has letters that the encoding of the database or column lacks, so no row has it. */
const FOREIGN_LETTERS = [
  '22P05',
  'ER_CANT_AGGREGATE_2COLLATIONS',
  'ER_CANNOT_CONVERT_STRING',
  'ER_IMPOSSIBLE_STRING_CONVERSION',
];

/** @returns the code of a fault of any driver; empty if it has none */
function codeOf(cause: unknown): string {
  const { code, errno } = (cause ?? {}) as { code?: unknown; errno?: unknown };
  // The driver has no names for MariaDB's own faults.
  return typeof code === 'string' ? code : typeof errno === 'number' ? String(errno) : '';
}

/** @returns true if the column cannot hold the text that was searched for */
export function isNoSuchValue(cause: unknown): boolean {
  return NO_SUCH_VALUE.includes(codeOf(cause));
}

/** @returns true if the database has no letters for the text that was searched for */
export function hasForeignLetters(cause: unknown): boolean {
  return FOREIGN_LETTERS.includes(codeOf(cause));
}

/**
 * @param settings those of the resolver, if they can be read
 * @returns the fault as 'resolver.unavailable', in words that quote neither statement nor password
 */
export function sqlUnavailable(
  resolver: string,
  cause: unknown,
  settings?: Pick<SqlSettings, 'server' | 'port'>,
): ResolverUnavailable {
  const code = codeOf(cause);
  const place = settings === undefined ? 'unknown server' : addressOf(settings);
  const detail = `SQL, ${place}: ${code === '' ? 'no code' : code}`;
  return new ResolverUnavailable({ resolver, reason: reasonOf(cause, code), cause, detail });
}

function addressOf({ server, port }: Pick<SqlSettings, 'server' | 'port'>): string {
  return server.startsWith('/') ? server : `${server.includes(':') ? `[${server}]` : server}:${port}`;
}

function reasonOf(cause: unknown, code: string): string {
  if (cause instanceof SqlRowsFault) {
    return cause.message;
  }
  if (cause instanceof ResolverUnavailable) {
    return cause.reason;
  }
  if (cause instanceof ServiceError) {
    return `its settings or its password cannot be read (${cause.code})`;
  }
  const { message = '' } = (cause ?? {}) as { message?: string };
  const known = REASONS.find(([pattern]) => pattern.test(code) || pattern.test(message))?.[1];
  return connectionReason(code) ?? known ?? `its database reports a fault${code === '' ? '' : ` (${code})`}`;
}
