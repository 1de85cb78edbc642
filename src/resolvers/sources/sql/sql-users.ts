import type { Knex } from 'knex';

import {
  type DirectoryUser,
  type Examination,
  type ResolverSecrets,
  type UserCondition,
  type UserField,
  type UserSearch,
  type UserSource,
  LIKE_ESCAPE,
  likePattern,
  patternsFor,
} from '../../user-source.ts';
import { readSqlSettings, type SqlColumns, type SqlSettings } from '../../settings/sql-settings.ts';
import type { Resolver } from '../../../configuration/configuration.ts';
import type { Log } from '../../../kernel/log.ts';
import {
  cellText,
  exactForm,
  hasLogin,
  hasText,
  isPresent,
  type KeyColumn,
  keyText,
  kindOf,
  readRows,
  type SqlAnswer,
  type SqlPart,
  type SqlRow,
  textForm,
  userOf,
} from './sql-row.ts';
import { hasForeignLetters, isNoSuchValue, SqlRowsFault, sqlUnavailable, SqlPool } from './sql-pool.ts';
import { comparableLogin, meantBy } from '../../resolver-lookup.ts';
import type { DirectoryPasswords } from '../directory-password.ts';

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
    readonly passwords: Pick<DirectoryPasswords, 'verify'>;
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
    const { passwords, log, resolver } = this.#deps;
    const row = await this.#rowOf(userId);
    const verdict = await passwords.verify(cellText(row?.password), password);
    if (verdict === 'unknown') {
      log.warn('A resolver keeps a password in a form that is not verified', { resolver: resolver.name });
    }
    return verdict === 'match';
  }

  sinceConnecting(): Promise<number | undefined> {
    return Promise.resolve(this.#opened?.pool.sinceConnecting);
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
