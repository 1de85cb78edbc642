import type { TokenCountsSnapshot } from '../../monitoring/ports.ts';
import { CountRows, type KeptEntries, type PendingEntries } from './count-rows.ts';

/** The answer of the database's function `read_counts`. */
export interface FoldedCounts {
  readonly version: string;
  /** Null: the folded counts are still those of the version that was sent. */
  readonly kept: KeptEntries | null;
  /** Null: no delta is pending. */
  readonly pending: PendingEntries | null;
}

interface CountsOfVersion {
  readonly version: string;
  readonly rows: CountRows;
}

const EMPTY: KeptEntries = { tokens: null, users: null, sets: null, realms: null, resolvers: null };

/** The folded counts that were read last: they are transferred again only when their version is another one. */
export class KeptCounts {
  #kept: CountsOfVersion | undefined;

  /**
   * @param ask calls `read_counts` with the version that is known
   * @returns the counts with all pending deltas
   */
  async read(ask: (known: string | null) => Promise<FoldedCounts | undefined>): Promise<TokenCountsSnapshot> {
    const known = this.#kept;
    const { version, kept, pending } = (await ask(known?.version ?? null)) ?? {
      version: '',
      kept: EMPTY,
      pending: null,
    };
    if (kept === null && known !== undefined) {
      return known.rows.with(pending);
    }
    const rows = new CountRows(kept ?? EMPTY);
    this.#kept = { version, rows };
    return rows.with(pending);
  }
}
