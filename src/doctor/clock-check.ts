import { type ClockState, DAY_MS, isSteady, lookAt } from '../housekeeping/clock-state.ts';
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
      `the clock of the database is ${(size / 1000).toFixed(1)} s ${difference > 0 ? 'ahead of' : 'behind'} the clock here: the service goes by the database's, log lines and TLS certificates by the one here${size > DAY_MS ? ', and nothing is removed here' : ''}`,
      'run an NTP client (chrony, systemd-timesyncd) on both machines',
    ),
  ];
}

/**
 * Finds a jump of the database's clock, after which nothing is removed for a day, and no row of the audit.
 * @param known of the servers; undefined: none has looked at it yet
 * @param now the time of the database
 * @param isAuditPruned false: the audit is kept for ever
 */
export function checkJump(
  known: ClockState | undefined,
  now: Date,
  isAuditPruned: boolean,
): readonly Finding[] {
  const state = known && lookAt(known, now);
  const isOver =
    state === undefined || state.steadySince === null || (isSteady(state, now) && !isAuditPruned);
  return isOver
    ? []
    : [
        findingOf(
          'warning',
          'clock.jumped',
          `the clock of the database shows ${now.toISOString()}, and a server last saw it at ${state.seenAt.toISOString()}: ${isSteady(state, now) ? 'no month of the audit' : 'nothing old'} is removed, as either may be wrong`,
          'correct the clock of the database; if it is right (no server ran meanwhile, or the database is an old copy), `tankeeper housekeeping run --confirm-time`',
        ),
      ];
}
