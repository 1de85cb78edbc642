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

export interface HousekeepingMoments {
  /** The retention time of challenges that ended before this instant has passed. */
  readonly challengesEndBefore: Date;
  /** Sessions that end by then, and revoked ones, are no longer valid. */
  readonly sessionsEndBy: Date;
  /** Counts of limits that end by then are void. */
  readonly limitsEndBy: Date;
  /** Numbers of responses before this instant are kept by hours, no longer by minutes. */
  readonly responsesByHourBefore: Date;
  /** Those before this one are no longer shown. */
  readonly responsesCountedBefore: Date;
}

/** Seconds for which ended limits stay: servers measure the database's clock with small differences. */
const LIMIT_RETENTION_S = 60;
/** Seconds for which the numbers of responses are kept by minutes, and in all: a day, thirty days, and an hour each. */
const RESPONSE_MINUTES_S = 90_000;
const RESPONSE_RETENTION_S = 2_595_600;

/** @param retention seconds for which the status of a challenge remains available after its end */
export function momentsAt(now: Date, retention: number): HousekeepingMoments {
  const before = (seconds: number): Date => new Date(now.getTime() - seconds * 1_000);
  return {
    challengesEndBefore: before(retention),
    sessionsEndBy: now,
    limitsEndBy: before(LIMIT_RETENTION_S),
    responsesByHourBefore: before(RESPONSE_MINUTES_S),
    responsesCountedBefore: before(RESPONSE_RETENTION_S),
  };
}

/** What is known of the database's clock, which goes wrong where nobody sees it. */
export interface ClockState {
  /** When it was last seen as it should be. */
  readonly seenAt: Date;
  /** What it showed at the last look. */
  readonly lookedAt: Date;
  /** What it showed when it had jumped, and has gone on from without another jump; null: it is not in doubt. */
  readonly steadySince: Date | null;
}

const MINUTE = 60_000;
/** A difference between clocks, or a jump of one, from which on the time is in doubt; also how long it must be steady. */
export const DAY_MS = 86_400_000;
/** The longest time between two looks at a clock that counts as steady. Servers look about once a minute. */
const LONGEST_GAP = 5 * MINUTE;

/**
 * Takes a look at the clock. One that is a day from where it should be has jumped, or no process has seen it for as long.
 * @param now what it shows
 * @param expected what it should show by the clock of a process that also took the last look, in milliseconds; it allows
 *   an advance by a minute more or less, so that many small jumps are one. Undefined: the process has begun since
 */
export function lookAt(known: ClockState, now: Date, expected?: number): ClockState {
  if (expected !== undefined && isNear(now.getTime(), expected)) {
    const time = Math.min(Math.max(now.getTime(), expected - MINUTE), expected + MINUTE);
    return { seenAt: new Date(time), lookedAt: now, steadySince: null };
  }
  // Another process may have lived through a gap, or an operator has confirmed the time.
  if (isNear(now.getTime(), known.seenAt.getTime())) {
    return { seenAt: now, lookedAt: now, steadySince: null };
  }
  const gap = now.getTime() - known.lookedAt.getTime();
  const steadySince = gap >= -MINUTE && gap <= LONGEST_GAP ? known.steadySince : null;
  return { ...known, lookedAt: now, steadySince: steadySince ?? now };
}

/** @returns true if all may be removed by that time that harms nobody once it has ended: all but rows of the audit */
export function isSteady({ steadySince }: ClockState, now: Date): boolean {
  return steadySince === null || now.getTime() - steadySince.getTime() >= DAY_MS;
}

function isNear(one: number, other: number): boolean {
  return Math.abs(one - other) <= DAY_MS;
}
