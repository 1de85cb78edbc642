import type { Database } from '../database/database.ts';
import {
  CountRows,
  type KeptEntries,
  type PendingEntries,
  type TokenCountsSnapshot,
} from './token-counts.ts';

/** The answer of the database's function `read_counts`. */
interface FoldedCounts {
  readonly version: string;
  /** Null: the folded counts are still those of the version that was sent. */
  readonly kept: KeptEntries | null;
  /** Null: no delta is pending. */
  readonly pending: PendingEntries | null;
}

const EMPTY: KeptEntries = { tokens: null, users: null, sets: null, realms: null, resolvers: null };

/**
 * Counts of tokens and their users from the counts that the database keeps, never from the tokens themselves. One
 * statement reads everything as of one instant; folded counts are transferred only if their version is not the one read
 * last.
 */
export class TokenCountStore {
  readonly #database: Database;
  #known: { readonly version: string; readonly rows: CountRows } | undefined;

  constructor({ database }: { readonly database: Database }) {
    this.#database = database;
  }

  /** @returns the counts with all pending deltas */
  async snapshot(): Promise<TokenCountsSnapshot> {
    const known = this.#known;
    const { rows: answers } = await this.#database.knex.raw<{ rows: { counts: FoldedCounts }[] }>(
      'SELECT read_counts(?) AS counts',
      [known?.version ?? null],
    );
    const { version, kept, pending } = answers[0]?.counts ?? { version: '', kept: EMPTY, pending: null };
    if (kept === null && known !== undefined) {
      return known.rows.with(pending);
    }
    const rows = new CountRows(kept ?? EMPTY);
    this.#known = { version, rows };
    return rows.with(pending);
  }
}
