import type { Knex } from 'knex';

import type { DirectoryPasswords, DirectoryUser, ResolverSecrets } from '../../ports.ts';
import { readSqlSettings, type SqlColumns, type SqlSettings } from '../../settings/sql-settings.ts';
import type { Resolver } from '../../../configuration/configuration.ts';
import type { Log } from '../../../kernel/log.ts';
import { isNoSuchValue, SqlRowsFault, sqlUnavailable } from './sql-fault.ts';
import { SqlPool } from './sql-pool.ts';
import { cellText, type SqlRow, userOf } from './sql-row.ts';
import { LIKE_ESCAPE, likePattern } from '../../user-search.ts';
import type { UserCondition, UserSearch } from '../../ports.ts';
import type { ClosableUserSource } from '../closable-source.ts';

interface SqlUsersOptions {
  readonly resolver: Resolver;
  readonly secrets: ResolverSecrets;
  readonly passwords: DirectoryPasswords;
  /** Milliseconds for each answer. */
  readonly timeoutMs: number;
  readonly log: Log;
}

/** A query of the table. */
type Query = Knex.QueryBuilder<SqlRow, SqlRow[]>;

/** More than the possible rows of one login: those that differ in case, where the database ignores case. */
const MAX_NAMESAKES = 100;

/**
 * The users in a table of a foreign database. Every call is one read-only transaction with a time limit. Where the
 * database compares texts without regard to case, only the identical one is found.
 */
export class SqlUsers implements ClosableUserSource {
  readonly #deps: SqlUsersOptions;
  #opened: { readonly settings: SqlSettings; readonly pool: SqlPool } | undefined;

  constructor(options: SqlUsersOptions) {
    this.#deps = options;
  }

  async findByLogin(login: string): Promise<DirectoryUser | undefined> {
    const row = await this.#findRow('login', login);
    return row && userOf(row);
  }

  async findById(userId: string): Promise<DirectoryUser | undefined> {
    const row = await this.#findRow('userId', userId);
    return row && userOf(row);
  }

  /** @returns the users by login, limited by the setting */
  async list(search?: UserSearch): Promise<readonly DirectoryUser[]> {
    const rows = await this.#ask(({ users, columns, limit, textType }) => {
      const query = users().select(selection(columns)).orderBy(columns.login);
      if (search !== undefined) {
        // Rows without login or id are no users, and must not use up the limit.
        void query.whereNotNull(columns.userId).whereNotNull(columns.login);
        search.conditions.forEach((condition) => {
          restrict(query, columns, textType, condition);
        });
      }
      const max = Math.min(limit ?? Infinity, search?.limit ?? Infinity);
      return max === Infinity ? query : query.limit(max);
    });
    return rows.flatMap((row) => userOf(row) ?? []);
  }

  /** @returns the number of rows that are users, limited by the setting */
  async count(): Promise<number> {
    const rows = await this.#ask(({ users, columns, limit, transaction }) => {
      const known = users().whereNotNull(columns.userId).whereNotNull(columns.login);
      return limit === undefined
        ? known.count({ users: '*' })
        : transaction
            .from(known.select({ one: columns.login }).limit(limit).as('known'))
            .count({ users: '*' });
    });
    return Number(rows[0]?.users ?? 0);
  }

  /** False if the Map names no column for it, or the column has no hash that can be verified. */
  async checkPassword(userId: string, password: string): Promise<boolean> {
    const { passwords, log, resolver } = this.#deps;
    const row = await this.#findRow('userId', userId);
    const verdict = await passwords.verify(cellText(row?.password), password);
    if (verdict === 'unknown') {
      log.warn('A resolver keeps a password in a form that is not verified', { resolver: resolver.name });
    }
    return verdict === 'match';
  }

  async close(): Promise<void> {
    await this.#opened?.pool.close();
  }

  async #findRow(key: 'login' | 'userId', text: string): Promise<SqlRow | undefined> {
    const rows = await this.#rowsWith(key, text);
    const exact = rows.filter((row) => cellText(row[key]) === text);
    if (exact.length > 1 || rows.length === MAX_NAMESAKES) {
      const what = key === 'login' ? 'login' : 'user id';
      throw sqlUnavailable(this.#deps.resolver.name, new SqlRowsFault(`several rows have the same ${what}`));
    }
    return exact[0];
  }

  /** PostgreSQL refuses a value that the column cannot hold; compared as texts, no row has it. */
  async #rowsWith(key: 'login' | 'userId', text: string): Promise<readonly SqlRow[]> {
    const find = (compare: (query: Query, column: string) => Query) =>
      this.#ask(({ users, columns }) =>
        compare(users(), columns[key]).select(selection(columns)).limit(MAX_NAMESAKES),
      );
    try {
      return await find((query, column) => query.where(column, text));
    } catch (refusal) {
      if (!isNoSuchValue((refusal as Error).cause)) {
        throw refusal;
      }
      return find((query, column) => query.whereRaw('CAST(?? AS text) = ?', [column, text]));
    }
  }

  async #ask(question: (query: UserQuery) => PromiseLike<unknown>): Promise<readonly SqlRow[]> {
    try {
      const { settings, pool } = this.#open();
      const rows = await pool.read(async (transaction) => question(userQuery(settings, transaction)));
      return rows as readonly SqlRow[];
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

/** The parts of a query. */
interface UserQuery {
  /** Begins a query for the rows that are users. */
  readonly users: () => Query;
  readonly columns: SqlColumns;
  readonly limit: number | undefined;
  /** The type of texts in a CAST. */
  readonly textType: string;
  readonly transaction: Knex.Transaction;
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
  const textType = database === 'postgresql' ? 'text' : 'CHAR';
  return { users, columns, limit, textType, transaction };
}

/** Columns of other types are compared as texts, and case is ignored whatever the collation. */
function restrict(
  query: Query,
  columns: SqlColumns,
  textType: string,
  { fields, pattern }: UserCondition,
): void {
  const named = fields.flatMap((field) => [columns[field], field === 'phone' ? columns.mobile : undefined]);
  const alternatives = named.flatMap((column) => (column === undefined ? [] : [column]));
  const like = likePattern(pattern);
  const one = `LOWER(CAST(?? AS ${textType})) LIKE LOWER(?) ESCAPE '${LIKE_ESCAPE}'`;
  void query.whereRaw(
    alternatives.length === 0 ? '1 = 0' : `(${alternatives.map(() => one).join(' OR ')})`,
    alternatives.flatMap((column) => [column, like]),
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
