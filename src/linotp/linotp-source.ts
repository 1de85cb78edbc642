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

/** Converts times without a zone, as LinOTP stores them. */
export class LocalTime {
  readonly #format: Intl.DateTimeFormat;

  /**
   * @param zone such as `Europe/Berlin`
   * @throws RangeError for an unknown zone
   */
  constructor(zone: string) {
    this.#format = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      hourCycle: 'h23',
      era: 'short',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    });
  }

  /**
   * @param text `2026-11-20 12:41:56.834598` in the zone
   * @returns undefined for another form
   */
  read(text: string): Date | undefined {
    const local = readUtc(text);
    if (local === undefined) {
      return undefined;
    }
    // The offset at the wrong instant may be another one around a change of daylight saving time: ask twice.
    const first = local.getTime() - this.#offset(local);
    return new Date(local.getTime() - this.#offset(new Date(first)));
  }

  /** @returns milliseconds that the zone is ahead of UTC at this instant */
  #offset(instant: Date): number {
    const parts = this.#format.formatToParts(instant);
    const part = (type: string): number => Number(parts.find((one) => one.type === type)?.value ?? 0);
    const shown = Date.UTC(
      ...([part('year'), part('month') - 1, part('day')] as const),
      ...([part('hour'), part('minute'), part('second')] as const),
    );
    return shown - Math.floor(instant.getTime() / 1000) * 1000;
  }
}

/**
 * @param text `2026-11-20 12:41:56` or with a fraction, in UTC
 * @returns undefined for another form
 */
export function readUtc(text: string): Date | undefined {
  const match = /^((?!0000)\d{4}-\d\d-\d\d)[ T](\d\d:\d\d:\d\d)(\.\d{1,3})?\d*$/.exec(text.trim());
  if (match === null) {
    return undefined;
  }
  const [, day = '', time = '', fraction = ''] = match;
  const date = new Date(`${day}T${time}${fraction}Z`);
  return Number.isNaN(date.getTime()) ? undefined : date;
}

/** Undoes an encoding of texts that depends on the whole database. */
export type TextRepair = (text: string) => string;

/**
 * The characters of the bytes 80 to 9F in Windows-1252, undefined ones as themselves. Some releases of Node decode
 * them as Latin-1 with `TextDecoder`.
 */
const WINDOWS_1252 = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';
const FIRST_SPECIAL = 0x80;

/** @returns the text of bytes in Windows-1252 */
export function decodeWindows1252(bytes: Uint8Array): string {
  return Buffer.from(bytes)
    .toString('latin1')
    .replace(/[\x80-\x9f]/g, (character) => WINDOWS_1252.charAt(character.charCodeAt(0) - FIRST_SPECIAL));
}

/** Leaves texts as they are. */
export const unchanged: TextRepair = (text) => text;

/**
 * Undoes UTF-8 that a latin1 connection encoded a second time (`Ã¼` for `ü`), the old default of MySQL.
 * @returns undefined for a text that was not encoded twice; an ASCII text is its own repair
 */
function decodedTwice(text: string): string | undefined {
  const bytes: number[] = [];
  for (const character of text) {
    const special = WINDOWS_1252.indexOf(character);
    const code = special < 0 ? (character.codePointAt(0) ?? 0) : FIRST_SPECIAL + special;
    if (code > 0xff) {
      return undefined;
    }
    bytes.push(code);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Uint8Array.from(bytes));
  } catch {
    return undefined;
  }
}

/** Undoes the second encoding. Leaves texts that were encoded once. */
export const repairDoubleUtf8: TextRepair = (text) => decodedTwice(text) ?? text;

/** Undoes `linotp.uencode_data`: the text is the inside of a JSON string. */
export const undoUnicodeEscapes: TextRepair = (text) => {
  if (!text.includes('\\')) {
    return text;
  }
  try {
    const parsed: unknown = JSON.parse(`"${text}"`);
    return typeof parsed === 'string' ? parsed : text;
  } catch {
    return text;
  }
};

/** Finds out whether the texts of a database were encoded twice: all of those with other characters than ASCII were. */
export class DoubleUtf8Detector {
  #foreign = 0;
  #isDisproved = false;

  note(text: string): void {
    // eslint-disable-next-line no-control-regex -- the range of ASCII
    if (/^[\x00-\x7f]*$/.test(text)) {
      return;
    }
    this.#foreign += 1;
    this.#isDisproved ||= decodedTwice(text) === undefined;
  }

  get isDouble(): boolean {
    return this.#foreign > 0 && !this.#isDisproved;
  }
}
