/** The reason of a refusal: `full` if too many wait already, `late` if no permit came in time. */
export type SemaphoreRefusal = 'full' | 'late';

/** Limits of the wait for a permit. */
export interface SemaphoreLimit {
  /** The most waiters; unlimited by default. */
  readonly waiting?: number;
  /** The longest wait in milliseconds; unlimited by default. */
  readonly timeoutMs?: number;
  /** Makes the error of refused work. */
  readonly refuse: (refusal: SemaphoreRefusal) => Error;
}

/** Bounds concurrent work. The rest waits, first come, first served. */
export class Semaphore {
  readonly #limit: SemaphoreLimit | undefined;
  readonly #waiting = new Set<() => void>();
  #free: number;

  /**
   * @param permits the most concurrent work
   * @param limit of the wait; unlimited by default
   */
  constructor(permits: number, limit?: SemaphoreLimit) {
    this.#free = permits;
    this.#limit = limit;
  }

  /**
   * Runs `work` as soon as there is a permit, which is released when the work ends, well or not.
   * @throws the error of `work`, or that of `SemaphoreLimit.refuse`
   */
  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) {
      this.#free -= 1;
    } else {
      await this.#wait();
    }
    try {
      return await work();
    } finally {
      this.#passOn();
    }
  }

  /** The permit goes to the first waiter: new work does not overtake. */
  #passOn(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#free += 1;
    } else {
      next();
    }
  }

  #wait(): Promise<void> {
    const limit = this.#limit;
    return new Promise((resolve, reject) => {
      if (limit?.waiting !== undefined && this.#waiting.size >= limit.waiting) {
        reject(limit.refuse('full'));
        return;
      }
      let timer: NodeJS.Timeout | undefined;
      const begin = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(begin);
        resolve();
      };
      if (limit?.timeoutMs !== undefined) {
        timer = setTimeout(() => {
          this.#waiting.delete(begin);
          reject(limit.refuse('late'));
        }, limit.timeoutMs);
      }
      this.#waiting.add(begin);
    });
  }
}
