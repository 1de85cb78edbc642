import type { LaneHead } from './journal-record.ts';
import { NOTHING_BEFORE } from './audit-row.ts';

/** A lane that a transaction continues, or may continue. */
export interface OpenLane extends LaneHead {
  /** The time of its last row in milliseconds; 0: it has none. */
  readonly at: number;
}

/** The most milliseconds a lane may be ahead of the clock. Its next row then repeats the time of the row before. */
const AHEAD_MS = 1_000;

/**
 * The chains of one writer. Each transaction that writes audit rows takes one and returns it at its end. Transactions
 * therefore do not wait for each other, and there are no more lanes than concurrent transactions, except after a clock
 * was set back: times never decrease in a lane, so that months cut it at one place.
 */
export class AuditLanes {
  readonly #free: OpenLane[] = [];
  readonly #committed = new Map<number, LaneHead>();
  #lanes = 0;

  /** The number of lanes. */
  get count(): number {
    return this.#lanes;
  }

  /**
   * @param now in milliseconds
   * @returns the end of the lane that the caller may continue
   */
  acquire(now: number): OpenLane {
    const place = this.#free.findLastIndex(({ at }) => at <= now + AHEAD_MS);
    const [free] = place < 0 ? [] : this.#free.splice(place, 1);
    if (free !== undefined) {
      return free;
    }
    this.#lanes += 1;
    return { lane: this.#lanes, seq: 0, hash: NOTHING_BEFORE, at: 0 };
  }

  /** Records that the transaction of the lane is committed, with `head` as its last row. */
  release(head: OpenLane): void {
    this.#committed.set(head.lane, head);
    this.#free.push(head);
  }

  /** Records that the transaction of the lane is rolled back: the lane ends at `head` again. */
  rollBack(head: OpenLane): void {
    this.#free.push(head);
  }

  /** @returns the last rows known to be committed, of the lanes that have moved on from `before` */
  since(before: ReadonlyMap<number, number>): readonly LaneHead[] {
    return [...this.#committed.values()].filter(({ lane, seq }) => before.get(lane) !== seq);
  }
}
