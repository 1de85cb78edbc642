import type { Clock } from '../kernel/clock.ts';
import { type Finding, findingOf } from './finding.ts';

/** Milliseconds by which the clocks may differ without a finding, and from which on it is an error. */
const TOLERATED = 2_000;
const HARMFUL = 60_000;

/**
 * Compares the clock of this machine with the database's.
 * @param databaseTime reads the database's clock
 */
export async function checkClock(
  clock: Clock,
  databaseTime: () => Promise<Date>,
): Promise<readonly Finding[]> {
  const before = clock.now().getTime();
  const there = (await databaseTime()).getTime();
  const after = clock.now().getTime();
  // The time of the question is within these bounds: what may be its duration is no difference.
  const difference = there > after ? there - after : Math.min(0, there - before);
  const size = Math.abs(difference);
  if (size <= TOLERATED) {
    return [];
  }
  return [
    findingOf(
      size > HARMFUL ? 'error' : 'warning',
      'clock.differs',
      `the clock of the database is ${(size / 1000).toFixed(1)} s ${difference > 0 ? 'ahead of' : 'behind'} the clock here: challenges expire and time-based responses are verified by the clock here`,
      'run an NTP client (chrony, systemd-timesyncd) on both machines',
    ),
  ];
}
