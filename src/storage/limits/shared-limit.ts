import { RateLimiterPostgres, RateLimiterRes } from 'rate-limiter-flexible';
import type { Clock } from '../../kernel/clock.ts';
import type { AttemptLimit } from '../../kernel/limit.ts';
import { withTimeLimit } from '../../kernel/time-limit.ts';
import type { Database } from '../database/database.ts';
import { type LocalCount, LocalCounts } from './local-counts.ts';

/** The table in which the limits of all servers are counted. */
const TABLE = 'rate_limits';
/** The longest time for the database to count, in milliseconds. */
const TIMEOUT_MS = 4_000;
/** The most waiting keys in memory; a forgotten one is counted in the database again, which refuses it. */
const MAX_WAITING = 50_000;

export interface SharedLimitOptions {
  readonly database: Pick<Database, 'knex'>;
  readonly clock: Clock;
  /** Distinguishes the limit's keys from those of others. */
  readonly name: string;
  /** Number of allowed attempts. */
  readonly points: number;
  /** Seconds from the first attempt, after which counting begins anew. */
  readonly duration: number;
  /** Number of attempts that this process allows while the database does not answer; default: `points`. */
  readonly alone?: number;
}

/**
 * A limit over all servers on one database, which counts the attempts. Keys that must wait are remembered in memory, so
 * that checking them costs no query. While the database does not answer, each server uses its own counts. The times of
 * the counts are those of the process: the library takes no clock.
 */
export class SharedLimit implements AttemptLimit {
  readonly #deps: SharedLimitOptions;
  readonly #shared: RateLimiterPostgres;
  readonly #local: LocalCounts;
  readonly #waiting = new Map<string, number>();
  readonly #elsewhere: number;

  constructor(options: SharedLimitOptions) {
    const { database, name, points, duration, alone = points } = options;
    this.#deps = options;
    this.#elsewhere = points - alone;
    this.#shared = new RateLimiterPostgres({
      keyPrefix: name,
      points,
      duration,
      storeClient: database.knex,
      storeType: 'knex',
      tableName: TABLE,
      tableCreated: true,
      clearExpiredByTimeout: false,
    });
    this.#local = new LocalCounts(duration * 1000);
  }

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

  async count(key: string): Promise<number> {
    const { attempts, wait: left } = await this.#count(key);
    const { points, duration } = this.#deps;
    // A row that was counted under a clock that ran ahead has a longer wait, until housekeeping removes it.
    const wait = Math.min(left, duration * 1000);
    if (attempts >= points) {
      this.#remember(key, wait);
    }
    return attempts > points ? Math.max(1, wait) : 0;
  }

  /** Each server also counts by itself, for the time when the database does not answer. */
  async #count(key: string): Promise<LocalCount> {
    const here = this.#local.count(key, this.#now());
    if (here.attempts > this.#deps.points) {
      return here;
    }
    try {
      return await withTimeLimit(
        TIMEOUT_MS,
        consumePoint(this.#shared, key),
        () => new Error('counting took too long'),
      );
    } catch {
      // As if the other processes of this server had counted the rest.
      return { ...here, attempts: here.attempts + this.#elsewhere };
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

/** The library throws the value that it otherwise returns, when there are too many attempts. */
async function consumePoint(limiter: RateLimiterPostgres, key: string): Promise<LocalCount> {
  const { consumedPoints, msBeforeNext } = await limiter.consume(key).catch((outcome: unknown) => {
    if (outcome instanceof RateLimiterRes) {
      return outcome;
    }
    throw outcome;
  });
  return { attempts: consumedPoints, wait: msBeforeNext };
}
