import type { Database } from 'node-sqlite3-wasm';
import { ServiceError } from '../../kernel/errors.ts';
import { SOURCE_TABLES } from '../linotp-source.ts';
import type { SourceValue } from '../linotp-source.ts';
import type { SnapshotConnection } from './database-source.ts';
import { copySqlite, type SqliteCopy } from './sqlite-copy.ts';

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
