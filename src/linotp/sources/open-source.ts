import { importRefused } from '../import-refused.ts';
import type { LinotpSource } from '../linotp-source.ts';
import { DatabaseSource } from './database-source.ts';
import { DumpSource } from './dump-source.ts';
import { connectMysql, connectPostgresql } from './snapshot-connections.ts';
import { recogniseFile } from './source-file.ts';
import { connectSqlite } from './sqlite-connection.ts';

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
