import type { Knex } from 'knex';
import type { ConnectionOptions as MysqlConnection } from 'mysql2';
import type { ClientConfig as PostgresConnection } from 'pg';

import type { SqlSettings } from '../../settings/sql-settings.ts';

/** What drivers agree on; the rest of them is not used. */
export interface RawConnection {
  /** mysql2's connection: ends it at once. */
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
  readonly verifyIdentity?: boolean;
}

/** @returns how to reach the database. Nothing is taken from the environment, where our own database's password may be */
export function connectionTo(
  settings: SqlSettings,
  password: string,
  timeLimit: number,
): Knex.PgConnectionConfig | Knex.MySql2ConnectionConfig {
  return settings.database === 'postgresql'
    ? postgresConnection(settings, password, timeLimit)
    : mysqlConnection(settings, password, timeLimit);
}

function postgresConnection(
  settings: SqlSettings,
  password: string,
  timeLimit: number,
): Knex.PgConnectionConfig {
  const config = {
    host: settings.server,
    port: settings.port,
    database: settings.name,
    user: settings.user,
    // As a function, because an empty text would be replaced by that of the environment.
    password: () => password,
    ssl: tlsOptions(settings) ?? false,
    application_name: 'tankeeper resolver',
    connectionTimeoutMillis: timeLimit,
    keepAlive: true,
  } satisfies PostgresConnection;
  return config;
}

function mysqlConnection(
  settings: SqlSettings,
  password: string,
  timeLimit: number,
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
    connectTimeout: timeLimit,
    supportBigNumbers: true,
    bigNumberStrings: true,
    dateStrings: true,
    // A server that somebody else runs must not be able to ask for files of ours.
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
    // What the certificate is held against, also where it is an address.
    host: server,
    ...(tls === 'verify-full' ? {} : { checkServerIdentity: () => undefined }),
  };
}

/**
 * Prepares a new connection. MySQL and MariaDB: bounds statements in time, and sees to it that a backslash escapes, as
 * the driver that quotes our values takes for granted.
 */
export function prepareConnection(
  { database }: Pick<SqlSettings, 'database'>,
  statementLimit: number,
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
        ? `max_statement_time = ${statementLimit / 1000}`
        : `max_execution_time = ${statementLimit}`;
      const mode = `sql_mode = REPLACE(@@SESSION.sql_mode, 'NO_BACKSLASH_ESCAPES', '')`;
      connection.query(`SET SESSION ${limit}, SESSION ${mode}`, (error) => {
        done(error, connection);
      });
    });
  };
}
