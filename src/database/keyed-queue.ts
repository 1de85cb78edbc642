import { isServiceError, ServiceError } from '../kernel/errors.ts';

/** Milliseconds of waiting after which work fails with the work before it, instead of being tried. */
const TIMEOUT_MS = 2_000;

/**
 * Queues work of one kind inside this process, so that it does not wait inside the database, where each waiter holds a
 * connection. Work of different keys does not wait for each other.
 */
export class KeyedQueue {
  readonly #last = new Map<string, Promise<unknown>>();
  readonly #timeoutMs: number;

  /** @param timeoutMs in milliseconds; two seconds by default */
  constructor(timeoutMs = TIMEOUT_MS) {
    this.#timeoutMs = timeoutMs;
  }

  /**
   * Runs `work` after all earlier work of this key has ended, well or not. Where a row stays locked, each would wait
   * for it until its time-out, one after the other: work that has waited for long therefore fails with the one before.
   * @throws ServiceError 'database.unavailable', or what `work` throws
   */
  async run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key);
    const since = performance.now();
    const afterFailure = (fault: unknown): Promise<T> => {
      if (isServiceError(fault, 'database.unavailable') && performance.now() - since >= this.#timeoutMs) {
        // Has no detail: the failure of the one before is logged.
        throw new ServiceError('database.unavailable', fault.message);
      }
      return work();
    };
    const mine = before === undefined ? work() : before.then(work, afterFailure);
    this.#last.set(key, mine);
    try {
      return await mine;
    } finally {
      if (this.#last.get(key) === mine) {
        this.#last.delete(key);
      }
    }
  }
}
