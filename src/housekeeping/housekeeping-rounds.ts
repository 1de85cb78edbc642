import { type BackgroundLoop, backgroundRounds, type RoundOutcome } from '../kernel/background-loop.ts';
import type { Log } from '../kernel/log.ts';

/** Milliseconds from the start to the first round; less if the interval is shorter. */
const FIRST_MS = 5_000;

/** The dependencies of the rounds. */
interface HousekeepingRoundsDependencies {
  /** @returns the number of removed rows */
  readonly round: (signal: AbortSignal) => Promise<number>;
  /** Approximate milliseconds between two rounds. */
  readonly interval: number;
  readonly log: Log;
  /** Called at the end of each round. */
  readonly ended?: ((outcome: RoundOutcome) => void) | undefined;
}

/**
 * @returns a loop that runs the housekeeping outside of requests. Every server may run it: one at a time does the work
 */
export function housekeepingRounds({
  round,
  interval,
  log,
  ended,
}: HousekeepingRoundsDependencies): BackgroundLoop {
  const component = 'housekeeping';
  return backgroundRounds({
    component,
    log,
    ended,
    trouble: 'Housekeeping fails: old rows stay, and change no answer',
    pause: interval,
    firstPause: Math.min(FIRST_MS, interval),
    round: async (signal) => {
      const count = await round(signal);
      if (count > 0) {
        log.info('Housekeeping has removed what was old', { component, count });
      }
      return false;
    },
  });
}
