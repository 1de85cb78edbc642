import { LRUCache } from 'lru-cache';
import type { Clock } from './clock.ts';

/** The reason of a refusal: `full` if too many wait already, `late` if no permit came in time. */
export type SemaphoreRefusal = 'full' | 'late';

/** Limits of the wait for a permit. */
interface SemaphoreLimit {
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

/** Counts by key. A key without a count takes no memory. */
export class KeyedCounts {
  readonly #counts = new Map<string, number>();

  /** @returns 0 for a key without a count */
  of(key: string): number {
    return this.#counts.get(key) ?? 0;
  }

  change(key: string, change: 1 | -1): void {
    const count = this.of(key) + change;
    if (count > 0) {
      this.#counts.set(key, count);
    } else {
      this.#counts.delete(key);
    }
  }

  /** Counts a piece of work under the key until it ends, well or not. */
  async during<T>(key: string, work: () => Promise<T>): Promise<T> {
    this.change(key, 1);
    try {
      return await work();
    } finally {
      this.change(key, -1);
    }
  }
}

/**
 * Waits for work for a limited time. The work itself continues; its later result is ignored.
 * @param milliseconds the longest wait
 * @param late makes the error for a work that takes longer
 * @throws the error of the work, or that of `late`
 */
export async function withTimeLimit<Value>(
  milliseconds: number,
  work: Promise<Value>,
  late: () => Error,
): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(late());
    }, milliseconds);
  });
  try {
    return await Promise.race([work, limit]);
  } finally {
    clearTimeout(timer);
  }
}

interface KeptReadingOptions<Value> {
  readonly read: () => Promise<Value>;
  /** Milliseconds after its end for which a reading serves those who ask again. */
  readonly keptMs: number;
  /** The same of a reading that has failed; by default none. */
  readonly failureKeptMs?: number | undefined;
  /** Milliseconds of a clock. */
  readonly elapsed: () => number;
}

/** Reads once at a time: those who ask meanwhile, or soon afterwards, share a reading, however many they are. */
export class KeptReading<Value> {
  readonly #options: KeptReadingOptions<Value>;
  #last: { readonly value: Promise<Value>; until: number } | undefined;

  constructor(options: KeptReadingOptions<Value>) {
    this.#options = options;
  }

  /** @throws what the read throws */
  current(): Promise<Value> {
    const { read, keptMs, failureKeptMs = 0, elapsed } = this.#options;
    if (this.#last !== undefined && elapsed() < this.#last.until) {
      return this.#last.value;
    }
    const reading = { value: read(), until: Infinity };
    this.#last = reading;
    const keepFor = (milliseconds: number) => (): void => {
      reading.until = elapsed() + milliseconds;
    };
    reading.value.then(keepFor(keptMs), keepFor(failureKeptMs));
    return reading.value;
  }
}

/** The longest key to remember, in characters. */
const MAX_KEY_LENGTH = 100;

/**
 * Remembers results by keys from outside, which cannot fill the memory: long ones are not remembered.
 * @param max results to remember
 * @param compute depends on the key alone
 * @returns a function that computes the value of a key once
 */
export function boundedMemo<Value extends object | string | number | boolean>(
  max: number,
  compute: (key: string) => Value,
): (key: string) => Value {
  const known = new LRUCache<string, Value>({
    max,
    maxEntrySize: MAX_KEY_LENGTH,
    sizeCalculation: (_value, key) => Math.max(1, key.length),
    memoMethod: (key) => compute(key),
  });
  // A copy: V8 keeps the whole header in memory as long as a substring of it.
  return (key) => known.get(key) ?? known.memo(structuredClone(key));
}

/** Milliseconds in which the same event is reported once: any client may cause it at any rate. */
const QUIET_MS = 59_999;
/** The most events that are remembered, so that a flood of different ones fills neither the memory nor the log. */
const MAX_REPORTED = 1_000;

/** Tells which of repeated events to report: the first of a minute. */
export class Reported {
  readonly #quiet: LRUCache<string, true>;

  constructor({ clock }: { readonly clock: Clock }) {
    const now = (): number => clock.now().getTime();
    // The cache keeps the last millisecond, too.
    this.#quiet = new LRUCache({ max: MAX_REPORTED, ttl: QUIET_MS, ttlResolution: 0, perf: { now } });
  }

  /**
   * @param ms for which the event is not reported again; at least a minute
   * @returns true if the event is to be reported
   */
  isNew(event: string, ms = QUIET_MS): boolean {
    if (this.#quiet.has(event)) {
      return false;
    }
    if (this.#quiet.size >= MAX_REPORTED) {
      this.#quiet.purgeStale();
    }
    if (this.#quiet.size >= MAX_REPORTED) {
      return false;
    }
    this.#quiet.set(event, true, { ttl: Math.max(QUIET_MS, ms) });
    return true;
  }
}
