import type { Knex } from 'knex';
import type { ConnectionOptions as MysqlConnection } from 'mysql2';
import type { ClientConfig as PostgresConnection } from 'pg';

import type { SqlSettings } from '../../settings/sql-settings.ts';
import { LOGINS } from './mysql-login.ts';

/** The part of a connection that is used here, of both drivers. */
export interface RawConnection {
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
export function connectionTo(
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
export function prepareConnection(
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
