import { open } from 'node:fs/promises';
import { ServiceError } from '../../kernel/errors.ts';
import type { LinotpSource } from '../ports.ts';
import { DatabaseSource } from './database-source.ts';
import { DumpSource } from './dump-source.ts';
import { connectMysql, connectPostgresql } from './snapshot-connections.ts';

/** The beginning of a database file of SQLite. */
const SQLITE = 'SQLite format 3\0';

/**
 * Opens a LinOTP database.
 * @param place a URL (`postgresql://…`, `mysql://…`; SQLAlchemy's names are accepted), or the path of an SQL dump
 * @throws ServiceError 'import.refused'
 */
export async function openLinotpSource(place: string): Promise<LinotpSource> {
  const match = /^([a-z0-9]+)(?:\+[a-z0-9]+)?(:\/\/.*)$/is.exec(place);
  if (match === null) {
    return openFile(place);
  }
  const [, scheme = '', rest = ''] = match;
  if (/^postgres(?:ql)?$/i.test(scheme)) {
    return DatabaseSource.open(await connectPostgresql(`postgresql${rest}`));
  }
  if (/^(?:mysql|mariadb)$/i.test(scheme)) {
    return DatabaseSource.open(await connectMysql(`mysql${rest}`));
  }
  throw new ServiceError(
    'import.refused',
    `Databases of the kind ${scheme} cannot be read: give a URL of PostgreSQL, MySQL or MariaDB, or an SQL dump`,
  );
}

async function openFile(path: string): Promise<LinotpSource> {
  const head = Buffer.alloc(SQLITE.length);
  try {
    const file = await open(path);
    await file.read(head).finally(() => file.close());
  } catch (error) {
    const { code = 'unknown' } = error as { code?: string };
    throw new ServiceError('import.refused', `The dump cannot be opened (${code})`, { cause: error });
  }
  if (head.toString('latin1') === SQLITE) {
    throw new ServiceError(
      'import.refused',
      'This is a database file of SQLite: write a dump with `sqlite3 FILE .dump > dump.sql` and import that',
    );
  }
  return DumpSource.open(path);
}
