import type { AuditEntry, AuditRow } from '../../audit/audit-row.ts';
import { SharedWork } from '../../kernel/shared-work.ts';
import { isSurelyUndone } from '../database/database-faults.ts';
import type { Database } from '../database/database.ts';
import type { PreparedStatement } from '../database/prepared-statements.ts';
import { refuseLate } from '../database/sharing.ts';
import { auditFields } from './hot-rows.ts';

/** A write for one token, on the version of it that was read. */
export interface TokenWrite {
  readonly tokenId: string;
  readonly version: string;
  /** The further columns of `want`. */
  readonly columns: Readonly<Record<string, unknown>>;
  readonly entry: AuditEntry;
}

/** The row of a statement made with `heldTokens`: a place that is held, and the number of audit rows written. */
interface HeldRow {
  readonly place: number;
  readonly written: number;
}

/**
 * Writes for tokens, each with its audit row, where requests that come at the same time share one statement and one
 * commit. A statement writes for all of its tokens or for none. If one of them has changed meanwhile, it is left out and
 * the others are written; if the statement fails, each is written by a statement of its own.
 */
export class SharedWrites {
  readonly #database: Database;
  readonly #statement: PreparedStatement<HeldRow>;
  readonly #shared: SharedWork<TokenWrite, boolean>;

  constructor(database: Database, statement: PreparedStatement<HeldRow>) {
    this.#database = database;
    this.#statement = statement;
    this.#shared = new SharedWork({
      ...database.sharing,
      refuse: refuseLate,
      work: (writes) => this.#writeGroup(writes),
    });
  }

  /** @returns false, and nothing is written, if the token has changed since it was read, or is just being changed */
  do(write: TokenWrite): Promise<boolean> {
    return this.#shared.do(write);
  }

  async #writeGroup(writes: readonly TokenWrite[]): Promise<readonly PromiseSettledResult<boolean>[]> {
    const [first] = writes;
    if (first !== undefined && writes.length === 1) {
      return Promise.allSettled([this.#writeAlone(first)]);
    }
    // Of several writes for one token, one can be written. The last one has probably read the newest version.
    const latest = [...new Map(writes.map((write) => [write.tokenId, write])).values()];
    try {
      const written = await this.#writeHeld(latest);
      return writes.map((write) => ({ status: 'fulfilled', value: written.has(write) }));
    } catch (error) {
      if (!isSurelyUndone(error)) {
        throw error;
      }
      return Promise.allSettled(writes.map((write) => this.#writeAlone(write)));
    }
  }

  async #writeAlone(write: TokenWrite): Promise<boolean> {
    return (await this.#write([write])).isWritten;
  }

  /** @returns those that are written: all but the ones whose token was found changed */
  async #writeHeld(writes: readonly TokenWrite[]): Promise<ReadonlySet<TokenWrite>> {
    let left = writes;
    while (left.length > 0) {
      const { isWritten, held } = await this.#write(left);
      if (isWritten) {
        return new Set(left);
      }
      left = left.filter((_write, place) => held.has(place));
    }
    return new Set();
  }

  async #write(
    writes: readonly TokenWrite[],
  ): Promise<{ readonly isWritten: boolean; readonly held: ReadonlySet<number> }> {
    let held: ReadonlySet<number> = new Set();
    const isWritten = await this.#database.audit.writeBy(
      writes.map(({ entry }) => entry),
      async (signed, run) => {
        const rows = await run(this.#statement, [
          JSON.stringify(signed.map((row, place) => wanted(row, place))),
        ]);
        held = new Set(rows.map(({ place }) => place));
        const written = rows[0]?.written ?? 0;
        if (written !== (held.size === writes.length ? writes.length : 0)) {
          // Without a code: the lane of the rows is not used again.
          throw new Error(`a statement has written ${written} of ${writes.length} audit rows`);
        }
        return written > 0;
      },
    );
    return { isWritten, held };

    function wanted(row: AuditRow, place: number): unknown {
      const write = writes[place];
      return {
        place,
        token_id: write?.tokenId,
        version: write?.version,
        ...write?.columns,
        ...auditFields(row),
      };
    }
  }
}
