import { open, stat } from 'node:fs/promises';
import { resolve } from 'node:path';

import { importRefused, type LinotpSource } from '../linotp-source.ts';
import { connectMysql, connectPostgresql, DatabaseSource, connectSqlite } from './database-source.ts';
import { DumpSource } from './dump-source.ts';
import { isServiceError } from '../../kernel/errors.ts';

/** With a driver (`mysql+mysqldb`) or not; only SQLite's may have no slashes. */
const URL_OF_DATABASE = /^(?<scheme>[a-z0-9]+)(?:\+[a-z0-9]+)?:(?<rest>\/\/.*|(?<=^sqlite:).*)$/is;

/**
 * Opens a LinOTP database.
 * @param place a URL (`postgresql://…`, `mysql://…`, `sqlite:///FILE`; SQLAlchemy's names are accepted), or the path of
 *   a database file of SQLite or of an SQL dump
 * @throws ServiceError 'import.refused'
 */
export async function openLinotpSource(place: string): Promise<LinotpSource> {
  const { scheme, rest = '' } = URL_OF_DATABASE.exec(place)?.groups ?? {};
  if (scheme === undefined) {
    return openFile(place);
  }
  if (/^postgres(?:ql)?$/i.test(scheme)) {
    return DatabaseSource.open(await connectPostgresql(`postgresql:${rest}`));
  }
  if (/^(?:mysql|mariadb)$/i.test(scheme)) {
    return DatabaseSource.open(await connectMysql(`mysql:${rest}`));
  }
  if (/^sqlite$/i.test(scheme)) {
    return openSqlite(pathInUrl(rest));
  }
  throw importRefused(
    `Databases of the kind ${scheme} cannot be read: give a URL of PostgreSQL, MySQL or MariaDB, a database file of ` +
      'SQLite, or an SQL dump',
  );
}

/**
 * The path of SQLAlchemy's URL: three slashes before a relative path, four for an absolute one; parameters follow a
 * question mark.
 */
function pathInUrl(rest: string): string {
  const path = rest.replace(/^\/\/\//, '').replace(/\?.*$/s, '');
  if (path === '' || path.startsWith('//')) {
    throw importRefused('A URL of SQLite is sqlite:///relative/path or sqlite:////absolute/path');
  }
  return path;
}

async function openFile(path: string): Promise<LinotpSource> {
  return (await recogniseFile(path)) === 'sqlite' ? openSqlite(path) : DumpSource.open(path);
}

async function openSqlite(path: string): Promise<LinotpSource> {
  if ((await recogniseFile(path)) !== 'sqlite') {
    throw importRefused('This is no database file of SQLite: give the path of an SQL dump without sqlite:');
  }
  return DatabaseSource.open(await connectSqlite(path));
}

const HEAD_BYTES = 4096;
/** Beginnings of files that are neither a dump nor a database, as Latin-1, with the way to a dump. */
const OTHERS: readonly (readonly [beginning: string, kind: string])[] = [
  ['PGDMP', 'an archive of pg_dump: `pg_restore -f dump.sql FILE` writes an SQL dump of it'],
  ['\x1f\x8b', 'compressed: `gunzip` it first'],
  ...['BZh', '\xfd7zXZ', '\x28\xb5\x2f\xfd', 'PK\x03\x04'].map(
    (beginning) => [beginning, 'compressed: unpack it first'] as const,
  ),
  ...['\xff\xfe', '\xfe\xff'].map((mark) => [mark, 'written in UTF-16: write the dump in UTF-8'] as const),
  ['<?xml', 'XML: write an SQL dump'],
];

/**
 * Recognises the kind of a file by its content.
 * @throws ServiceError 'import.refused' if it cannot be read, or is neither
 */
async function recogniseFile(path: string): Promise<'sqlite' | 'dump'> {
  const head = await readHead(path);
  if (head.startsWith('SQLite format 3\0')) {
    return 'sqlite';
  }
  const other = OTHERS.find(([beginning]) => head.startsWith(beginning))?.[1];
  if (other !== undefined) {
    throw importRefused(`The file is ${other}`);
  }
  if (head.includes('\0')) {
    throw importRefused(
      'The file is neither an SQL dump nor a database file of SQLite, or the database is encrypted. Where the program ' +
        'that made it can read it, write an SQL dump (`sqlite3 FILE .dump > dump.sql`) and import that',
    );
  }
  return 'dump';
}

async function readHead(path: string): Promise<string> {
  try {
    // A pipe can be read only once; opening it would wait.
    if (!(await stat(path)).isFile()) {
      throw importRefused(`${resolve(path)} is not a file`);
    }
    const file = await open(path);
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES));
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
