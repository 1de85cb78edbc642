import { LRUCache } from 'lru-cache';
import { withTimeLimit } from '../kernel/bounded-work.ts';
import type { Clock } from '../kernel/clock.ts';
import type { AttemptCount, LimitStore } from './limit-store.ts';

/** The most keys that are counted; beyond that, those that were not seen for longest are forgotten. */
const MAX_KEYS = 20_000;

/** Counts attempts in bounded memory, in windows of fixed length that begin with a key's first attempt. */
export class LocalCounts {
  readonly #duration: number;
  readonly #max: number;
  /** Made by the first count, as it takes its room at once: many limits are never met. */
  #windows: LRUCache<string, { attempts: number; until: number }> | undefined;

  /** @param duration milliseconds of a window */
  constructor(duration: number, max = MAX_KEYS) {
    this.#duration = duration;
    this.#max = max;
  }

  /** @param now milliseconds */
  of(key: string, now: number): AttemptCount {
    const known = this.#windows?.get(key);
    // More than a window is left only after the clock was set back.
    return known !== undefined && known.until > now && known.until <= now + this.#duration
      ? { attempts: known.attempts, wait: known.until - now }
      : { attempts: 0, wait: this.#duration };
  }

  /** Counts one more, or one less. */
  change(key: string, by: 1 | -1, now: number): AttemptCount {
    const { attempts, wait } = this.of(key, now);
    return this.learn(key, { attempts: Math.max(0, attempts + by), wait }, now);
  }

  /** Takes over a count from elsewhere. */
  learn(key: string, count: AttemptCount, now: number): AttemptCount {
    this.#windows ??= new LRUCache({ max: this.#max });
    this.#windows.set(key, { attempts: count.attempts, until: now + count.wait });
    return count;
  }
}

/** The longest time for the database to count, in milliseconds. */
const TIMEOUT_MS = 4_000;

/**
 * A limit on the attempts by key, over all servers on one database. Each server remembers the counts that it knows, so
 * that a key that must wait costs no query, and goes on from them while the database does not answer.
 */
export class AttemptLimit {
  readonly #deps;
  readonly #local: LocalCounts;

  constructor(dependencies: {
    readonly store: LimitStore;
    readonly clock: Clock;
    /** Distinguishes the limit's keys from those of others. */
    readonly name: string;
    /** Number of allowed attempts. */
    readonly points: number;
    /** Seconds from the first attempt, after which counting begins anew. */
    readonly duration: number;
  }) {
    this.#deps = dependencies;
    this.#local = new LocalCounts(dependencies.duration * 1000);
  }

  /**
   * @returns milliseconds until the key may try again, as far as this server knows; 0: now. Does not query the database
   */
  wait(key: string): number {
    const { attempts, wait } = this.#local.of(key, this.#now());
    return attempts >= this.#deps.points ? wait : 0;
  }

  /**
   * Counts one attempt, over all servers.
   * @returns milliseconds until the key may try again if this attempt exceeds the limit, else 0; also 0 for the last
   *   allowed attempt, after which `wait` reports the time
   */
  async count(key: string): Promise<number> {
    const { store, name, points, duration } = this.#deps;
    let counted = this.#local.change(key, 1, this.#now());
    if (counted.attempts <= points) {
      const shared = await inTime(store.count(`${name}:${key}`, duration * 1000, this.#now()));
      counted = shared === undefined ? counted : this.#local.learn(key, shared, this.#now());
    }
    return counted.attempts > points ? Math.max(1, counted.wait) : 0;
  }

  /** Takes one attempt back. Another server on which the key waits knows of it after that time. */
  async forgive(key: string): Promise<void> {
    this.#local.change(key, -1, this.#now());
    const { store, name } = this.#deps;
    // What stays counted ends with its window.
    await inTime(store.forgive(`${name}:${key}`, this.#now()));
  }

  #now(): number {
    return this.#deps.clock.now().getTime();
  }
}

/** @returns undefined where the database fails or takes too long */
function inTime<Value>(answer: Promise<Value>): Promise<Value | undefined> {
  return withTimeLimit(TIMEOUT_MS, answer, () => new Error('counting took too long')).catch(() => undefined);
}
