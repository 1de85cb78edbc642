import type { Act } from '../policy/caller.ts';

/** The kinds of rows that housekeeping removes. */
export type HousekeepingChore =
  'challenges' | 'sessions' | 'rate limits' | 'response minutes' | 'audit months';

/** Number of due or removed rows of a kind. */
export interface HousekeepingTally {
  readonly chore: HousekeepingChore;
  readonly rows: number;
}

/** The limits of age. */
export interface HousekeepingMoments {
  /** Challenges issued before this instant have expired, and their retention time has passed. */
  readonly challengesIssuedBefore: Date;
  /** Sessions that end by then, and revoked ones, are no longer valid. */
  readonly sessionsEndBy: Date;
  /** Counts of limits that end by then are void. */
  readonly limitsEndBy: Date;
  /** Minutes before this instant are no longer shown. */
  readonly responsesCountedBefore: Date;
}

/** Removes old rows, a piece at a time. */
export interface HousekeepingStore {
  /** @returns the number of due rows of each kind, counted up to a million */
  backlog(moments: HousekeepingMoments): Promise<readonly HousekeepingTally[]>;
  /**
   * Removes due rows, unless another server is doing so. Rows locked by others are left for the next round.
   * @param options.signal ends it after the current piece
   * @param options.removed receives each piece
   * @param options.also runs at the end, under the same lock
   * @returns false when another server holds the lock, and nothing was removed
   */
  clear(
    moments: HousekeepingMoments,
    options: {
      readonly signal: AbortSignal;
      readonly removed: (tally: HousekeepingTally) => void;
      readonly also?: () => Promise<void>;
    },
  ): Promise<boolean>;
  /** Writes an audit row about a requested removal. Undefined: there is no audit. */
  note?(act: Act, outcome: string): Promise<void>;
}

/** Metrics of housekeeping. */
export interface HousekeepingMetrics {
  /** Sets the number of due rows. */
  backlogIs(tally: HousekeepingTally): void;
  rowsRemoved(tally: HousekeepingTally): void;
  /** Counts a finished round, in which all due rows were removed, or another server removed them. */
  roundDone(outcome: 'done' | 'left to another server'): void;
}
