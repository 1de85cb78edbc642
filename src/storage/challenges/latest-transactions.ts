import type { ClosedBy } from '../../challenges/challenge.ts';
import type { LatestTransaction, LatestTransactions } from '../../helpdesk/ports.ts';
import type { Database } from '../database/database.ts';

interface LatestRow {
  readonly transaction_id: string;
  readonly serial: string;
  readonly issued_at: Date;
  readonly closed_by: ClosedBy | null;
  readonly closed_at: Date | null;
  readonly wrong_count: number;
}

/** The latest challenges of tokens, in PostgreSQL. */
export class SqlLatestTransactions implements LatestTransactions {
  readonly #database: Pick<Database, 'knex'>;

  constructor({ database }: { readonly database: Pick<Database, 'knex'> }) {
    this.#database = database;
  }

  /** Reads the newest ones of each token from an index, and merges them. */
  async ofTokens(tokenIds: readonly string[], most: number): Promise<readonly LatestTransaction[]> {
    const { rows } = await this.#database.knex.raw<{ rows: LatestRow[] }>(
      `SELECT latest.*, tokens.serial FROM unnest(?::bigint[]) AS wanted (id) JOIN tokens USING (id)
         CROSS JOIN LATERAL (
           SELECT transaction_id, issued_at, closed_by, closed_at, wrong_count FROM challenges
           WHERE token_id = wanted.id ORDER BY issued_at DESC, id DESC LIMIT ?
         ) AS latest
       ORDER BY latest.issued_at DESC, latest.transaction_id LIMIT ?`,
      [[...tokenIds], most, most],
    );
    return rows.map((row) => ({
      transactionId: row.transaction_id,
      serial: row.serial,
      issuedAt: row.issued_at,
      closedBy: row.closed_by,
      closedAt: row.closed_at,
      wrongCount: row.wrong_count,
    }));
  }
}
