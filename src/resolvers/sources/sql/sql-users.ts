import type { Knex } from 'knex';
import {
  type DirectoryUser,
  type Examination,
  LIKE_ESCAPE,
  type ResolverSecrets,
  type UserCondition,
  type UserField,
  type UserSearch,
  type UserSource,
  likePattern,
  patternsFor,
} from '../../user-source.ts';
import { type SqlSettings, readSqlSettings } from '../../settings/sql-settings.ts';
import type { Resolver } from '../../../configuration/configuration.ts';
import type { Log } from '../../../kernel/log.ts';
import { SqlPool, SqlRowsFault, hasForeignLetters, isNoSuchValue, sqlUnavailable } from './sql-pool.ts';
import { comparableLogin, meantBy } from '../../resolver-lookup.ts';
import type { PasswordHasher } from '../../../users/password-hash.ts';
import { verifyStored } from '../directory-password.ts';
import { isStorable } from '../../../kernel/text.ts';

type SqlColumns = SqlSettings['columns'];
type Query = Knex.QueryBuilder<SqlRow, SqlRow[]>;

/** The columns by which users are found. */
type Keys = Readonly<Record<'userId' | 'login', KeyColumn>>;

/** More than the possible rows of one login: those that differ in case, where the database ignores case. */
const MAX_NAMESAKES = 100;

/**
 * The users in a table of a foreign database. Every call is one read-only transaction with a time limit. Where the
 * database compares texts without regard to case or to blanks at the end, a login finds the row all the same; an id, and
 * a letter for another one, as `ss` for `ß`, does not.
 */
export class SqlUsers implements UserSource {
  readonly #deps;
  #opened: { readonly settings: SqlSettings; readonly pool: SqlPool } | undefined;

  constructor(options: {
    readonly resolver: Resolver;
    readonly secrets: ResolverSecrets;
    readonly hasher: PasswordHasher;
    /** Milliseconds for each answer. */
    readonly timeoutMs: number;
    readonly log: Log;
  }) {
    this.#deps = options;
  }

  async findByLogin(login: string): Promise<DirectoryUser | undefined> {
    const rows = login === '' ? [] : await this.#rowsWith('login', login);
    const exact = this.#only(rows, 'login', login);
    if (exact !== undefined) {
      return userOf(exact);
    }
    const sought = comparableLogin(login);
    const alike = rows
      .flatMap((row) => userOf(row) ?? [])
      .filter((user) => comparableLogin(user.login) === sought);
    return meantBy(login, alike);
  }

  async findById(userId: string): Promise<DirectoryUser | undefined> {
    const row = await this.#rowOf(userId);
    return row && userOf(row);
  }

  /** @returns the users by login, limited by the setting */
  async list(search?: UserSearch): Promise<readonly DirectoryUser[]> {
    const rows = await this.#ask(async (query) => {
      const keys = await query.keys();
      // Rows without login or id are no users, and must not use up the limit.
      const found = usable(query.users(), keys);
      search?.conditions.forEach((condition) => {
        restrict(found, query, keys, condition);
      });
      const max = Math.min(query.limit ?? Infinity, search?.limit ?? Infinity);
      const ordered = found.select(selection(query.columns)).orderBy(query.columns.login);
      return query.read(max === Infinity ? ordered : ordered.limit(max));
    });
    return rows.flatMap((row) => userOf(row) ?? []);
  }

  /** @returns the number of rows that are users, limited by the setting */
  async count(): Promise<number> {
    const rows = await this.#ask(async (query) => {
      const known = usable(query.users(), await query.keys());
      return query.read(query.bounded(known).count({ users: '*' }));
    });
    return numberIn(rows, 'users');
  }

  /** Of no more rows than the setting allows. */
  async examine(): Promise<Examination> {
    const [numbers, twice] = await this.#ask(async (query) => {
      const { userId, login } = await query.keys();
      const [id, idBindings] = isPresent(userId);
      const [name, nameBindings] = hasLogin(login);
      const both = `COUNT(CASE WHEN ${id} AND ${name} THEN 1 END)`;
      const counted = query.bounded(query.users()).select({
        entries: query.transaction.raw('COUNT(*)'),
        identified: query.transaction.raw(`COUNT(CASE WHEN ${id} THEN 1 END)`, idBindings),
        users: query.transaction.raw(both, [...idBindings, ...nameBindings]),
      });
      const groups = usable(query.bounded(query.users()), { userId, login })
        .select({ one: query.transaction.raw('COUNT(*)') })
        .groupByRaw(...exactForm(userId))
        .havingRaw('COUNT(*) > 1');
      const shared = query.transaction.from(groups.as('shared')).sum({ sharing: 'one' });
      return [await query.read(counted), await query.read(shared)] as const;
    });
    const [identified, users] = [numberIn(numbers, 'identified'), numberIn(numbers, 'users')];
    const entries = numberIn(numbers, 'entries');
    return {
      entries,
      users,
      withoutId: entries - identified,
      withoutLogin: identified - users,
      sharingId: numberIn(twice, 'sharing'),
    };
  }

  /** False if the Map names no column for it, or the column has no hash that can be verified. */
  async checkPassword(userId: string, password: string): Promise<boolean> {
    const { hasher, log, resolver } = this.#deps;
    const row = await this.#rowOf(userId);
    const verdict = await verifyStored(hasher, cellText(row?.password), password);
    if (verdict === 'unknown') {
      log.warn('A resolver keeps a password in a form that is not verified', { resolver: resolver.name });
    }
    return verdict === 'match';
  }

  async close(): Promise<void> {
    await this.#opened?.pool.close();
  }

  async #rowOf(userId: string): Promise<SqlRow | undefined> {
    return userId === '' ? undefined : this.#only(await this.#rowsWith('userId', userId), 'userId', userId);
  }

  /** @returns the row with exactly that text */
  #only(rows: readonly SqlRow[], key: 'login' | 'userId', text: string): SqlRow | undefined {
    const exact = rows.filter((row) => keyText(row, key) === text);
    if (exact.length > 1 || rows.length === MAX_NAMESAKES) {
      const what = key === 'login' ? 'login' : 'user id';
      throw sqlUnavailable(this.#deps.resolver.name, new SqlRowsFault(`several rows have the same ${what}`));
    }
    return exact[0];
  }

  /** PostgreSQL refuses a value that the column cannot hold, or cannot compare; compared as texts, no row has it. */
  async #rowsWith(key: 'login' | 'userId', text: string): Promise<readonly SqlRow[]> {
    const find = (condition: (query: UserQuery) => Promise<SqlPart | undefined>) =>
      this.#ask(async (query) => {
        const part = await condition(query);
        return part === undefined
          ? []
          : query.read(
              query
                .users()
                .whereRaw(...part)
                .select(selection(query.columns))
                .limit(MAX_NAMESAKES),
            );
      });
    try {
      return await find(async ({ columns, keys }) =>
        key === 'login' ? ['?? = ?', [columns.login, text]] : hasText((await keys()).userId, text),
      );
    } catch (refusal) {
      const { cause } = refusal as Error;
      if (hasForeignLetters(cause)) {
        return [];
      }
      if (!isNoSuchValue(cause)) {
        throw refusal;
      }
      return find(async ({ keys }) => {
        const [form, bindings] = textForm((await keys())[key]);
        return [`${form} = ?`, [...bindings, text]];
      });
    }
  }

  async #ask<Value>(question: (query: UserQuery) => Promise<Value>): Promise<Value> {
    try {
      const { settings, pool } = this.#open();
      return await pool.read((transaction) => question(userQuery(settings, transaction)));
    } catch (cause) {
      throw sqlUnavailable(this.#deps.resolver.name, cause, this.#opened?.settings);
    }
  }

  #open(): { readonly settings: SqlSettings; readonly pool: SqlPool } {
    if (this.#opened === undefined) {
      const { resolver, secrets, timeoutMs, log } = this.#deps;
      const settings = readSqlSettings(resolver.settings);
      const password = async (): Promise<string> => (await secrets.open(resolver)) ?? '';
      const pool = new SqlPool({ resolver: resolver.name, settings, password, timeoutMs, log });
      this.#opened = { settings, pool };
    }
    return this.#opened;
  }
}

interface UserQuery {
  /** Begins a query for the rows that are users. */
  readonly users: () => Query;
  readonly columns: SqlColumns;
  readonly limit: number | undefined;
  readonly transaction: Knex.Transaction;
  /** @returns a query for as many of the rows as the setting allows, with the columns of `keys` only */
  readonly bounded: (rows: Query) => Query;
  /** @returns the columns by which users are found, as the database describes them at this moment */
  readonly keys: () => Promise<Keys>;
  readonly read: (query: Knex.QueryBuilder) => Promise<readonly SqlRow[]>;
}

function userQuery(
  { database, schema, table, where, columns, limit }: SqlSettings,
  transaction: Knex.Transaction,
): UserQuery {
  const users = (): Query => {
    const rows: Query = transaction(table);
    const inSchema = schema === undefined ? rows : rows.withSchema(schema);
    return where === undefined ? inSchema : inSchema.whereRaw(`(${where})`);
  };
  const answer = async (query: Knex.QueryBuilder): Promise<SqlAnswer> => {
    const { sql, bindings } = query.toSQL();
    // Knex passes on what a driver tells about columns of raw statements only. MySQL's driver must not read numbers.
    const raw: unknown = await transaction.raw(sql, bindings).options({ typeCast: false });
    if (!Array.isArray(raw)) {
      return raw as SqlAnswer;
    }
    const [rows, fields] = raw as [SqlAnswer['rows'], SqlAnswer['fields']];
    return { rows, fields };
  };
  const read = async (query: Knex.QueryBuilder): Promise<readonly SqlRow[]> => readRows(await answer(query));
  const keys = async (): Promise<Keys> => {
    const { userId, login } = columns;
    const described = await answer(users().select({ userId, login }).limit(0));
    readRows(described);
    const [id, name] = described.fields.map(kindOf);
    return {
      userId: { name: userId, kind: id ?? 'text', database },
      login: { name: login, kind: name ?? 'text', database },
    };
  };
  const bounded = (rows: Query): Query =>
    limit === undefined
      ? rows
      : transaction.from(rows.select(columns.userId, columns.login).limit(limit).as('known'));
  return { users, columns, limit, transaction, bounded, keys, read };
}

/** Leaves out rows without a login or an id. */
function usable(rows: Query, { userId, login }: Keys): Query {
  return rows.whereRaw(...isPresent(userId)).whereRaw(...hasLogin(login));
}

function numberIn([row]: readonly SqlRow[], name: keyof SqlRow): number {
  return Number(cellText(row?.[name]) ?? 0);
}

/** Columns of other types are compared as texts, and case is ignored whatever the collation. */
function restrict(rows: Query, { columns }: UserQuery, { userId }: Keys, condition: UserCondition): void {
  const { database } = userId;
  const formsOf = (field: UserField): readonly SqlPart[] => {
    if (field === 'userId') {
      return [textForm(userId)];
    }
    const named = [columns[field], field === 'phone' ? columns.mobile : undefined];
    return named.flatMap((name) => (name === undefined ? [] : [textForm({ name, kind: 'text', database })]));
  };
  const alternatives = condition.fields.flatMap((field) =>
    formsOf(field).flatMap(([form, bindings]) =>
      patternsFor(condition, field).map((pattern): SqlPart => [form, [...bindings, likePattern(pattern)]]),
    ),
  );
  void rows.whereRaw(
    alternatives.length === 0
      ? '1 = 0'
      : `(${alternatives.map(([form]) => `LOWER(${form}) LIKE LOWER(?) ESCAPE '${LIKE_ESCAPE}'`).join(' OR ')})`,
    alternatives.flatMap(([, bindings]) => [...bindings]),
  );
}

/** The columns under the names of `SqlRow`; Knex quotes them as identifiers. */
function selection(columns: SqlColumns): Record<string, string> {
  return Object.fromEntries(
    Object.entries(columns).flatMap(([name, column]: [string, string | undefined]) =>
      column === undefined ? [] : [[name, column]],
    ),
  );
}

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
interface KeyColumn {
  readonly name: string;
  readonly kind: ColumnKind;
  readonly database: SqlSettings['database'];
}

/** A part of a statement, with its bindings for Knex. */
type SqlPart = readonly [sql: string, bindings: string[]];

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

function kindOf({ dataTypeID, columnType, characterSet }: AnsweredColumn): ColumnKind {
  if (dataTypeID !== undefined) {
    return POSTGRESQL_KINDS.get(dataTypeID) ?? 'text';
  }
  if (characterSet === MYSQL_BINARY && MYSQL_STRINGS.includes(columnType)) {
    return 'bytes';
  }
  return MYSQL_KINDS.get(columnType ?? -1) ?? 'text';
}

/** The text of a column, in the form of `readCell`. */
function textForm({ name, kind, database }: KeyColumn): SqlPart {
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
function exactForm(column: KeyColumn): SqlPart {
  const [form, bindings] = textForm(column);
  return [column.database === 'mysql' ? `CAST(${form} AS BINARY)` : `${form} COLLATE "C"`, bindings];
}

/** The condition that a row has a value that can be used. */
function isPresent(column: KeyColumn): SqlPart {
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
function hasLogin(column: KeyColumn): SqlPart {
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
function hasText({ name, kind, database }: KeyColumn, text: string): SqlPart | undefined {
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

type SqlRow = Partial<Record<CellName, Cell>>;

/** The answer of a driver: PostgreSQL's cells as texts, MySQL's as the bytes of texts. */
interface SqlAnswer {
  readonly rows: readonly Partial<Record<string, Cell>>[];
  readonly fields: readonly AnsweredColumn[];
}

/** @throws SqlRowsFault if several ids may have one text */
function readRows({ rows, fields }: SqlAnswer): readonly SqlRow[] {
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
function cellText(cell: Cell | undefined): string | null {
  if (!Buffer.isBuffer(cell)) {
    return cell ?? null;
  }
  const text = cell.toString('utf8');
  return Buffer.from(text).equals(cell) ? text : null;
}

/** @returns the text by which a user is found: of an id that is bytes, their hex digits; empty: it cannot be used */
function keyText(row: SqlRow, key: 'login' | 'userId'): string {
  const cell = row[key];
  const text = key === 'userId' && Buffer.isBuffer(cell) ? cell.toString('hex') : (cellText(cell) ?? '');
  // U+FFFD stands for what a database without an encoding holds and UTF-8 does not: several texts would become one.
  return isStorable(text) && !text.includes('\u{FFFD}') ? text : '';
}

/** @returns the user of a row; undefined if it has no login or no id, and so can own no token */
function userOf(row: SqlRow): DirectoryUser | undefined {
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
