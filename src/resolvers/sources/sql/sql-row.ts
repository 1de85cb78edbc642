import type { SqlColumns, SqlSettings } from '../../settings/sql-settings.ts';
import { isStorable } from '../../../kernel/text.ts';
import type { DirectoryUser } from '../../user-source.ts';
import { SqlRowsFault } from './sql-pool.ts';

/** A column of an answer, as one of the drivers describes it. */
interface AnsweredColumn {
  readonly name: string;
  /** PostgreSQL: the OID of its type. */
  readonly dataTypeID?: number;
  /** MySQL: the type in its protocol, and its character set. */
  readonly columnType?: number;
  readonly characterSet?: number;
}

/**
 * The types of columns, as far as ids depend on them. `bits`: MySQL's BIT. `padded`: of a fixed width, whose last blanks
 * mean nothing. `moment`: told in the time zone of the session. `inexact`: several values may have one text.
 */
type ColumnKind = 'text' | 'padded' | 'bytes' | 'number' | 'bits' | 'moment' | 'inexact';

/** A column by which users are found. */
export interface KeyColumn {
  readonly name: string;
  readonly kind: ColumnKind;
  readonly database: SqlSettings['database'];
}

/** A part of a statement, with its bindings for Knex. */
export type SqlPart = readonly [sql: string, bindings: string[]];

/** OIDs of PostgreSQL: bytea; char(n); timestamptz; int8, int2, int4, oid, numeric. */
const POSTGRESQL_KINDS: ReadonlyMap<number, ColumnKind> = new Map([
  [17, 'bytes'],
  [1042, 'padded'],
  [1184, 'moment'],
  ...[20, 21, 23, 26, 1700].map((oid) => [oid, 'number'] as const),
]);

/**
 * Types in MySQL's protocol: BIT; FLOAT, which is told with six digits; TIMESTAMP, in whose text the hour that a zone
 * repeats is one; JSON, which no text is equal to; VECTOR and GEOMETRY; the whole and the decimal numbers, and YEAR.
 */
const MYSQL_KINDS: ReadonlyMap<number, ColumnKind> = new Map([
  [16, 'bits'],
  ...[4, 7, 245].map((type) => [type, 'inexact'] as const),
  ...[242, 255].map((type) => [type, 'bytes'] as const),
  ...[0, 1, 2, 3, 8, 9, 13, 246].map((type) => [type, 'number'] as const),
]);
/** VARCHAR, the four BLOBs and TEXTs, VAR_STRING, STRING: with the character set `binary` they hold bytes. */
const MYSQL_STRINGS: readonly (number | undefined)[] = [15, 249, 250, 251, 252, 253, 254];
const MYSQL_BINARY = 63;

export function kindOf({ dataTypeID, columnType, characterSet }: AnsweredColumn): ColumnKind {
  if (dataTypeID !== undefined) {
    return POSTGRESQL_KINDS.get(dataTypeID) ?? 'text';
  }
  if (characterSet === MYSQL_BINARY && MYSQL_STRINGS.includes(columnType)) {
    return 'bytes';
  }
  return MYSQL_KINDS.get(columnType ?? -1) ?? 'text';
}

/** The text of a column, in the form of `readCell`. */
export function textForm({ name, kind, database }: KeyColumn): SqlPart {
  if (database === 'mysql') {
    const form = kind === 'bytes' ? 'LOWER(HEX(??))' : `CAST(??${kind === 'text' ? '' : ' + 0'} AS CHAR)`;
    return [form, [name]];
  }
  switch (kind) {
    case 'bytes':
      return [`encode(??, 'hex')`, [name]];
    case 'moment':
      return [
        `(CAST(?? AT TIME ZONE 'UTC' AS text) || CASE WHEN isfinite(??) THEN '+00' ELSE '' END)`,
        [name, name],
      ];
    default:
      return ['CAST(?? AS text)', [name]];
  }
}

/** The same for comparing it exactly, whatever the collation. */
export function exactForm(column: KeyColumn): SqlPart {
  const [form, bindings] = textForm(column);
  return [column.database === 'mysql' ? `CAST(${form} AS BINARY)` : `${form} COLLATE "C"`, bindings];
}

/** The condition that a row has a value that can be used. */
export function isPresent(column: KeyColumn): SqlPart {
  const { name, kind, database } = column;
  if (kind === 'number' || kind === 'bits' || kind === 'moment') {
    return ['?? IS NOT NULL', [name]];
  }
  if (database === 'postgresql') {
    const [form, bindings] = textForm(column);
    return [`${form} <> ''`, bindings];
  }
  // NUL cannot be stored here.
  return kind === 'bytes'
    ? ['LENGTH(??) > 0', [name]]
    : [`(LENGTH(??) > 0 AND INSTR(CAST(CONVERT(?? USING utf8mb4) AS BINARY), X'00') = 0)`, [name, name]];
}

/** The condition that a row has a login: one of blanks alone is none. */
export function hasLogin(column: KeyColumn): SqlPart {
  const { name, kind, database } = column;
  const [present, bindings] = isPresent(column);
  if (kind !== 'text' && kind !== 'padded' && kind !== 'bytes') {
    return [present, bindings];
  }
  const isNotBlank =
    database === 'mysql'
      ? `CONVERT(?? USING utf8mb4) REGEXP '[^[:space:]]'`
      : kind === 'bytes'
        ? `btrim(??, decode('090a0b0c0d20', 'hex')) <> decode('', 'hex')`
        : `btrim(CAST(?? AS text), E' \\t\\n\\x0b\\f\\r') <> ''`;
  return [`(${present} AND ${isNotBlank})`, [...bindings, name]];
}

/**
 * The condition that finds the rows with a text, by an index. It may find others whose texts only compare as equal.
 * @returns undefined if the column holds no such text
 */
export function hasText({ name, kind, database }: KeyColumn, text: string): SqlPart | undefined {
  if (kind === 'bytes') {
    const bytes = database === 'mysql' ? 'UNHEX(?)' : `decode(?, 'hex')`;
    return /^(?:[0-9a-f]{2})+$/.test(text) ? [`?? = ${bytes}`, [name, text]] : undefined;
  }
  if (database === 'mysql' && (kind === 'number' || kind === 'bits')) {
    // A number as a text would be compared as a float. Only digits, a sign and a point stand in the statement.
    return /^(?=[-.\d]{1,66}$)-?\d+(?:\.\d+)?$/.test(text) ? [`?? = ${text}`, [name]] : undefined;
  }
  return ['?? = ?', [name, text]];
}

/** The names of the columns of an answer: ours for those of the table, and counts. */
type CellName = keyof SqlColumns | 'users' | 'entries' | 'identified' | 'sharing';

/** The content of a cell; null for an empty one. Bytes only of a column that holds bytes. */
type Cell = string | Buffer | null;

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
