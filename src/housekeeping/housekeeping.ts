declare module '../kernel/errors.ts' {
  interface ErrorPayloads {
    /** It cannot be told what is old. */
    'clock.doubtful': NoPayload;
  }
}

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

/** Seconds for which ended limits stay: servers measure the database's clock with small differences. */
const LIMIT_RETENTION_S = 60;
/** Seconds for which the numbers of responses are kept: a day, and an hour. */
const RESPONSE_RETENTION_S = 90_000;

/** @param age seconds for which challenges are valid, and for which their status remains available afterwards */
export function momentsAt(now: Date, age: number): HousekeepingMoments {
  const before = (seconds: number): Date => new Date(now.getTime() - seconds * 1_000);
  return {
    challengesIssuedBefore: before(age),
    sessionsEndBy: now,
    limitsEndBy: before(LIMIT_RETENTION_S),
    responsesCountedBefore: before(RESPONSE_RETENTION_S),
  };
}
