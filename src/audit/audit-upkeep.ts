import { type BackgroundLoop, backgroundRounds, type RoundOutcome } from '../kernel/background-loop.ts';
import type { Log } from '../kernel/log.ts';
import { withTimeLimit } from '../kernel/bounded-work.ts';
import type { AuditSealer } from './sealing-store.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;
/** Longest wait of `stop` for the last rows, in milliseconds. */
const TIMEOUT_MS = 500;
/** Longest wait of a round for running transactions, in milliseconds. */
const PATIENCE_MS = 5_000;

/**
 * Seals rows about once a minute, and makes partitions ahead of their months. No act fails where these fail: rows go to
 * the default partition, and the next checkpoint covers them.
 */
export function auditUpkeep({
  sealer,
  log,
  flush,
  makeMonths,
  pause = MINUTE_MS,
  ended,
}: {
  readonly sealer: Pick<AuditSealer, 'seal'>;
  readonly log: Log;
  /** Writes further rows that are due about once a minute. Never fails. */
  readonly flush: () => Promise<void>;
  readonly makeMonths: () => Promise<unknown>;
  /** Approximate milliseconds between two checkpoints; a minute by default. */
  readonly pause?: number;
  /** Called after each try to write a checkpoint. */
  readonly ended?: ((outcome: RoundOutcome) => void) | undefined;
}): Pick<BackgroundLoop, 'start' | 'stop'> {
  const common = { component: 'audit', log };
  const months = backgroundRounds({
    ...common,
    pause: HOUR_MS,
    warning: 'Cannot make partitions of the audit; it will be tried again',
    round: async () => {
      await makeMonths();
      return false;
    },
  });
  const checkpoints = backgroundRounds({
    ...common,
    pause,
    ended,
    warning: 'Cannot write a checkpoint of the audit; it will be tried again',
    round: async () => {
      await flush();
      return sealer.seal(PATIENCE_MS);
    },
  });
  return {
    start: () => {
      months.start();
      checkpoints.start();
    },
    stop: async () => {
      const last = withTimeLimit(TIMEOUT_MS, flush(), () => new Error('the database is late'));
      await Promise.all([months.stop(), checkpoints.stop(), last.catch(() => undefined)]);
    },
  };
}
