import type { ActiveUserRow, TokenCounts, TokenCountsSnapshot } from '../../monitoring/ports.ts';
import { CountRows, type KeptEntries, type PendingEntries } from './count-rows.ts';
import type { Database } from '../database/database.ts';

/** The answer of the database's function `read_counts`. */
interface Counts {
  readonly version: string;
  /** Null: the folded counts are still those of the version that was sent. */
  readonly kept: KeptEntries | null;
  /** Null: no delta is pending. */
  readonly pending: PendingEntries | null;
}

interface Kept {
  readonly version: string;
  readonly rows: CountRows;
}

/**
 * Counts of tokens and their users from the counts that the database keeps, never from the tokens themselves. One
 * statement reads everything as of one instant; folded counts are transferred only if their version is not the one read
 * last.
 */
export class SqlTokenCounts implements TokenCounts {
  readonly #database: Database;
  #kept: Kept | undefined;

  constructor({ database }: { readonly database: Database }) {
    this.#database = database;
  }

  async snapshot(): Promise<TokenCountsSnapshot> {
    const known = this.#kept;
    const { version, kept, pending } = await this.#read(known?.version ?? null);
    if (kept === null && known !== undefined) {
      return known.rows.with(pending);
    }
    const rows = new CountRows(kept ?? EMPTY);
    this.#kept = { version, rows };
    return rows.with(pending);
  }

  async activeUsers(): Promise<readonly ActiveUserRow[]> {
    return (await this.snapshot()).activeUsers;
  }

  async #read(known: string | null): Promise<Counts> {
    const { rows } = await this.#database.knex.raw<{ rows: { counts: Counts }[] }>(
      'SELECT read_counts(?) AS counts',
      [known],
    );
    return rows[0]?.counts ?? { version: '', kept: EMPTY, pending: null };
  }
}

const EMPTY: KeptEntries = { tokens: null, users: null, sets: null, realms: null, resolvers: null };
