import { open, stat } from 'node:fs/promises';
import { resolve } from 'node:path';

import { importRefused, type LinotpSource } from '../linotp-source.ts';
import { connectMysql, connectPostgresql, DatabaseSource, connectSqlite } from './database-source.ts';
import { isServiceError } from '../../kernel/errors.ts';

/** With a driver (`mysql+mysqldb`) or not; only SQLite's may have no slashes. */
const URL_OF_DATABASE = /^(?<scheme>[a-z0-9]+)(?:\+[a-z0-9]+)?:(?<rest>\/\/.*|(?<=^sqlite:).*)$/is;

/**
 * Opens a LinOTP database.
 * @param place a URL (`postgresql://…`, `mysql://…`, `sqlite:///FILE`; SQLAlchemy's names are accepted), or the path of
 *   a database file of SQLite
 * @throws ServiceError 'import.refused'
 */
export async function openLinotpSource(place: string): Promise<LinotpSource> {
  const { scheme, rest = '' } = URL_OF_DATABASE.exec(place)?.groups ?? {};
  if (scheme === undefined) {
    return openSqlite(place);
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
    `Databases of the kind ${scheme} cannot be read: give a URL of PostgreSQL, MySQL or MariaDB, or a database file ` +
      'of SQLite',
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

async function openSqlite(path: string): Promise<LinotpSource> {
  if ((await readHead(path)) !== HEAD) {
    throw importRefused(
      `${resolve(path)} is no database file of SQLite, or it is encrypted. Load a dump into a scratch database, and ` +
        'import that (docs/guides/moving-from-linotp.md)',
    );
  }
  return DatabaseSource.open(await connectSqlite(path));
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
