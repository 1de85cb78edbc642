import { withTimeLimit } from '../kernel/bounded-work.ts';
import type { Clock } from '../kernel/clock.ts';
import type { AttemptCount, LimitStore } from './limit-store.ts';

/** The most keys that are counted; beyond that, the oldest are forgotten. */
const MAX_KEYS = 50_000;

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

  forgive(key: string): void {
    const known = this.#windows.get(key);
    if (known !== undefined) {
      known.attempts = Math.max(0, known.attempts - 1);
    }
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

/** The longest time for the database to count, in milliseconds. */
const TIMEOUT_MS = 4_000;
/** The most waiting keys in memory; a forgotten one is counted in the database again, which refuses it. */
const MAX_WAITING = 50_000;

interface AttemptLimitDependencies {
  readonly store: LimitStore;
  readonly clock: Clock;
  /** Distinguishes the limit's keys from those of others. */
  readonly name: string;
  /** Number of allowed attempts. */
  readonly points: number;
  /** Seconds from the first attempt, after which counting begins anew. */
  readonly duration: number;
}

/**
 * A limit on the attempts by key, over all servers on one database. Keys that must wait are remembered in memory, so
 * that checking them costs no query. While the database does not answer, each server uses its own counts.
 */
export class AttemptLimit {
  readonly #deps: AttemptLimitDependencies;
  readonly #local: LocalCounts;
  readonly #waiting = new Map<string, number>();

  constructor(dependencies: AttemptLimitDependencies) {
    this.#deps = dependencies;
    this.#local = new LocalCounts(dependencies.duration * 1000);
  }

  /**
   * @returns milliseconds until the key may try again, as far as this server knows; 0: now. Does not query the database
   */
  wait(key: string): number {
    const until = this.#waiting.get(key);
    if (until === undefined) {
      return 0;
    }
    const left = until - this.#now();
    // More than a window is left only after the clock was set back.
    if (left <= 0 || left > this.#deps.duration * 1000) {
      this.#waiting.delete(key);
      return 0;
    }
    return left;
  }

  /**
   * Counts one attempt, over all servers.
   * @returns milliseconds until the key may try again if this attempt exceeds the limit, else 0; also 0 for the last
   *   allowed attempt, after which `wait` reports the time
   */
  async count(key: string): Promise<number> {
    const { attempts, wait } = await this.#count(key);
    const { points } = this.#deps;
    if (attempts >= points) {
      this.#remember(key, wait);
    }
    return attempts > points ? Math.max(1, wait) : 0;
  }

  /** Takes one attempt back. Another server on which the key waits knows of it after that time. */
  async forgive(key: string): Promise<void> {
    this.#local.forgive(key);
    this.#waiting.delete(key);
    const { store, name } = this.#deps;
    const forgiven = store.forgive(`${name}:${key}`, this.#now());
    // What stays counted ends with its window.
    await withTimeLimit(TIMEOUT_MS, forgiven, () => new Error('counting took too long')).catch(
      () => undefined,
    );
  }

  /** Each server also counts by itself, for the time when the database does not answer. */
  async #count(key: string): Promise<AttemptCount> {
    const here = this.#local.count(key, this.#now());
    if (here.attempts > this.#deps.points) {
      return here;
    }
    const { store, name, duration } = this.#deps;
    try {
      const counted = store.count(`${name}:${key}`, duration * 1000, this.#now());
      return await withTimeLimit(TIMEOUT_MS, counted, () => new Error('counting took too long'));
    } catch {
      return here;
    }
  }

  #remember(key: string, milliseconds: number): void {
    const now = this.#now();
    this.#waiting.delete(key);
    // The longest waiting keys are at the front. One that still waits holds up the removal of the rest for its time at
    // most.
    for (const [other, until] of this.#waiting) {
      if (until > now && this.#waiting.size < MAX_WAITING) {
        break;
      }
      this.#waiting.delete(other);
    }
    this.#waiting.set(key, now + milliseconds);
  }

  #now(): number {
    return this.#deps.clock.now().getTime();
  }
}
