import { constants } from 'node:fs';
import { copyFile, mkdtemp, open, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Database } from 'node-sqlite3-wasm';
import { isServiceError } from '../../kernel/errors.ts';
import { UNKNOWN_LOGIN, UNKNOWN_LOGIN_CODE } from '../../resolvers/sources/sql/sql-pool.ts';
import { importRefused, LinotpSource, type SnapshotConnection, type SourceValue } from '../linotp-source.ts';

/** With a driver of SQLAlchemy's (`mysql+mysqldb`) or not. */
const URL_OF_DATABASE = /^(?<scheme>[a-z0-9]+)(?:\+[a-z0-9]+)?:(?<rest>\/\/.*)$/is;

/**
 * Opens a LinOTP database.
 * @param place a URL (`postgresql://…`, `mysql://…`; SQLAlchemy's names are accepted), or the path of a database file of
 *   SQLite
 * @throws ServiceError 'import.refused'
 */
export async function openLinotpSource(place: string): Promise<LinotpSource> {
  const { scheme, rest = '' } = URL_OF_DATABASE.exec(place)?.groups ?? {};
  if (scheme === undefined) {
    return openSqlite(place);
  }
  if (/^postgres(?:ql)?$/i.test(scheme)) {
    return LinotpSource.open(await connectPostgresql(`postgresql:${rest}`));
  }
  if (/^(?:mysql|mariadb)$/i.test(scheme)) {
    return LinotpSource.open(await connectMysql(`mysql:${rest}`));
  }
  throw importRefused(
    `URLs of the kind ${scheme} cannot be read: give one of PostgreSQL, MySQL or MariaDB, or the path of a database ` +
      'file of SQLite',
  );
}

async function openSqlite(path: string): Promise<LinotpSource> {
  if ((await readHead(path)) !== HEAD) {
    throw importRefused(
      `${resolve(path)} is no database file of SQLite, or it is encrypted. Load a dump into a scratch database, and ` +
        'import that (docs/guides/moving-from-linotp.md)',
    );
  }
  return LinotpSource.open(await connectSqlite(path));
}

const HEAD = 'SQLite format 3\0';

async function readHead(path: string): Promise<string> {
  try {
    // A pipe can be read only once; opening it would wait.
    if (!(await stat(path)).isFile()) {
      throw importRefused(`${resolve(path)} is not a file`);
    }
    const file = await open(path);
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD.length));
      return buffer.subarray(0, bytesRead).toString('latin1');
    } finally {
      await file.close();
    }
  } catch (error) {
    if (isServiceError(error)) {
      throw error;
    }
    const { code = 'unknown' } = error as { code?: string };
    throw importRefused(`${resolve(path)} cannot be opened (${code})`, error);
  }
}

const CONNECT_WITHIN_MS = 10_000;

const INVALID_URL =
  'the URL is not valid; encode the special characters of its password (%40 for @), or give it in a file';

/** Reasons in our own words, by the code of a fault. */
const OWN_WORDS: Readonly<Partial<Record<string, string>>> = {
  ERR_INVALID_URL: INVALID_URL,
  [UNKNOWN_LOGIN_CODE]: UNKNOWN_LOGIN,
};

type SnapshotRow = Record<string, SourceValue>;

/** @param url `postgresql://user:password@host/database` */
async function connectPostgresql(url: string): Promise<SnapshotConnection> {
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
    const reason = OWN_WORDS[code] ?? (message === '' ? code : message);
    throw importRefused(`The LinOTP database cannot be read: ${reason}`, error);
  }
}

/**
 * Opens a database file of SQLite: a copy of it, as no lock of ours would hold back a writer.
 * @throws ServiceError 'import.refused'
 */
async function connectSqlite(path: string): Promise<SnapshotConnection> {
  // Loads SQLite, a megabyte of WebAssembly.
  const { default: sqlite } = await import('node-sqlite3-wasm');
  const copy = await copySqlite(path);
  try {
    const database = withFileFaults(() => new sqlite.Database(copy.path, { fileMustExist: true }));
    return await connection(database, copy);
  } catch (error) {
    await copy.remove();
    throw error;
  }
}

async function connection(database: Database, copy: SqliteCopy): Promise<SnapshotConnection> {
  try {
    // The log of a database can be read without shared memory by the only process at it.
    withFileFaults(() => {
      database.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA temp_store = MEMORY; BEGIN');
      database.all('SELECT count(*) FROM sqlite_master');
    });
  } catch (error) {
    database.close();
    throw error;
  }
  // Open files outlive their names, so that nothing remains where the process is killed. Windows keeps the names.
  await copy.remove().catch(() => undefined);
  return {
    dialect: 'sqlite',
    query: (sql, values) =>
      Promise.resolve().then(() =>
        withFileFaults(() => database.all(sql, [...values]) as Record<string, SourceValue>[]),
      ),
    close: async () => {
      database.close();
      await copy.remove();
    },
  };
}

function withFileFaults<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    const { message = '' } = error as { message?: string };
    throw importRefused(
      `The SQLite database cannot be read (${message}): it is damaged or encrypted. Where the program sqlite3 can read ` +
        'it, make another one with `sqlite3 FILE .dump | sqlite3 scratch.db`, and import that',
      error,
    );
  }
}

interface SqliteCopy {
  readonly path: string;
  remove(): Promise<void>;
}

/** The database, the journal of a transaction that is running or was interrupted, and its write-ahead log. */
const SUFFIXES = ['', '-journal', '-wal'];

/**
 * Copies a database with its journal, by which SQLite takes back an unfinished transaction in the copy. The original is
 * only read: no locks, no recovery.
 * @throws ServiceError 'import.refused' if the file cannot be read or is changed meanwhile
 */
async function copySqlite(path: string): Promise<SqliteCopy> {
  const folder = await mkdtemp(join(tmpdir(), 'tankeeper-sqlite-'));
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  const copy = join(folder, 'linotp.db');
  try {
    const before = await stateOf(path);
    for (const suffix of SUFFIXES) {
      await copyFile(path + suffix, copy + suffix, constants.COPYFILE_FICLONE).catch(unlessMissing);
    }
    if ((await stateOf(path)) !== before) {
      throw importRefused(
        'The SQLite database is in use: it was changed while it was read. Stop LinOTP, or copy it with ' +
          '`sqlite3 FILE ".backup scratch.db"`, and import that',
      );
    }
    return { path: copy, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** @returns what changes with every change of the files */
async function stateOf(path: string): Promise<string> {
  const states = SUFFIXES.map(async (suffix) => {
    const status = await stat(path + suffix, { bigint: true }).catch(unlessMissing);
    return [status?.dev, status?.ino, status?.size, status?.mtimeNs];
  });
  return (await Promise.all(states)).join();
}

function unlessMissing(error: unknown): undefined {
  const { code = 'unknown' } = error as { code?: string };
  if (code !== 'ENOENT') {
    throw importRefused(`The SQLite database cannot be read (${code})`, error);
  }
}
