import type { Database } from '../database/database.ts';

/** The attempts of a key in its present window. */
export interface AttemptCount {
  readonly attempts: number;
  /** Milliseconds until counting begins anew. */
  readonly wait: number;
}

/** A row that was written under a clock that ran ahead ends with a window from now on. */
const COUNT = `
  INSERT INTO rate_limits AS known (key, points, expire) VALUES (?, 1, ?)
  ON CONFLICT (key) DO UPDATE SET
    points = CASE WHEN known.expire > ? THEN known.points + 1 ELSE 1 END,
    expire = CASE WHEN known.expire > ? THEN least(known.expire, excluded.expire) ELSE excluded.expire END
  RETURNING points, expire::text AS expire`;

const FORGIVE = 'UPDATE rate_limits SET points = greatest(points - 1, 0) WHERE key = ? AND expire > ?';

/** Counts attempts over all servers on one database. */
export class LimitStore {
  readonly #database: Pick<Database, 'knex'>;

  constructor({ database }: { readonly database: Pick<Database, 'knex'> }) {
    this.#database = database;
  }

  /**
   * @param duration milliseconds of a window
   * @param now milliseconds
   */
  async count(key: string, duration: number, now: number): Promise<AttemptCount> {
    const { rows } = await this.#database.knex.raw<{ rows: { points: number; expire: string }[] }>(COUNT, [
      key,
      now + duration,
      now,
      now,
    ]);
    const [row] = rows;
    return { attempts: row?.points ?? 1, wait: Number(row?.expire ?? now) - now };
  }

  /** Takes one attempt back. */
  async forgive(key: string, now: number): Promise<void> {
    await this.#database.knex.raw(FORGIVE, [key, now]);
  }
}
