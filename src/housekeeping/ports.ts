import type { Act } from '../policy/caller.ts';

/** What housekeeping removes. */
export type HousekeepingChore = 'challenges' | 'sessions' | 'rate limits' | 'audit months';

/** How many rows of a kind there are to remove, or were removed. */
export interface HousekeepingTally {
  readonly chore: HousekeepingChore;
  readonly rows: number;
}

/** What counts as old. */
export interface HousekeepingMoments {
  /** Challenges that were issued before have expired, and longer ago than they are kept. */
  readonly challengesIssuedBefore: Date;
  /** Sessions that end by then, and revoked ones, open nothing any more. */
  readonly sessionsEndBy: Date;
  /** What limits counted is forgotten by then. */
  readonly limitsEndBy: Date;
}

/** Removes what is old, a piece at a time. */
export interface HousekeepingStore {
  /** @returns how many rows are due of each kind, counted up to a million */
  backlog(moments: HousekeepingMoments): Promise<readonly HousekeepingTally[]>;
  /**
   * Removes what is due, unless somebody else is at it. What is locked by others is left for the next time.
   * @param given.signal ends it after the piece that is under way
   * @param given.removed is told of each piece
   * @param given.also is done at the end, while nobody else is at it
   * @returns false when somebody else is at it, and nothing was removed
   */
  clear(
    moments: HousekeepingMoments,
    given: {
      readonly signal: AbortSignal;
      readonly removed: (tally: HousekeepingTally) => void;
      readonly also?: () => Promise<void>;
    },
  ): Promise<boolean>;
  /** Writes an audit row of what somebody has had removed. Left out: nobody audits. */
  note?(act: Act, outcome: string): Promise<void>;
}

/** What is measured of housekeeping. */
export interface HousekeepingMetrics {
  /** How many rows are due. */
  backlogIs(tally: HousekeepingTally): void;
  removed(tally: HousekeepingTally): void;
  /** A round is over, in which all that was due is gone, or somebody else was at it. */
  roundDone(outcome: 'done' | 'left to another server'): void;
}
