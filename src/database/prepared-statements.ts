import type { Knex } from 'knex';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Log } from '../kernel/log.ts';
import { isAborted, rethrow } from './database-faults.ts';
import { answered, connectionOf } from './pool.ts';

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
  readonly #pool: pg.Pool;
  readonly #log: Log | undefined;
  #areNamed: boolean;

  /** @param areNamed false where connections change between statements, as behind PgBouncer in transaction mode */
  constructor(pool: pg.Pool, areNamed: boolean, log?: Log) {
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
  async onConnection<T>(work: (run: RunPrepared) => Promise<T>): Promise<T> {
    const connection = await this.#pool.connect().catch(rethrow);
    try {
      return await work((statement, values) => this.#run(connection, statement, values));
    } finally {
      connection.release();
    }
  }

  async #run<Row>(
    connection: pg.PoolClient,
    { name, text }: PreparedStatement<Row>,
    values: readonly unknown[],
  ): Promise<readonly Row[]> {
    const unnamed = { text, values: [...values] };
    if (!this.#areNamed) {
      return (await answered(connection, connection.query(unnamed))).rows as Row[];
    }
    try {
      return (await answered(connection, connection.query({ name, ...unnamed }))).rows as Row[];
    } catch (error) {
      const code = String((error as { code?: unknown } | null)?.code);
      if (POOLED.includes(code)) {
        this.#stopNaming(error);
      } else if (code !== OUTDATED) {
        throw error;
      }
      // PostgreSQL has refused the statement before it ran.
      return (await answered(connection, connection.query(unnamed))).rows as Row[];
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
  return async <Row>({ text }: PreparedStatement<Row>, values: readonly unknown[]) => {
    const connection = await connectionOf(transaction);
    const { rows } = await answered(connection, connection.query({ text, values: [...values] }));
    return rows as Row[];
  };
}

const ATTEMPTS = 5;

/**
 * Repeats work that PostgreSQL aborts in favour of other transactions.
 * @param run runs it in a transaction of its own
 */
export async function repeatAborted<T>(run: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await run();
    } catch (error) {
      if (attempt === ATTEMPTS || !isAborted(error)) {
        throw error;
      }
    }
    // Transactions that blocked each other should not meet again.
    await sleep(Math.random() * 10 * 2 ** attempt);
  }
}
