import type { LaneHead } from '../../audit/journal-record.ts';
import { NOTHING_BEFORE } from '../../audit/audit-row.ts';

/** A lane that a transaction goes on with, or may. */
export interface OpenLane extends LaneHead {
  /** When its last row says that it was written, in milliseconds; 0: it has none. */
  readonly at: number;
}

/** By so many milliseconds a lane may be ahead of the clock: its next row then says the time of the one before it. */
const AHEAD_MS = 1_000;

/**
 * The chains of one writer. Each transaction that writes audit rows takes one for itself and gives it back when it has
 * ended; so transactions do not wait for each other, and there are no more lanes than there are transactions at once. But
 * for clocks that are set back: times never go back in a lane, so that months cut it at one place.
 */
export class AuditLanes {
  readonly #free: OpenLane[] = [];
  readonly #committed = new Map<number, LaneHead>();
  #lanes = 0;

  /**
   * @param now in milliseconds
   * @returns where the lane stands that the caller may now go on with
   */
  take(now: number): OpenLane {
    const place = this.#free.findLastIndex(({ at }) => at <= now + AHEAD_MS);
    const [free] = place < 0 ? [] : this.#free.splice(place, 1);
    if (free !== undefined) {
      return free;
    }
    this.#lanes += 1;
    return { lane: this.#lanes, seq: 0, hash: NOTHING_BEFORE, at: 0 };
  }

  /** What the lane was taken for is committed, and `head` its last row. */
  committed(head: OpenLane): void {
    this.#committed.set(head.lane, head);
    this.#free.push(head);
  }

  /** What the lane was taken for is undone: it stands where it stood. */
  undone(head: OpenLane): void {
    this.#free.push(head);
  }

  /** @returns the last rows that are known to be committed, of lanes that have gone on since they stood at `before` */
  since(before: ReadonlyMap<number, number>): readonly LaneHead[] {
    return [...this.#committed.values()].filter(({ lane, seq }) => before.get(lane) !== seq);
  }
}
