import { constants } from 'node:fs';
import { copyFile, mkdtemp, open, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Database } from 'node-sqlite3-wasm';

import type { ServiceError } from '../../kernel/errors.ts';
import { importRefused, SOURCE_TABLES, type SourceValue } from '../linotp-source.ts';
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
  await copy.remove().catch(() => undefined);
  return {
    dialect: 'sqlite',
    query: (sql, values) =>
      Promise.resolve().then(() =>
        withImportFaults(() => database.all(sql, [...values]) as Record<string, SourceValue>[]),
      ),
    close: async () => {
      database.close();
      await copy.remove();
    },
  };
}

function withImportFaults<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    const { message = '' } = error as { message?: string };
    throw importRefused(
      `The SQLite database cannot be read (${message}): it is damaged, encrypted or no database. Where the program ` +
        'sqlite3 can read it, write a dump with `sqlite3 FILE .dump > dump.sql` and import that',
      error,
    );
  }
}

/** A private copy of an SQLite database in a temporary folder. */
interface SqliteCopy {
  readonly path: string;
  remove(): Promise<void>;
}

const ATTEMPTS = 20;
const PAUSE_MS = 100;
/** The header of the database has a change counter, that of a write-ahead log its salts. */
const HEADER_BYTES = 100;

/**
 * Copies a database at a moment at which it is not changed, with the journal of a transaction that is running or was
 * interrupted, by which SQLite takes that one back in the copy. The original is only read: no locks, no recovery.
 * @throws ServiceError 'import.refused' if the file cannot be read or is always being changed
 */
async function copySqlite(path: string): Promise<SqliteCopy> {
  const folder = await mkdtemp(join(tmpdir(), 'tankeeper-sqlite-'));
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  const copy = join(folder, 'linotp.db');
  try {
    for (let attempt = 1; !(await copyOnce(path, copy)); attempt += 1) {
      if (attempt >= ATTEMPTS) {
        throw importRefused(
          'The SQLite database is in use: it is changed again and again while it is read. Stop LinOTP, or write a dump ' +
            'with `sqlite3 FILE .dump > dump.sql` and import that',
        );
      }
      await sleep(PAUSE_MS);
    }
    return { path: copy, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

/** @returns false if the database has changed meanwhile */
async function copyOnce(path: string, copy: string): Promise<boolean> {
  const before = await stateOf(path);
  for (const suffix of ['', '-journal', '-wal']) {
    await rm(`${copy}${suffix}`, { force: true });
    await copyFile(`${path}${suffix}`, `${copy}${suffix}`, constants.COPYFILE_FICLONE).catch(unlessMissing);
  }
  const after = await stateOf(path);
  // A log that goes on has every page that was moved from it to the database meanwhile.
  return before.log === after.log && (before.log !== '' || before.files === after.files);
}

/** A file that disappears means a change; the next attempt finds out. */
function unlessMissing(error: unknown): undefined {
  if ((error as { code?: string }).code !== 'ENOENT') {
    throw uncopied(error);
  }
}

interface SqliteState {
  /** The database and its journal: file, size, time and header, as text. */
  readonly files: string;
  /** The header of the write-ahead log; empty: there is none. */
  readonly log: string;
}

async function stateOf(path: string): Promise<SqliteState> {
  const files = [path, `${path}-journal`].map(async (file) => {
    const status = await stat(file, { bigint: true }).catch(unlessMissing);
    return [status?.dev, status?.ino, status?.size, status?.mtimeNs, await headerOf(file)];
  });
  return { files: (await Promise.all(files)).join(), log: (await headerOf(`${path}-wal`)).slice(0, 64) };
}

/** @returns the first bytes, hexadecimal; empty if there is no such file */
async function headerOf(path: string): Promise<string> {
  const file = await open(path).catch(unlessMissing);
  try {
    const read = await file?.read(Buffer.alloc(HEADER_BYTES));
    return read?.buffer.toString('hex', 0, read.bytesRead) ?? '';
  } finally {
    await file?.close();
  }
}

function uncopied(error: unknown): ServiceError {
  const { code = 'unknown' } = error as { code?: string };
  return importRefused(`The SQLite database cannot be read (${code})`, error);
}
