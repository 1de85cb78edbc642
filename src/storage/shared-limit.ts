import { RateLimiterMemory, RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';
import type { Clock } from '../kernel/clock.ts';
import type { AttemptLimit } from '../kernel/limit.ts';
import { within } from '../kernel/time-limit.ts';
import type { Database } from './database.ts';

/** Where the limits of all servers are counted. */
const TABLE = 'rate_limits';
/** How long the database may take to count, in milliseconds. */
const PATIENCE_MS = 4_000;
/** Keys that wait; beyond that, those that wait no more are looked for, at most once in so many milliseconds. */
const SWEEP_BEYOND = 1_000;
const SWEEP_PAUSE_MS = 5_000;

export interface SharedLimitOptions {
  readonly database: Pick<Database, 'knex'>;
  readonly clock: Clock;
  /** Tells the limit's keys from those of others. */
  readonly name: string;
  /** How many attempts are allowed. */
  readonly points: number;
  /** Seconds from the first attempt, after which counting begins anew. */
  readonly duration: number;
}

/**
 * A limit that holds over all servers on one database, where attempts are counted. That a key has to wait is remembered
 * in memory, so asking costs nothing. While the database does not answer, each server goes by what has come to it. The
 * times of the counts are those of the process: the library takes no clock.
 */
export class SharedLimit implements AttemptLimit {
  readonly #its: SharedLimitOptions;
  readonly #shared: RateLimiterPostgres;
  readonly #local: RateLimiterMemory;
  readonly #waiting = new Map<string, number>();
  #sweptAt = 0;

  constructor(options: SharedLimitOptions) {
    const { database, name, points, duration } = options;
    this.#its = options;
    const common = { keyPrefix: name, points, duration };
    this.#shared = new RateLimiterPostgres({
      ...common,
      storeClient: database.knex,
      storeType: 'knex',
      tableName: TABLE,
      tableCreated: true,
      clearExpiredByTimeout: false,
    });
    this.#local = new RateLimiterMemory(common);
  }

  wait(key: string): number {
    const until = this.#waiting.get(key);
    if (until === undefined) {
      return 0;
    }
    const left = until - this.#now();
    if (left <= 0) {
      this.#waiting.delete(key);
      return 0;
    }
    return left;
  }

  async count(key: string): Promise<number> {
    const { consumedPoints, msBeforeNext } = await this.#consume(key);
    const { points } = this.#its;
    if (consumedPoints >= points) {
      this.#remember(key, msBeforeNext);
    }
    return consumedPoints > points ? Math.max(1, msBeforeNext) : 0;
  }

  /** Each server counts by itself, too, so that it knows what has come when the database does not answer. */
  async #consume(key: string): Promise<RateLimiterRes> {
    const here = await consumed(this.#local, key);
    if (here.consumedPoints > this.#its.points) {
      return here;
    }
    try {
      return await within(
        PATIENCE_MS,
        consumed(this.#shared, key),
        () => new Error('counting took too long'),
      );
    } catch {
      return here;
    }
  }

  #remember(key: string, milliseconds: number): void {
    const now = this.#now();
    if (this.#waiting.size >= SWEEP_BEYOND && now - this.#sweptAt >= SWEEP_PAUSE_MS) {
      this.#sweptAt = now;
      for (const [other, until] of this.#waiting) {
        if (until <= now) {
          this.#waiting.delete(other);
        }
      }
    }
    this.#waiting.set(key, now + milliseconds);
  }

  #now(): number {
    return this.#its.clock.now().getTime();
  }
}

/** The library throws the same value that it returns, when there are too many. */
async function consumed(
  limiter: RateLimiterPostgres | RateLimiterMemory,
  key: string,
): Promise<RateLimiterRes> {
  try {
    return await limiter.consume(key);
  } catch (outcome) {
    if (outcome instanceof RateLimiterRes) {
      return outcome;
    }
    throw outcome;
  }
}
