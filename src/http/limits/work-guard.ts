import { Semaphore } from '../../kernel/bounded-work.ts';
import type { LimitReporter } from './limit-reporter.ts';

/** The most requests with a large body that wait; each of them keeps a connection. */
const MAX_WAITING_BODIES = 16;

/**
 * Limits the requests that are processed at once, as more would only wait longer for the database. A request counts
 * from its complete arrival until its answer is known, so that slow clients do not count. Throws ServiceError
 * 'server.busy'.
 */
export function workGuard({ refusals, max }: { refusals: LimitReporter; max: number }): Semaphore {
  return new Semaphore(max, { waiting: 0, refuse: () => refusals.busy('requests-at-once') });
}

/**
 * Admits one large body at a time to be read and processed, as each takes many times its length in memory. Other
 * requests wait unread, in the order of their arrival. Throws ServiceError 'server.busy'.
 * @param options.timeoutMs milliseconds for which a request waits for its turn
 */
export function largeBodyGuard(options: { refusals: LimitReporter; timeoutMs: number }): Semaphore {
  const { refusals, timeoutMs } = options;
  return new Semaphore(1, {
    waiting: MAX_WAITING_BODIES,
    timeoutMs,
    refuse: () => refusals.busy('large-bodies', timeoutMs),
  });
}
