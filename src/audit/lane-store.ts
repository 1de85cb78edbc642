import { isSurelyUndone } from '../database/database-faults.ts';
import { type AuditEntry, type AuditRow, NOTHING_BEFORE } from './audit-row.ts';
import type { LaneHead } from './journal-record.ts';
import type { AuditWriter, OpenLane } from './writer-store.ts';

/**
 * Signs the entries as the next rows of a lane and has them stored.
 * @param store returns false if it has written nothing
 * @returns the result of `store`
 */
type WriteInLane = (
  entries: readonly AuditEntry[],
  store: (rows: readonly AuditRow[]) => Promise<boolean>,
) => Promise<boolean>;

/** The most milliseconds a lane may be ahead of the clock. Its next row then repeats the time of the row before. */
const AHEAD_MS = 1_000;

/**
 * The chains of one writer. Each transaction that writes audit rows takes one and returns it at its end. Transactions
 * therefore do not wait for each other, and there are no more lanes than concurrent transactions, except after a clock
 * was set back: times never decrease in a lane, so that months cut it at one place.
 */
export class AuditLanes {
  readonly #writer: () => Promise<AuditWriter>;
  readonly #now: () => Date;
  readonly #free: OpenLane[] = [];
  readonly #committed = new Map<number, LaneHead>();
  #count = 0;

  constructor(writer: () => Promise<AuditWriter>, now: () => Date) {
    this.#writer = writer;
    this.#now = now;
  }

  /** The number of lanes. */
  get count(): number {
    return this.#count;
  }

  /**
   * Runs a transaction, which has one lane from its first audit row until its end. The lane moves on if the transaction
   * is committed, and ends as before if it is surely undone. After an unknown outcome the lane is never used again.
   */
  async during<T>(transaction: (write: WriteInLane) => Promise<T>): Promise<T> {
    const lease: { before?: OpenLane; head?: OpenLane; isBroken: boolean } = { isBroken: false };
    const write: WriteInLane = async (entries, store) => {
      const writer = await this.#writer();
      lease.before ??= this.#acquire();
      const last = lease.head ?? lease.before;
      const { rows, head } = writer.sign(last, entries);
      lease.head = head;
      // Where storing rows fails, PostgreSQL rolls back, even on COMMIT.
      lease.isBroken = true;
      const isStored = await store(rows);
      lease.isBroken = false;
      lease.head = isStored ? head : last;
      return isStored;
    };
    try {
      const result = await transaction(write);
      const { before, head, isBroken } = lease;
      if (before !== undefined && head !== undefined && !isBroken) {
        this.#release(before, head);
      }
      return result;
    } catch (error) {
      if (lease.before !== undefined && isSurelyUndone(error)) {
        this.#free.push(lease.before);
      }
      throw error;
    }
  }

  /** @returns the last rows known to be committed, of the lanes that have moved on from `before` */
  since(before: ReadonlyMap<number, number>): readonly LaneHead[] {
    return [...this.#committed.values()].filter(({ lane, seq }) => before.get(lane) !== seq);
  }

  #acquire(): OpenLane {
    const now = this.#now().getTime();
    const place = this.#free.findLastIndex(({ at }) => at <= now + AHEAD_MS);
    const [free] = place < 0 ? [] : this.#free.splice(place, 1);
    if (free !== undefined) {
      return free;
    }
    this.#count += 1;
    return { lane: this.#count, seq: 0, hash: NOTHING_BEFORE, at: 0 };
  }

  #release(before: OpenLane, head: OpenLane): void {
    if (head.seq > before.seq) {
      this.#committed.set(head.lane, head);
    }
    this.#free.push(head);
  }
}
