import type { DirectoryUser } from '../../ports.ts';
import type { SqlColumns } from '../../settings/sql-settings.ts';

/** A row as the driver returns it, under our names for its columns. */
export type SqlRow = Partial<Record<keyof SqlColumns | 'users', unknown>>;

/**
 * @returns the content of a cell as a text without the padding of columns of a fixed width; null for an empty cell
 */
export function cellText(cell: unknown): string | null {
  if (cell === null || cell === undefined) {
    return null;
  }
  return plainText(cell).replace(/ +$/, '');
}

function plainText(cell: unknown): string {
  if (typeof cell === 'string') {
    return cell;
  }
  if (Buffer.isBuffer(cell)) {
    return cell.toString('utf8');
  }
  return cell instanceof Date ? cell.toISOString() : JSON.stringify(cell);
}

/** @returns the user of a row; undefined if it has no login or no id, and so can own no token */
export function userOf(row: SqlRow): DirectoryUser | undefined {
  const text = (name: keyof SqlColumns): string => cellText(row[name]) ?? '';
  const user = {
    userId: text('userId'),
    login: text('login'),
    givenName: text('givenName'),
    surname: text('surname'),
    email: text('email'),
    phone: text('phone') === '' ? text('mobile') : text('phone'),
  };
  return user.userId === '' || user.login === '' ? undefined : user;
}
