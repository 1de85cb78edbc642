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

type SourceTable = keyof typeof SOURCE_TABLES;

/** A read-only connection within one transaction that sees the database at one moment. */
export interface SnapshotConnection {
  readonly dialect: 'postgresql' | 'mysql' | 'sqlite';
  /** @param values for the placeholders `$1` of PostgreSQL, `?` of the others */
  query(sql: string, values: readonly string[]): Promise<readonly Record<string, SourceValue>[]>;
  close(): Promise<void>;
}

const AT_ONCE = 500;
/** Tables that may be large; the others are read at once. */
const LARGE: readonly SourceTable[] = ['Token', 'TokenRealm', 'challenges', 'ocra'];
/** Tables, and views that may stand in their place. PostgreSQL's information schema leaves out what a role may not read. */
const TABLES = {
  postgresql: `SELECT relname AS name, CASE WHEN relkind IN ('v', 'm') THEN 'view' ELSE 'table' END AS kind
    FROM pg_class JOIN pg_namespace ON pg_namespace.oid = relnamespace
    WHERE relkind IN ('r', 'p', 'v', 'm', 'f') AND nspname = ANY (current_schemas(false))`,
  mysql: `SELECT table_name AS name, CASE table_type WHEN 'BASE TABLE' THEN 'table' ELSE 'view' END AS kind
    FROM information_schema.tables WHERE table_schema = DATABASE() AND table_type <> 'SEQUENCE'`,
  sqlite: `SELECT name, type AS kind FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite!_%' ESCAPE '!'`,
};
/** A placeholder for a number that is given as text. */
const NUMBER = { postgresql: '$1::bigint', mysql: '?', sqlite: 'CAST(? AS INTEGER)' };

/** A LinOTP database, read-only, at one moment. */
export class LinotpSource {
  readonly dialect: SnapshotConnection['dialect'];
  /** The names of its other tables, of which nothing is read. */
  readonly unread: readonly string[];
  readonly #connection: SnapshotConnection;
  /** Tables by name in lower case: some servers of MySQL lower all names. */
  readonly #tables: ReadonlyMap<string, string>;

  private constructor(
    connection: SnapshotConnection,
    tables: ReadonlyMap<string, string>,
    unread: readonly string[],
  ) {
    this.dialect = connection.dialect;
    this.#connection = connection;
    this.#tables = tables;
    this.unread = unread;
  }

  static async open(connection: SnapshotConnection): Promise<LinotpSource> {
    const rows = await connection.query(TABLES[connection.dialect], []);
    // Another program's table may differ in case only; the exact name comes last, and wins.
    const names = rows.map(({ name }) => String(name));
    const exact = names.filter((name) => Object.hasOwn(SOURCE_TABLES, name));
    const tables = new Map([...names, ...exact].map((name) => [name.toLowerCase(), name]));
    const read = new Set(Object.keys(SOURCE_TABLES).map((name) => tables.get(name.toLowerCase())));
    const others = rows.filter(({ name, kind }) => kind === 'table' && !read.has(String(name)));
    return new LinotpSource(connection, tables, others.map(({ name }) => String(name)).sort());
  }

  has(table: SourceTable): boolean {
    return this.#tables.has(table.toLowerCase());
  }

  /** @returns the number of its rows; 0 without the table */
  async count(table: SourceTable): Promise<number> {
    const name = this.#nameOf(table);
    if (name === undefined) {
      return 0;
    }
    const rows = await this.#connection.query(`SELECT count(*) AS number FROM ${name}`, []);
    return Number(rows[0]?.number ?? 0);
  }

  /** @returns its rows in batches, in the order of their primary key; none without the table */
  async *rows(table: SourceTable): AsyncIterable<readonly SourceRow[]> {
    const name = this.#nameOf(table);
    if (name === undefined) {
      return;
    }
    if (!LARGE.includes(table)) {
      yield lowerCased(await this.#connection.query(`SELECT * FROM ${name}`, []));
      return;
    }
    yield* this.#pages(name, SOURCE_TABLES[table]);
  }

  close(): Promise<void> {
    return this.#connection.close();
  }

  /** Reads by ranges of the primary key: no driver then keeps more than a page. */
  async *#pages(name: string, keyName: string): AsyncIterable<readonly SourceRow[]> {
    const key = this.#quote(keyName);
    const page = `SELECT * FROM ${name} WHERE ${key} > ${NUMBER[this.dialect]} ORDER BY ${key} LIMIT ${AT_ONCE}`;
    let last = '-9223372036854775808';
    for (;;) {
      const rows = lowerCased(await this.#connection.query(page, [last]));
      const end = rows.at(-1)?.[keyName.toLowerCase()];
      if (end === undefined || end === null) {
        return;
      }
      yield rows;
      last = String(end);
    }
  }

  /** @returns its name, quoted; undefined without the table */
  #nameOf(table: SourceTable): string | undefined {
    const name = this.#tables.get(table.toLowerCase());
    return name === undefined ? undefined : this.#quote(name);
  }

  #quote(name: string): string {
    // SQLite takes a name in double quotes that it does not know as a text.
    const mark = this.dialect === 'postgresql' ? '"' : '`';
    return mark + name.replaceAll(mark, mark + mark) + mark;
  }
}

function lowerCased(rows: readonly Readonly<Record<string, SourceValue>>[]): readonly SourceRow[] {
  const names = Object.keys(rows[0] ?? {}).map((name) => [name, name.toLowerCase()] as const);
  return rows.map((row) => {
    const lowered: Record<string, SourceValue> = {};
    for (const [name, lower] of names) {
      lowered[lower] = row[name] ?? null;
    }
    return lowered;
  });
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

/** The ids of the realms of a token, at its id: an array takes a fifth of the memory of a map. */
export type RealmLinks = readonly (readonly number[] | undefined)[];

/** Tokens of the same realms share a list: there may be millions. */
export async function readRealmLinks(source: LinotpSource): Promise<RealmLinks> {
  const links: (readonly number[] | undefined)[] = [];
  const lists = new Map<string, readonly number[]>();
  for await (const rows of source.rows('TokenRealm')) {
    for (const row of rows) {
      const tokenId = wholeOf(row, 'token_id') ?? -1;
      if (tokenId < 0) {
        continue;
      }
      const realmIds = [...(links[tokenId] ?? []), wholeOf(row, 'realm_id') ?? -1];
      const shared = lists.get(realmIds.join()) ?? realmIds;
      lists.set(realmIds.join(), shared);
      links[tokenId] = shared;
    }
  }
  return links;
}
