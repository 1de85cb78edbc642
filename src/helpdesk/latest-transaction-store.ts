import type { ClosedBy } from '../challenges/challenge.ts';
import type { Database } from '../database/database.ts';

/** A stored challenge of a token, without its question and data. */
export interface LatestTransaction {
  readonly transactionId: string;
  readonly serial: string;
  readonly issuedAt: Date;
  readonly closedBy: ClosedBy | null;
  readonly closedAt: Date | null;
  /** The number of wrong responses to it. */
  readonly wrongCount: number;
}

interface LatestRow {
  readonly transaction_id: string;
  readonly serial: string;
  readonly issued_at: Date;
  readonly closed_by: ClosedBy | null;
  readonly closed_at: Date | null;
  readonly wrong_count: number;
}

/** A token may have been in other realms before. */
const HAS_NO_FOREIGN_ROW = `NOT EXISTS (
  SELECT FROM audit WHERE audit.transaction_id = latest.transaction_id AND audit.transaction_id <> ''
    AND NOT string_to_array(audit.realm, ',') && ?::text[])`;

/** For how many times as many as are wanted the audit is looked at. */
const MERGED_FOR_BOUND = 10;

/** The latest challenges of tokens. */
export class LatestTransactionStore {
  readonly #database: Pick<Database, 'knex'>;

  constructor({ database }: { readonly database: Pick<Database, 'knex'> }) {
    this.#database = database;
  }

  /**
   * Reads the newest ones of each token from an index, merges them, and looks for the audit rows of what is left:
   * of some more for a caller who may not see all of them.
   * @param realms audit rows in none of these realms hide a transaction, as in its history; undefined: none does
   * @returns the latest stored challenges of these tokens, newest first, at most so many
   */
  async ofTokens(
    tokenIds: readonly string[],
    max: number,
    realms?: readonly string[],
  ): Promise<readonly LatestTransaction[]> {
    const merged = realms === undefined ? max : max * MERGED_FOR_BOUND;
    const { rows } = await this.#database.knex.raw<{ rows: LatestRow[] }>(
      `WITH latest AS MATERIALIZED (
         SELECT newest.*, tokens.serial FROM unnest(?::bigint[]) AS wanted (id) JOIN tokens USING (id)
           CROSS JOIN LATERAL (
             SELECT transaction_id, issued_at, closed_by, closed_at, wrong_count FROM challenges
             WHERE token_id = wanted.id ORDER BY issued_at DESC, id DESC LIMIT ?
           ) AS newest
         ORDER BY newest.issued_at DESC, newest.transaction_id LIMIT ?)
       SELECT * FROM latest ${realms === undefined ? '' : `WHERE ${HAS_NO_FOREIGN_ROW}`}
       ORDER BY issued_at DESC, transaction_id LIMIT ?`,
      [[...tokenIds], merged, merged, ...(realms === undefined ? [] : [[...realms]]), max],
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
