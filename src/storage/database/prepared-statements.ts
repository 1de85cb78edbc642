import type { Knex } from 'knex';

import { runOnConnection, withPooledConnection } from './knex-internals.ts';
import { repeatGivenUp } from './repeat-given-up.ts';

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

/**
 * SQLSTATE of a connection that does not have the statement, has it only in a form of an older schema, or has it from
 * another client.
 */
const NOT_PREPARED = ['26000', '0A000', '42P05'];

/** Runs prepared statements, each in a transaction of its own. */
export class PreparedStatements {
  readonly #pool: Knex;
  readonly #areNamed: boolean;

  /** @param areNamed false where connections change between statements, as behind PgBouncer in transaction mode */
  constructor(pool: Knex, areNamed: boolean) {
    this.#pool = pool;
    this.#areNamed = areNamed;
  }

  /**
   * Runs a statement, again if PostgreSQL aborts it in favour of others.
   * @throws ServiceError 'database.unavailable', or the error of PostgreSQL
   */
  async run<Row>(statement: PreparedStatement<Row>, values: readonly unknown[]): Promise<readonly Row[]> {
    return repeatGivenUp(() => this.onConnection((run) => run(statement, values)));
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
      if (!NOT_PREPARED.includes(String((error as { code?: unknown } | null)?.code))) {
        throw error;
      }
      return (await runOnConnection(this.#pool, connection, unnamed)).rows as Row[];
    }
  }
}
