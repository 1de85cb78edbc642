import { isUtf8 } from 'node:buffer';
import type { Knex } from 'knex';
import {
  type DirectoryUser,
  type Examination,
  LIKE_ESCAPE,
  type ResolverSecrets,
  type UserCondition,
  type UserSearch,
  type UserSource,
  likePattern,
  patternsFor,
} from '../../user-source.ts';
import { type SqlColumns, type SqlSettings, readSqlSettings } from '../../settings/sql-settings.ts';
import type { Resolver } from '../../../configuration/configuration.ts';
import type { Log } from '../../../kernel/log.ts';
import { SqlPool, SqlRowsFault, isForNobody, sqlUnavailable } from './sql-pool.ts';
import { comparableLogin, meantBy } from '../../resolver-lookup.ts';
import { verifyStored } from '../directory-password.ts';
import type { PasswordHasher } from '../../../users/password-hash.ts';
import { isStorable } from '../../../kernel/text.ts';

type Query = Knex.QueryBuilder<SqlRow, SqlRow[]>;

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

  /** @returns the users by login */
  async list(search?: UserSearch): Promise<readonly DirectoryUser[]> {
    const rows = await this.#ask((query) => {
      // Rows without login or id are no users, and must not use up the limit.
      const found = usable(query);
      search?.conditions.forEach((condition) => {
        restrict(found, query, condition);
      });
      const ordered = found.select(selection(query.columns)).orderBy(query.columns.login);
      return query.read(search === undefined ? ordered : ordered.limit(search.limit));
    });
    return rows.flatMap((row) => userOf(row) ?? []);
  }

  async count(): Promise<number> {
    const rows = await this.#ask((query) => query.read(usable(query).count({ users: '*' })));
    return numberIn(rows, 'users');
  }

  async examine(): Promise<Examination> {
    const [numbers, twice] = await this.#ask(async (query) => {
      const { columns, transaction } = query;
      // Of the columns of no row, so that ids of an unfit type are refused.
      await query.read(query.users().select({ userId: columns.userId }).limit(0));
      const [id, login] = [hasId(query), hasLogin(query)];
      const counted = query.users().select({
        entries: transaction.raw('COUNT(*)'),
        identified: transaction.raw(`COUNT(CASE WHEN ${id} THEN 1 END)`, [columns.userId]),
        users: transaction.raw(`COUNT(CASE WHEN ${id} AND ${login} THEN 1 END)`, [
          columns.userId,
          columns.login,
        ]),
      });
      const exactly = query.database === 'mysql' ? 'CAST(?? AS BINARY)' : 'CAST(?? AS text)';
      const groups = usable(query)
        .select({ one: transaction.raw('COUNT(*)') })
        .groupByRaw(exactly, [columns.userId])
        .havingRaw('COUNT(*) > 1');
      const shared = transaction.from(groups.as('shared')).sum({ sharing: 'one' });
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
    const verdict = await verifyStored(hasher, row?.password ?? null, password);
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

  /** The rows that the database finds by the text, which may only compare as equal. */
  async #rowsWith(key: 'login' | 'userId', text: string): Promise<readonly SqlRow[]> {
    try {
      return await this.#ask((query) => {
        const { columns } = query;
        return query.read(
          query
            .users()
            .whereRaw('?? = ?', [columns[key], text])
            .select(selection(columns))
            .limit(MAX_NAMESAKES),
        );
      });
    } catch (refusal) {
      if (isForNobody((refusal as Error).cause)) {
        return [];
      }
      throw refusal;
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

interface UserQuery extends Pick<SqlSettings, 'columns' | 'database'> {
  readonly transaction: Knex.Transaction;
  /** Begins a query for the rows that are users. */
  readonly users: () => Query;
  readonly read: (query: Knex.QueryBuilder) => Promise<readonly SqlRow[]>;
}

function userQuery(
  { database, schema, table, where, columns }: SqlSettings,
  transaction: Knex.Transaction,
): UserQuery {
  const users = (): Query => {
    const rows: Query = transaction(table);
    const inSchema = schema === undefined ? rows : rows.withSchema(schema);
    return where === undefined ? inSchema : inSchema.whereRaw(`(${where})`);
  };
  const read = async (query: Knex.QueryBuilder): Promise<readonly SqlRow[]> => {
    const { sql, bindings } = query.toSQL();
    // Knex passes on what a driver tells about columns of raw statements only. MySQL's driver must not read numbers.
    const raw: unknown = await transaction.raw(sql, bindings).options({ typeCast: false });
    if (!Array.isArray(raw)) {
      return readRows(raw as SqlAnswer);
    }
    const [rows, fields] = raw as [SqlAnswer['rows'], SqlAnswer['fields']];
    return readRows({ rows, fields });
  };
  return { columns, database, transaction, users, read };
}

function asText({ database }: Pick<UserQuery, 'database'>): string {
  return database === 'mysql' ? 'CAST(?? AS CHAR)' : 'CAST(?? AS text)';
}

/** The condition that a row has an id, with a place for the column. */
function hasId(query: UserQuery): string {
  return `${asText(query)} <> ''`;
}

/** Likewise a login: one of blanks alone is none. */
function hasLogin(query: UserQuery): string {
  return `TRIM(${asText(query)}) <> ''`;
}

/** Begins a query for the rows with a login and an id. */
function usable(query: UserQuery): Query {
  const { userId, login } = query.columns;
  return query.users().whereRaw(hasId(query), [userId]).whereRaw(hasLogin(query), [login]);
}

function numberIn([row]: readonly SqlRow[], name: keyof SqlRow): number {
  return Number(row?.[name] ?? 0);
}

/** Columns of other types are compared as texts, and case is ignored whatever the collation. */
function restrict(rows: Query, query: UserQuery, condition: UserCondition): void {
  const { columns } = query;
  const alternatives = condition.fields.flatMap((field) => {
    const names = [columns[field], field === 'phone' ? columns.mobile : undefined];
    const patterns = patternsFor(condition, field).map(likePattern);
    return names.flatMap((name) => (name === undefined ? [] : patterns.map((pattern) => [name, pattern])));
  });
  const one = `LOWER(${asText(query)}) LIKE LOWER(?) ESCAPE '${LIKE_ESCAPE}'`;
  void rows.whereRaw(
    alternatives.length === 0 ? '1 = 0' : `(${alternatives.map(() => one).join(' OR ')})`,
    alternatives.flat(),
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

/** OIDs of PostgreSQL: bytea, json, timestamptz, whose text depends on the session's zone; char(n). */
const UNFIT_OF_POSTGRESQL: readonly number[] = [17, 114, 1184];
const PADDED = 1042;
/**
 * Types in MySQL's protocol: FLOAT, which is told with six digits; TIMESTAMP, in whose text the hour that a zone repeats
 * is one; BIT, VECTOR, JSON and GEOMETRY.
 */
const UNFIT_OF_MYSQL: readonly number[] = [4, 7, 16, 242, 245, 255];
/** VARCHAR, the four BLOBs and TEXTs, VAR_STRING, STRING: with the character set `binary` they hold bytes. */
const MYSQL_STRINGS: readonly number[] = [15, 249, 250, 251, 252, 253, 254];
const MYSQL_BINARY = 63;

/** @returns true if one value of the column has several texts, or several have one */
function isUnfitForIds({ dataTypeID, columnType = 0, characterSet }: AnsweredColumn): boolean {
  return dataTypeID === undefined
    ? UNFIT_OF_MYSQL.includes(columnType) ||
        (characterSet === MYSQL_BINARY && MYSQL_STRINGS.includes(columnType))
    : UNFIT_OF_POSTGRESQL.includes(dataTypeID);
}

/** The names of the columns of an answer: ours for those of the table, and counts. */
type CellName = keyof SqlColumns | 'users' | 'entries' | 'identified' | 'sharing';

type SqlRow = Partial<Record<CellName, string | null>>;

/** The answer of a driver: PostgreSQL's cells as texts, MySQL's as the bytes of texts. */
interface SqlAnswer {
  readonly rows: readonly Partial<Record<string, string | Buffer | null>>[];
  readonly fields: readonly AnsweredColumn[];
}

/** @throws SqlRowsFault if several ids may have one text */
function readRows({ rows, fields }: SqlAnswer): readonly SqlRow[] {
  if (fields.some((field) => field.name === 'userId' && isUnfitForIds(field))) {
    throw new SqlRowsFault(
      'the column of its ids is neither of texts nor of whole or decimal numbers (bytes, FLOAT, TIMESTAMP, JSON)',
    );
  }
  return rows.map((row) => {
    const read: Partial<Record<string, string | null>> = {};
    for (const { name, dataTypeID } of fields) {
      const text = textOfCell(row[name] ?? null);
      read[name] = dataTypeID === PADDED ? (text?.replace(/(?<! ) +$/, '') ?? null) : text;
    }
    return read;
  });
}

/** @returns null for an empty cell, and for bytes that are not UTF-8 */
function textOfCell(cell: string | Buffer | null): string | null {
  if (!Buffer.isBuffer(cell)) {
    return cell;
  }
  return isUtf8(cell) ? cell.toString('utf8') : null;
}

/** @returns the text by which a user is found; empty: it cannot be used */
function keyText(row: SqlRow, key: 'login' | 'userId'): string {
  const text = row[key] ?? '';
  // U+FFFD stands for what a database without an encoding holds and UTF-8 does not: several texts would become one.
  return isStorable(text) && !text.includes('\u{FFFD}') ? text : '';
}

/** @returns the user of a row; undefined if it has no login or no id, and so can own no token */
function userOf(row: SqlRow): DirectoryUser | undefined {
  const { givenName, surname, email, phone, mobile } = row;
  const user = {
    userId: keyText(row, 'userId'),
    login: keyText(row, 'login'),
    givenName: givenName ?? '',
    surname: surname ?? '',
    email: email ?? '',
    phone: (phone ?? '') === '' ? (mobile ?? '') : (phone ?? ''),
  };
  return user.userId === '' || user.login.trim() === '' ? undefined : user;
}
