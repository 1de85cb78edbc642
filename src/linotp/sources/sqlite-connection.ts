import { constants } from 'node:fs';
import { copyFile, mkdtemp, open, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from 'node-sqlite3-wasm';

import { ServiceError } from '../../kernel/errors.ts';
import { SOURCE_TABLES, type SourceValue } from '../linotp-source.ts';
import type { SnapshotConnection } from './database-source.ts';

const KNOWN: ReadonlySet<string> = new Set(Object.keys(SOURCE_TABLES).map((name) => name.toLowerCase()));

/**
 * Opens a database file of SQLite: a copy of it, as no lock of ours would hold back a writer.
 * @throws ServiceError 'import.refused'
 */
export async function connectSqlite(path: string): Promise<SnapshotConnection> {
  // Loads SQLite, a megabyte of WebAssembly.
  const { default: sqlite } = await import('node-sqlite3-wasm');
  const copy = await copySqlite(path);
  try {
    const database = withImportFaults(() =>
      checkTables(new sqlite.Database(copy.path, { fileMustExist: true })),
    );
    return await connection(database, copy);
  } catch (error) {
    await copy.remove();
    throw error;
  }
}

/** @returns the database within a transaction; every page of LinOTP's tables has been read, and none is damaged */
function checkTables(database: Database): Database {
  try {
    // The log of a database can be read without shared memory by the only process at it.
    database.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA temp_store = MEMORY; BEGIN');
    const tables = database.all(`SELECT name FROM sqlite_master WHERE type = 'table'`) as { name: string }[];
    for (const { name } of tables.filter((table) => KNOWN.has(table.name.toLowerCase()))) {
      database.all(`SELECT count(*) FROM \`${name}\` NOT INDEXED`);
    }
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

async function connection(database: Database, copy: SqliteCopy): Promise<SnapshotConnection> {
  // Open files outlive their names, so that nothing remains where the process is killed. Windows keeps the names.
  const isRemoved = await copy.remove().then(
    () => true,
    () => false,
  );
  return {
    dialect: 'sqlite',
    query: (sql, values) =>
      Promise.resolve().then(() =>
        withImportFaults(() => database.all(sql, [...values]) as Record<string, SourceValue>[]),
      ),
    close: async () => {
      database.close();
      if (!isRemoved) {
        await copy.remove();
      }
    },
  };
}

function withImportFaults<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    const { message = '' } = error as { message?: string };
    throw new ServiceError(
      'import.refused',
      `The SQLite database cannot be read (${message}): it is damaged, encrypted or no database. Where the program ` +
        'sqlite3 can read it, write a dump with `sqlite3 FILE .dump > dump.sql` and import that',
      { cause: error },
    );
  }
}

/** A private copy of an SQLite database in a temporary folder. */
interface SqliteCopy {
  readonly path: string;
  /** Removes the copy. Windows keeps files that are open. */
  remove(): Promise<void>;
}

const ATTEMPTS = 20;
const PAUSE_MS = 100;
/** The header of the database, with its change counter, and that of a write-ahead log, with its salts. */
const HEADER_BYTES = 100;

/**
 * Copies a database at a moment at which no transaction changes it. The original is only read: no locks, no recovery.
 * @throws ServiceError 'import.refused' if the file cannot be read or is always being changed
 */
async function copySqlite(path: string): Promise<SqliteCopy> {
  const folder = await mkdtemp(join(tmpdir(), 'tankeeper-sqlite-'));
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  const copy = join(folder, 'linotp.db');
  try {
    for (let attempt = 1; !(await copyOnce(path, copy)); attempt += 1) {
      if (attempt >= ATTEMPTS) {
        throw await busy(path);
      }
      await sleep(PAUSE_MS);
    }
    return { path: copy, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** @returns false if the database has changed meanwhile, or is in the middle of a change */
async function copyOnce(path: string, copy: string): Promise<boolean> {
  const before = await stateOf(path);
  if (before.isInTransaction) {
    return false;
  }
  await copyIfPresent(path, copy);
  await rm(`${copy}-wal`, { force: true });
  if (before.log !== undefined) {
    await copyIfPresent(`${path}-wal`, `${copy}-wal`);
  }
  const after = await stateOf(path);
  if (after.isInTransaction || before.log !== after.log) {
    return false;
  }
  // A log that goes on has every page that was moved from it to the database meanwhile.
  return before.log !== undefined || before.database === after.database;
}

/** A file that disappears means a change; the next attempt finds out. */
async function copyIfPresent(from: string, to: string): Promise<void> {
  try {
    await copyFile(from, to, constants.COPYFILE_FICLONE);
  } catch (error) {
    if ((error as { code?: string }).code !== 'ENOENT') {
      throw uncopied(error);
    }
  }
}

interface SqliteState {
  /** The file, its size, time and header, as text. */
  readonly database: string;
  /** The same of the write-ahead log without size and time; undefined: there is none. */
  readonly log: string | undefined;
  /** A journal holds what a transaction has overwritten: it runs, or its process ended within it. */
  readonly isInTransaction: boolean;
}

async function stateOf(path: string): Promise<SqliteState> {
  const { dev, ino, size, mtimeNs } = await stat(path, { bigint: true }).catch((error: unknown) => {
    throw uncopied(error);
  });
  const header = await headerOf(path);
  const log = await headerOf(`${path}-wal`);
  const journal = await headerOf(`${path}-journal`);
  return {
    database: [dev, ino, size, mtimeNs, header?.toString('hex')].join(),
    log: log === undefined || log.length === 0 ? undefined : log.subarray(0, 32).toString('hex'),
    // A journal that is kept after its transaction begins with zeros.
    isInTransaction: journal !== undefined && journal.length > 0 && journal[0] !== 0,
  };
}

/** @returns the first bytes; undefined if there is no such file */
async function headerOf(path: string): Promise<Buffer | undefined> {
  try {
    const file = await open(path);
    try {
      const bytes = Buffer.alloc(HEADER_BYTES);
      const { bytesRead } = await file.read(bytes);
      return bytes.subarray(0, bytesRead);
    } finally {
      await file.close();
    }
  } catch (error) {
    if ((error as { code?: string }).code === 'ENOENT') {
      return undefined;
    }
    throw uncopied(error);
  }
}

async function busy(path: string): Promise<ServiceError> {
  const { isInTransaction } = await stateOf(path);
  const reason = isInTransaction
    ? 'a transaction is running, or a process ended within one and left its journal'
    : 'it is changed again and again while it is read';
  return new ServiceError(
    'import.refused',
    `The SQLite database is in use: ${reason}. Stop LinOTP, or write a dump with ` +
      '`sqlite3 FILE .dump > dump.sql` and import that',
  );
}

function uncopied(error: unknown): ServiceError {
  const { code = 'unknown' } = error as { code?: string };
  return new ServiceError('import.refused', `The SQLite database cannot be read (${code})`, { cause: error });
}
