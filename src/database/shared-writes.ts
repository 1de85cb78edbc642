import { SharedWork } from './shared-work.ts';
import type { NotedEntry } from '../webhooks/webhook-event.ts';
import { isSurelyUndone } from './database-faults.ts';
import type { Database } from './database.ts';
import type { HeldRow, ColumnValues, WritingStatement } from './writing-statement.ts';
import { refuseLate } from './sharing.ts';

/** A write for one token. */
export interface TokenWrite {
  /** Of the token: of several writes for one token, a statement has one. */
  readonly key: string;
  readonly columns: ColumnValues;
  readonly entry: NotedEntry;
}

/**
 * Writes for tokens, each with its audit row, where requests that come at the same time share one statement and one
 * commit. A statement writes for all of its tokens or for none. If one of them cannot be held, as it has changed
 * meanwhile, it is left out and the others are written; if the statement fails, each is written by a statement of its
 * own.
 */
export class SharedWrites<Row extends HeldRow = HeldRow> {
  readonly #database: Database;
  readonly #statement: WritingStatement<Row>;
  readonly #shared: SharedWork<TokenWrite, Row | undefined>;

  constructor(database: Database, statement: WritingStatement<Row>) {
    this.#database = database;
    this.#statement = statement;
    this.#shared = new SharedWork({
      ...database.sharing,
      refuse: refuseLate,
      work: (writes) => this.#writeGroup(writes),
    });
  }

  /** @returns the row of the write; undefined, and nothing is written, if the token cannot be held */
  do(write: TokenWrite): Promise<Row | undefined> {
    return this.#shared.do(write);
  }

  /** As `do`, in a statement of its own, whose wait is nobody else's. */
  async doAlone(write: TokenWrite): Promise<Row | undefined> {
    const { isWritten, held } = await this.#write([write]);
    return isWritten ? held.get(write) : undefined;
  }

  async #writeGroup(
    writes: readonly TokenWrite[],
  ): Promise<readonly PromiseSettledResult<Row | undefined>[]> {
    const [first] = writes;
    if (first !== undefined && writes.length === 1) {
      return Promise.allSettled([this.doAlone(first)]);
    }
    // Of several writes for one token, one can be written. The last one has probably read the newest version.
    const latest = [...new Map(writes.map((write) => [write.key, write])).values()];
    try {
      const written = await this.#writeHeld(latest);
      return writes.map((write) => ({ status: 'fulfilled', value: written.get(write) }));
    } catch (error) {
      if (!isSurelyUndone(error)) {
        throw error;
      }
      return Promise.allSettled(writes.map((write) => this.doAlone(write)));
    }
  }

  /** @returns the rows of those that are written: all but the ones that could not be held */
  async #writeHeld(writes: readonly TokenWrite[]): Promise<ReadonlyMap<TokenWrite, Row>> {
    let left = writes;
    while (left.length > 0) {
      const { isWritten, held } = await this.#write(left);
      if (isWritten) {
        return held;
      }
      left = left.filter((write) => held.has(write));
    }
    return new Map();
  }

  async #write(
    writes: readonly TokenWrite[],
  ): Promise<{ readonly isWritten: boolean; readonly held: ReadonlyMap<TokenWrite, Row> }> {
    const held = new Map<TokenWrite, Row>();
    const isWritten = await this.#database.audit.writeBy(
      writes.map(({ entry }) => entry),
      async (signed, run, events) => {
        const toWrite = signed.map((audit, place) => ({ columns: writes[place]?.columns ?? {}, audit }));
        const rows = await this.#statement.run(run, toWrite, events);
        held.clear();
        for (const row of rows) {
          const write = writes[row.place];
          if (write !== undefined) {
            held.set(write, row);
          }
        }
        const written = rows[0]?.written ?? 0;
        if (written !== (held.size === writes.length ? writes.length : 0)) {
          // Without a code: the lane of the rows is not used again.
          throw new Error(`a statement has written ${written} of ${writes.length} audit rows`);
        }
        return written > 0;
      },
    );
    return { isWritten, held };
  }
}
