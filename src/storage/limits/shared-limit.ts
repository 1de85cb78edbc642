import type { Clock } from '../../kernel/clock.ts';
import type { AttemptLimit } from '../../kernel/limit.ts';
import { withTimeLimit } from '../../kernel/time-limit.ts';
import type { Database } from '../../database/database.ts';
import { type LocalCount, LocalCounts } from './local-counts.ts';

/** A row that was written under a clock that ran ahead ends with a window from now on. */
const COUNT = `
  INSERT INTO rate_limits AS known (key, points, expire) VALUES (?, 1, ?)
  ON CONFLICT (key) DO UPDATE SET
    points = CASE WHEN known.expire > ? THEN known.points + 1 ELSE 1 END,
    expire = CASE WHEN known.expire > ? THEN least(known.expire, excluded.expire) ELSE excluded.expire END
  RETURNING points, expire::text AS expire`;
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
}

/**
 * A limit over all servers on one database, which counts the attempts. Keys that must wait are remembered in memory, so
 * that checking them costs no query. While the database does not answer, each server uses its own counts.
 */
export class SharedLimit implements AttemptLimit {
  readonly #deps: SharedLimitOptions;
  readonly #local: LocalCounts;
  readonly #waiting = new Map<string, number>();

  constructor(options: SharedLimitOptions) {
    this.#deps = options;
    this.#local = new LocalCounts(options.duration * 1000);
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
    const { attempts, wait } = await this.#count(key);
    const { points } = this.#deps;
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
        this.#countForAll(key),
        () => new Error('counting took too long'),
      );
    } catch {
      return here;
    }
  }

  async #countForAll(key: string): Promise<LocalCount> {
    const { database, name, duration } = this.#deps;
    const now = this.#now();
    const { rows } = await database.knex.raw<{ rows: { points: number; expire: string }[] }>(COUNT, [
      `${name}:${key}`,
      now + duration * 1000,
      now,
      now,
    ]);
    const [row] = rows;
    return { attempts: row?.points ?? 1, wait: Number(row?.expire ?? now) - now };
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
