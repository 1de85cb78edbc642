import type { AuditEntry, AuditRow } from './audit-row.ts';
import { ServiceError } from '../kernel/errors.ts';
import { isSurelyUndone } from '../database/database-faults.ts';
import type { AuditLanes, OpenLane } from './audit-lanes.ts';
import type { AuditWriter } from './writer-store.ts';

/** The dependencies of a lease. */
interface LaneLeaseDependencies {
  readonly lanes: AuditLanes;
  readonly writer: () => Promise<AuditWriter>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** The lane of one transaction, from its first audit row until its end. */
export class LaneLease {
  readonly #deps: LaneLeaseDependencies;
  /** The lane as it was before the transaction; undefined until the first row. */
  #before: OpenLane | undefined;
  #head: OpenLane | undefined;
  /** Storing rows has failed: PostgreSQL then rolls back, even on COMMIT. */
  #isBroken = false;

  constructor(options: LaneLeaseDependencies) {
    this.#deps = options;
  }

  /**
   * Signs the entries as the next rows of the lane and has them stored.
   * @param store returns false if it has written nothing
   * @returns the result of `store`
   */
  async write(
    entries: readonly AuditEntry[],
    store: (rows: readonly AuditRow[]) => Promise<boolean>,
  ): Promise<boolean> {
    const writer = await this.#deps.writer();
    const before = this.#acquire();
    const { rows, head } = writer.sign(before, entries);
    if (this.#head !== before) {
      throw new ServiceError('internal', 'Audit rows of one transaction are written one after the other');
    }
    this.#head = head;
    this.#isBroken = true;
    const isStored = await store(rows);
    this.#isBroken = false;
    if (!isStored) {
      this.#head = before;
    }
    return isStored;
  }

  /** Moves the lane on: the transaction is committed. */
  commit(): void {
    const [before, head] = [this.#before, this.#head];
    if (before === undefined || head === undefined || this.#isBroken) {
      return;
    }
    if (head.seq > before.seq) {
      this.#deps.lanes.release(head);
    } else {
      this.#deps.lanes.rollBack(before);
    }
  }

  /** Puts the lane back if the transaction is surely undone. A lane with an unknown outcome is never used again. */
  fail(error: unknown): void {
    if (this.#before !== undefined && isSurelyUndone(error)) {
      this.#deps.lanes.rollBack(this.#before);
    }
  }

  #acquire(): OpenLane {
    this.#before ??= this.#deps.lanes.acquire(this.#deps.now());
    this.#head ??= this.#before;
    return this.#head;
  }
}
