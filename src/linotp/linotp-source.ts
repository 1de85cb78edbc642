import { ServiceError } from '../kernel/errors.ts';

declare module '../kernel/errors.ts' {
  interface ErrorPayloads {
    'import.refused': NoPayload;
  }
}

/** The tables of LinOTP that are read, each with a column by which its rows are ordered. */
export const SOURCE_TABLES = {
  Config: 'Key',
  Realm: 'id',
  TokenRealm: 'id',
  Token: 'LinOtpTokenId',
  challenges: 'id',
  // Up to 2.9, those of tokens of the type ocra.
  ocra: 'id',
  imported_user: 'userid',
} as const;

/** The tables that hold challenges. */
export const CHALLENGE_TABLES = ['challenges', 'ocra'] as const;

export type SourceTable = keyof typeof SOURCE_TABLES;

/** A LinOTP database, read-only, at one moment. */
export interface LinotpSource {
  readonly dialect: 'postgresql' | 'mysql' | 'sqlite';
  /** The notes for people about its content. */
  readonly notes: readonly string[];
  /** The names of its other tables, of which nothing is read. */
  readonly unread: readonly string[];
  /** @returns true if the database has this table */
  has(table: SourceTable): boolean;
  /** @returns the number of its rows; 0 without the table */
  count(table: SourceTable): Promise<number>;
  /** @returns its rows in batches, in the order of their primary key; none without the table */
  rows(table: SourceTable): AsyncIterable<readonly SourceRow[]>;
  close(): Promise<void>;
}

/** A value as a driver or a dump gives it. */
export type SourceValue = string | number | bigint | boolean | Uint8Array | null;

/** A row of a LinOTP table; the names of its columns are in lower case. An absent column is undefined. */
export type SourceRow = Readonly<Partial<Record<string, SourceValue>>>;

/** @returns the text of a column; empty for NULL, an absent column, and bytes that are not UTF-8 */
export function textOf(row: SourceRow, column: string): string {
  const value = row[column] ?? '';
  if (value instanceof Uint8Array) {
    return Buffer.from(value).toString('utf8');
  }
  return String(value);
}

/** @returns the text of a binary column, UTF-8; PostgreSQL writes such a value as `\x` and hexadecimal digits */
export function binaryTextOf(row: SourceRow, column: string): string {
  const value = row[column];
  const isHex = typeof value === 'string' && /^\\x(?:[0-9a-f]{2})*$/i.test(value);
  return isHex ? Buffer.from(value.slice(2), 'hex').toString('utf8') : textOf(row, column);
}

/** @returns a whole number; undefined for NULL and for a value that is none */
export function wholeOf(row: SourceRow, column: string): number | undefined {
  const text = textOf(row, column).trim();
  const number = /^-?\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  return Number.isSafeInteger(number) ? number : undefined;
}

/** @returns a boolean: PostgreSQL's `t`, MySQL's 1, an SQL dump's `true` */
export function flagOf(row: SourceRow, column: string): boolean {
  return ['t', 'true', '1'].includes(textOf(row, column).trim().toLowerCase());
}

/** Characters of a text that is read. LinOTP's own columns are narrower, but SQLite holds nobody to the width of a column. */
const MAX_TEXT_LENGTH = 65_536;

/**
 * @param bounds of columns, in characters; a general one holds for the others
 * @returns the reason to leave a row: one of its texts is too long; undefined: none is
 */
export function faultOfLength(
  row: SourceRow,
  bounds: Readonly<Partial<Record<string, number>>> = {},
): string | undefined {
  const boundOf = (column: string): number => bounds[column] ?? MAX_TEXT_LENGTH;
  const column = Object.keys(row).find((name) => textLength(row[name]) > boundOf(name));
  return column === undefined
    ? undefined
    : `its column ${column} has more than ${boundOf(column)} characters`;
}

function textLength(value: SourceValue | undefined): number {
  return typeof value === 'string' || value instanceof Uint8Array ? value.length : 0;
}

/** @returns the text, cut where it is too long for a report */
export function shortened(text: string): string {
  return text.length > MAX_SHOWN_LENGTH ? `${text.slice(0, MAX_SHOWN_LENGTH)}…` : text;
}

const MAX_SHOWN_LENGTH = 100;

/** @returns the refusal of an import before it has changed anything */
export function importRefused(message: string, cause?: unknown): ServiceError {
  return new ServiceError('import.refused', message, { cause });
}
