import type { ActiveUserRow, TokenCounts, TokenCountsSnapshot } from '../../monitoring/ports.ts';
import type { Database } from '../database/database.ts';
import { type FoldedCounts, KeptCounts } from './kept-counts.ts';

/**
 * Counts of tokens and their users from the counts that the database keeps, never from the tokens themselves. One
 * statement reads everything as of one instant; folded counts are transferred only if their version is not the one read
 * last.
 */
export class SqlTokenCounts implements TokenCounts {
  readonly #database: Database;
  readonly #kept = new KeptCounts();

  constructor({ database }: { readonly database: Database }) {
    this.#database = database;
  }

  snapshot(): Promise<TokenCountsSnapshot> {
    return this.#kept.read(async (known) => {
      const { rows } = await this.#database.knex.raw<{ rows: { counts: FoldedCounts }[] }>(
        'SELECT read_counts(?) AS counts',
        [known],
      );
      return rows[0]?.counts;
    });
  }

  async activeUsers(): Promise<readonly ActiveUserRow[]> {
    return (await this.snapshot()).activeUsers;
  }
}
