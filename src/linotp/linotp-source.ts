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

export type SourceTable = keyof typeof SOURCE_TABLES;

/** A LinOTP database, read-only, at one moment. */
export interface LinotpSource {
  readonly dialect: 'postgresql' | 'mysql' | 'sqlite';
  /** The names of its other tables, of which nothing is read. */
  readonly unread: readonly string[];
  has(table: SourceTable): boolean;
  /** @returns the number of its rows; 0 without the table */
  count(table: SourceTable): Promise<number>;
  /** @returns its rows in batches, in the order of their primary key; none without the table */
  rows(table: SourceTable): AsyncIterable<readonly SourceRow[]>;
  close(): Promise<void>;
}

/** A value as a driver gives it. */
export type SourceValue = string | number | bigint | Uint8Array | null;

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

/** @returns a whole number; undefined for NULL and for a value that is none */
export function wholeOf(row: SourceRow, column: string): number | undefined {
  const text = textOf(row, column).trim();
  const number = /^-?\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  return Number.isSafeInteger(number) ? number : undefined;
}

/** @returns a boolean: PostgreSQL's `t`, 1 of the others */
export function flagOf(row: SourceRow, column: string): boolean {
  return ['t', '1'].includes(textOf(row, column));
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

/** The realms of all tokens, packed: two numbers for each row of the table TokenRealm. */
export class RealmLinks {
  readonly #tokenIds: Float64Array;
  readonly #realmIds: Float64Array;

  private constructor(tokenIds: Float64Array, realmIds: Float64Array) {
    this.#tokenIds = tokenIds;
    this.#realmIds = realmIds;
  }

  static async read(source: LinotpSource): Promise<RealmLinks> {
    const size = await source.count('TokenRealm');
    const tokens = new Float64Array(size);
    const realms = new Float64Array(size);
    let at = 0;
    for await (const rows of source.rows('TokenRealm')) {
      for (const row of rows) {
        tokens[at] = wholeOf(row, 'token_id') ?? -1;
        realms[at] = wholeOf(row, 'realm_id') ?? -1;
        at += 1;
      }
    }
    return RealmLinks.#sort(tokens.subarray(0, at), realms.subarray(0, at));
  }

  static #sort(tokens: Float64Array, realms: Float64Array): RealmLinks {
    const isSorted = tokens.every((id, index) => index === 0 || (tokens[index - 1] ?? 0) <= id);
    if (isSorted) {
      return new RealmLinks(tokens, realms);
    }
    const order = Uint32Array.from(tokens.keys()).sort(
      (one, other) => (tokens[one] ?? 0) - (tokens[other] ?? 0),
    );
    const pick = (from: Float64Array): Float64Array => Float64Array.from(order, (index) => from[index] ?? -1);
    return new RealmLinks(pick(tokens), pick(realms));
  }

  /** @returns the ids of the token's realms */
  of(tokenId: number): readonly number[] {
    const realms: number[] = [];
    for (let at = this.#firstOf(tokenId); this.#tokenIds[at] === tokenId; at += 1) {
      realms.push(this.#realmIds[at] ?? -1);
    }
    return realms;
  }

  /** @returns the ids of tokens that no row of `known` has, each once */
  *danglingTokens(known: { has(tokenId: number): boolean }): Iterable<number> {
    let last = Number.NaN;
    for (const tokenId of this.#tokenIds) {
      if (tokenId !== last && !known.has(tokenId)) {
        yield tokenId;
      }
      last = tokenId;
    }
  }

  #firstOf(tokenId: number): number {
    let [low, high] = [0, this.#tokenIds.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#tokenIds[middle] ?? 0) < tokenId) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
}

/** A set of row ids, a bit for each. */
export class IdSet {
  readonly #pages = new Map<number, Uint8Array>();

  add(id: number): void {
    const [page, bit] = this.#place(id);
    const bytes = this.#pages.get(page) ?? new Uint8Array(8192);
    bytes[bit >>> 3] = (bytes[bit >>> 3] ?? 0) | (1 << (bit & 7));
    this.#pages.set(page, bytes);
  }

  has(id: number): boolean {
    const [page, bit] = this.#place(id);
    return ((this.#pages.get(page)?.[bit >>> 3] ?? 0) & (1 << (bit & 7))) !== 0;
  }

  #place(id: number): [page: number, bit: number] {
    return [Math.floor(id / 65_536), ((id % 65_536) + 65_536) % 65_536];
  }
}
