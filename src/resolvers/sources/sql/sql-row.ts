import { isStorable } from '../../../kernel/text.ts';
import type { DirectoryUser } from '../../user-source.ts';
import type { SqlColumns } from '../../settings/sql-settings.ts';
import { type AnsweredColumn, type ColumnKind, kindOf } from './sql-columns.ts';
import { SqlRowsFault } from './sql-fault.ts';

/** The names of the columns of an answer: ours for those of the table, and counts. */
type CellName = keyof SqlColumns | 'users' | 'entries' | 'identified' | 'sharing';

/** The content of a cell; null for an empty one. Bytes only of a column that holds bytes. */
type Cell = string | Buffer | null;

/** A row of an answer. */
export type SqlRow = Partial<Record<CellName, Cell>>;

/** The answer of a driver: PostgreSQL's cells as texts, MySQL's as the bytes of texts. */
export interface SqlAnswer {
  readonly rows: readonly Partial<Record<string, Cell>>[];
  readonly fields: readonly AnsweredColumn[];
}

/** @throws SqlRowsFault if several ids may have one text */
export function readRows({ rows, fields }: SqlAnswer): readonly SqlRow[] {
  const columns = fields.map((field) => ({ name: field.name, kind: kindOf(field) }));
  if (columns.some(({ name, kind }) => name === 'userId' && kind === 'inexact')) {
    throw new SqlRowsFault(
      'the column of its ids is of a type whose values have no exact text (FLOAT, TIMESTAMP, JSON)',
    );
  }
  return rows.map((row) => {
    const read: Partial<Record<string, Cell>> = {};
    for (const { name, kind } of columns) {
      read[name] = readCell(row[name] ?? null, kind);
    }
    return read;
  });
}

/** @returns the one form of a value: equal values of a column have equal texts, different ones have different texts */
function readCell(cell: Cell, kind: ColumnKind): Cell {
  if (cell === null) {
    return null;
  }
  if (kind === 'bytes') {
    return typeof cell === 'string' ? Buffer.from(cell.slice(2), 'hex') : cell;
  }
  if (kind === 'bits') {
    return BigInt(`0x${Buffer.from(cell).toString('hex')}`).toString();
  }
  const text = typeof cell === 'string' ? cell : cell.toString('utf8');
  switch (kind) {
    case 'padded':
      return text.replace(/(?<! ) +$/, '');
    case 'number':
      // ZEROFILL
      return text.replace(/^(-?)0+(?=\d)/, '$1');
    case 'moment':
      return atUtc(text);
    default:
      return text;
  }
}

const MOMENT = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(\.\d+)?([+-])(\d\d)(?::(\d\d))?(?::(\d\d))?$/;

/** @returns the moment at UTC with its fractions of a second; other texts, as `infinity`, as they are */
function atUtc(text: string): string {
  const [, date = '', time = '', fraction = '', sign = '', hours, minutes = 0, seconds = 0] =
    MOMENT.exec(text) ?? [];
  const offset = (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * (sign === '-' ? -1 : 1);
  const moment = new Date(Date.parse(`${date}T${time}Z`) - offset * 1000);
  return Number.isNaN(moment.getTime())
    ? text
    : `${moment.toISOString().slice(0, 19).replace('T', ' ')}${fraction}+00`;
}

/** @returns the content of a cell as a text; null for an empty cell, and for bytes that are not UTF-8 */
export function cellText(cell: Cell | undefined): string | null {
  if (!Buffer.isBuffer(cell)) {
    return cell ?? null;
  }
  const text = cell.toString('utf8');
  return Buffer.from(text).equals(cell) ? text : null;
}

/** @returns the text by which a user is found: of an id that is bytes, their hex digits; empty: it cannot be used */
export function keyText(row: SqlRow, key: 'login' | 'userId'): string {
  const cell = row[key];
  const text = key === 'userId' && Buffer.isBuffer(cell) ? cell.toString('hex') : (cellText(cell) ?? '');
  // U+FFFD stands for what a database without an encoding holds and UTF-8 does not: several texts would become one.
  return isStorable(text) && !text.includes('\u{FFFD}') ? text : '';
}

/** @returns the user of a row; undefined if it has no login or no id, and so can own no token */
export function userOf(row: SqlRow): DirectoryUser | undefined {
  const text = (name: keyof SqlColumns): string => cellText(row[name]) ?? '';
  const user = {
    userId: keyText(row, 'userId'),
    login: keyText(row, 'login'),
    givenName: text('givenName'),
    surname: text('surname'),
    email: text('email'),
    phone: text('phone') === '' ? text('mobile') : text('phone'),
  };
  return user.userId === '' || user.login.trim() === '' ? undefined : user;
}
