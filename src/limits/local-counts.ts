/** The most keys that are counted; beyond that, the oldest are forgotten. */
const MAX_KEYS = 50_000;

/** The attempts of a key in its present window. */
export interface AttemptCount {
  readonly attempts: number;
  /** Milliseconds until counting begins anew. */
  readonly wait: number;
}

/**
 * Counts attempts in memory, in windows of fixed length that begin with a key's first attempt. A flood of new keys
 * takes a bounded amount of memory, and no timers.
 */
export class LocalCounts {
  readonly #duration: number;
  readonly #max: number;
  /** All windows are of one length: they end in the order in which they began. */
  readonly #windows = new Map<string, { attempts: number; readonly until: number }>();

  /** @param duration milliseconds of a window */
  constructor(duration: number, max = MAX_KEYS) {
    this.#duration = duration;
    this.#max = max;
  }

  get size(): number {
    return this.#windows.size;
  }

  /** @param now milliseconds */
  count(key: string, now: number): AttemptCount {
    const known = this.#windows.get(key);
    if (known !== undefined && known.until > now && known.until <= now + this.#duration) {
      known.attempts += 1;
      return { attempts: known.attempts, wait: known.until - now };
    }
    this.#windows.delete(key);
    this.#makeRoom(now);
    this.#windows.set(key, { attempts: 1, until: now + this.#duration });
    return { attempts: 1, wait: this.#duration };
  }

  #makeRoom(now: number): void {
    for (const [key, { until }] of this.#windows) {
      if (until > now && this.#windows.size < this.#max) {
        return;
      }
      this.#windows.delete(key);
    }
  }
}
