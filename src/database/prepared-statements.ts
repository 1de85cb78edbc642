import type { Knex } from 'knex';
import type { Log } from '../kernel/log.ts';
import { runOnConnection, withPooledConnection } from './knex-internals.ts';
import { isAbortedOrCausedBy } from './database-faults.ts';

/** A statement of the hot path. PostgreSQL keeps it parsed and planned for each connection. */
export interface PreparedStatement<Row> {
  /** Unique in the program. */
  readonly name: string;
  /** With `$1`, `$2`, … for the values. */
  readonly text: string;
  /** Only for the type of its rows. */
  readonly row?: Row;
}

/** Runs a statement on one connection. @returns its rows */
export type RunPrepared = <Row>(
  statement: PreparedStatement<Row>,
  values: readonly unknown[],
) => Promise<readonly Row[]>;

/** The extent to which requests in flight at the same moment share statements (`shared-statements.ts`). */
export interface Sharing {
  /** The most requests that share a statement; 1: each has its own. */
  readonly maxItems: number;
  /** The most such statements of one kind at once. */
  readonly maxGroups: number;
  /** The longest wait for a turn, in milliseconds; as long as the wait for a connection. */
  readonly maxWaitMs: number;
}

/** Two groups at once: one is in the database while the answers of the other are made. */
export const SHARING: Sharing = { maxItems: 64, maxGroups: 2, maxWaitMs: 5_000 };

/** Each request has statements of its own. */
export const UNSHARED: Sharing = { maxItems: 1, maxGroups: Infinity, maxWaitMs: 5_000 };

/** SQLSTATE of a connection that has the statement in a form of an older schema: feature_not_supported. */
const OUTDATED = '0A000';
/**
 * SQLSTATE of a connection that has other statements than this program prepared on it: invalid_sql_statement_name,
 * duplicate_prepared_statement. A pooler has changed the connection to PostgreSQL.
 */
const POOLED = ['26000', '42P05'];

/** Runs prepared statements, each in a transaction of its own. */
export class PreparedStatements {
  readonly #pool: Knex;
  readonly #log: Log | undefined;
  #areNamed: boolean;

  /** @param areNamed false where connections change between statements, as behind PgBouncer in transaction mode */
  constructor(pool: Knex, areNamed: boolean, log?: Log) {
    this.#pool = pool;
    this.#areNamed = areNamed;
    this.#log = log;
  }

  /**
   * Runs a statement, again if PostgreSQL aborts it in favour of others.
   * @throws ServiceError 'database.unavailable', or the error of PostgreSQL
   */
  async run<Row>(statement: PreparedStatement<Row>, values: readonly unknown[]): Promise<readonly Row[]> {
    return repeatAborted(() => this.onConnection((run) => run(statement, values)));
  }

  /** Runs statements one after the other on the same connection. */
  onConnection<T>(work: (run: RunPrepared) => Promise<T>): Promise<T> {
    return withPooledConnection(this.#pool, (connection) =>
      work((statement, values) => this.#run(connection, statement, values)),
    );
  }

  async #run<Row>(
    connection: unknown,
    { name, text }: PreparedStatement<Row>,
    values: readonly unknown[],
  ): Promise<readonly Row[]> {
    const unnamed = { text, values: [...values] };
    if (!this.#areNamed) {
      return (await runOnConnection(this.#pool, connection, unnamed)).rows as Row[];
    }
    try {
      return (await runOnConnection(this.#pool, connection, { name, ...unnamed })).rows as Row[];
    } catch (error) {
      const code = String((error as { code?: unknown } | null)?.code);
      if (POOLED.includes(code)) {
        this.#stopNaming(error);
      } else if (code !== OUTDATED) {
        throw error;
      }
      // PostgreSQL has refused the statement before it ran.
      return (await runOnConnection(this.#pool, connection, unnamed)).rows as Row[];
    }
  }

  /** From now on statements have no name: under a known one, a pooler's connection may hold another text. */
  #stopNaming(error: unknown): void {
    if (this.#areNamed) {
      this.#areNamed = false;
      this.#log?.warn(
        'The database forgets prepared statements, as behind PgBouncer in transaction mode: they are prepared each time from now on. Set DATABASE_PREPARED_STATEMENTS=off',
        { component: 'database', faultDetail: (error as Error).message },
      );
    }
  }
}

/** @returns runs statements in a transaction, without a name there: a refused one would end the transaction */
export function preparedWithin(transaction: Knex.Transaction): RunPrepared {
  return <Row>({ text }: PreparedStatement<Row>, values: readonly unknown[]) =>
    withPooledConnection(transaction, async (connection) => {
      const result = await runOnConnection(transaction, connection, { text, values: [...values] });
      return result.rows as Row[];
    });
}

/** Attempts at a statement that the database aborts in favour of others. */
const ATTEMPTS = 5;

/**
 * Repeats a statement that PostgreSQL aborts in favour of other transactions, as `Database.transact` does.
 * @param run runs it in a transaction of its own
 */
export async function repeatAborted<T>(run: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await run();
    } catch (error) {
      if (attempt === ATTEMPTS || !isAbortedOrCausedBy(error)) {
        throw error;
      }
    }
  }
}
