/** Why work was refused: `full` when too many wait already, `late` when no permit came in time. */
export type SemaphoreRefusal = 'full' | 'late';

/** How much may wait for a permit. */
export interface SemaphoreLimit {
  /** How many may wait; any number by default. */
  readonly waiting?: number;
  /** How long each may wait, in milliseconds; for ever by default. */
  readonly patience?: number;
  /** Makes the error of work that is refused. */
  readonly refuse: (refusal: SemaphoreRefusal) => Error;
}

/** Bounds how much work runs at once. The rest waits, first come, first served. */
export class Semaphore {
  readonly #limit: SemaphoreLimit | undefined;
  readonly #waiting = new Set<() => void>();
  #free: number;

  /**
   * @param permits how much work runs at once
   * @param limit without one, any number may wait for ever
   */
  constructor(permits: number, limit?: SemaphoreLimit) {
    this.#free = permits;
    this.#limit = limit;
  }

  /**
   * Runs `work` as soon as there is a permit, which is free again when it ends, well or not.
   * @throws what `work` throws, or what `SemaphoreLimit.refuse` makes
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

  /** The permit goes to the first that waits: work that comes now does not overtake. */
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
      if (limit?.patience !== undefined) {
        timer = setTimeout(() => {
          this.#waiting.delete(begin);
          reject(limit.refuse('late'));
        }, limit.patience);
      }
      this.#waiting.add(begin);
    });
  }
}
