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
