import { type BackgroundLoop, backgroundRounds } from '../../kernel/background-loop.ts';
import type { Log } from '../../kernel/log.ts';

/** The first round comes this many milliseconds after the start, or sooner where the interval is shorter. */
const FIRST_MS = 5_000;

/** What rounds are made of. */
interface HousekeepingRoundsOptions {
  /** @returns how many rows were removed */
  readonly round: (signal: AbortSignal) => Promise<number>;
  /** Milliseconds between two rounds, about. */
  readonly interval: number;
  readonly log: Log;
}

/** @returns the housekeeping from time to time, outside of requests. Every server may: one at a time gets its turn */
export function housekeepingRounds({ round, interval, log }: HousekeepingRoundsOptions): BackgroundLoop {
  const component = 'housekeeping';
  return backgroundRounds({
    ...{ component, log, trouble: 'Housekeeping fails: old rows stay, and change no answer' },
    ...{ pause: interval, firstPause: Math.min(FIRST_MS, interval) },
    round: async (signal) => {
      const count = await round(signal);
      if (count > 0) {
        log.info('Housekeeping has removed what was old', { component, count });
      }
      return false;
    },
  });
}
