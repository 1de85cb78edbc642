import type { LaneHead } from '../accounts/audit/journal-record.ts';
import { NOTHING_BEFORE } from '../accounts/audit/audit-row.ts';

/**
 * The chains of one writer. Each transaction that writes audit rows takes one for itself and gives it back when it has
 * ended; so transactions do not wait for each other, and there are no more lanes than there are transactions at once.
 */
export class AuditLanes {
  readonly #free: LaneHead[] = [];
  readonly #committed = new Map<number, LaneHead>();
  #lanes = 0;

  /** @returns where the lane stands that the caller may now go on with */
  take(): LaneHead {
    const free = this.#free.pop();
    if (free !== undefined) {
      return free;
    }
    this.#lanes += 1;
    return { lane: this.#lanes, seq: 0, hash: NOTHING_BEFORE };
  }

  /** What the lane was taken for is committed, and `head` its last row. */
  committed(head: LaneHead): void {
    this.#committed.set(head.lane, head);
    this.#free.push(head);
  }

  /** What the lane was taken for is undone: it stands where it stood. */
  undone(head: LaneHead): void {
    this.#free.push(head);
  }

  /** @returns the last rows that are known to be committed, of lanes that have gone on since they stood at `before` */
  since(before: ReadonlyMap<number, number>): readonly LaneHead[] {
    return [...this.#committed.values()].filter(({ lane, seq }) => before.get(lane) !== seq);
  }
}
