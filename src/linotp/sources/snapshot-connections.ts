import { isServiceError, ServiceError } from '../../kernel/errors.ts';
import type { SourceValue } from '../linotp-source.ts';
import type { SnapshotConnection } from './database-source.ts';

const CONNECT_WITHIN_MS = 10_000;

const INVALID_URL =
  'the URL is not valid; encode the special characters of its password (%40 for @), or give it in a file';

type SnapshotRow = Record<string, SourceValue>;

/** @param url `postgresql://user:password@host/database` */
export async function connectPostgresql(url: string): Promise<SnapshotConnection> {
  const { default: pg } = await import('pg');
  const client = await withImportFaults(
    () =>
      new pg.Client({
        connectionString: url,
        application_name: 'tankeeper import',
        connectionTimeoutMillis: CONNECT_WITHIN_MS,
        // Every value as the text that PostgreSQL sends: no time is moved to another zone.
        types: { getTypeParser: () => (text: string | Buffer) => text },
      }),
  );
  // A connection that ends while it is idle makes the next query fail.
  client.on('error', () => undefined);
  await withImportFaults(async () => {
    await client.connect();
    await client.query('BEGIN TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY');
    await client.query(`SET LOCAL datestyle = 'ISO'; SET LOCAL bytea_output = 'hex'`);
  });
  return {
    dialect: 'postgresql',
    query: (sql, values) =>
      withImportFaults(async () => (await client.query<SnapshotRow>(sql, [...values])).rows),
    close: () => client.end(),
  };
}

/** @param url `mysql://user:password@host/database` */
export async function connectMysql(url: string): Promise<SnapshotConnection> {
  const mysql = await import('mysql2/promise');
  const connection = await withImportFaults(() =>
    mysql.createConnection({
      ...mysqlPlace(url),
      charset: 'utf8mb4',
      connectTimeout: CONNECT_WITHIN_MS,
      supportBigNumbers: true,
      bigNumberStrings: true,
      dateStrings: true,
      // A foreign server must not be able to request files of this machine.
      flags: ['-LOCAL_FILES'],
    }),
  );
  await withImportFaults(async () => {
    await connection.query('SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ');
    await connection.query('START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY');
  });
  return {
    dialect: 'mysql',
    query: (sql, values) =>
      withImportFaults(async () => {
        const [rows] = await connection.query(sql, [...values]);
        return rows as SnapshotRow[];
      }),
    close: () => connection.end(),
  };
}

/** SQLAlchemy's URL has parameters of Python's driver, such as `charset`; the socket of the server and TLS matter here. */
function mysqlPlace(url: string): { readonly uri: string; readonly socketPath?: string } {
  const place = new URL(url);
  const socketPath = place.searchParams.get('unix_socket');
  const ssl = place.searchParams.get('ssl');
  place.search = ssl === null ? '' : new URLSearchParams({ ssl }).toString();
  return { uri: place.href, ...(socketPath !== null && { socketPath }) };
}

/** Drivers quote neither URL nor password in their messages. */
async function withImportFaults<T>(work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isServiceError(error)) {
      throw error;
    }
    const { code = '', message = '' } = error as { code?: string; message?: string };
    const reason = code === 'ERR_INVALID_URL' ? INVALID_URL : message === '' ? code : message;
    throw new ServiceError('import.refused', `The LinOTP database cannot be read: ${reason}`, {
      cause: error,
    });
  }
}
