import type { Clock } from '../../kernel/clock.ts';
import { ServiceError } from '../../kernel/errors.ts';
import type { Database } from '../database/database.ts';

/** Milliseconds of a difference between clocks, or of a jump, from which on nothing is removed. */
const DAY_MS = 86_400_000;

/** Moves the time on, unless the clock has jumped by more than a day since. */
const SEE = `
  INSERT INTO clock_state AS known (seen_at) VALUES (?)
  ON CONFLICT (singleton) DO UPDATE SET seen_at =
    CASE WHEN abs(extract(epoch FROM excluded.seen_at - known.seen_at)) <= ${DAY_MS / 1_000}
      THEN excluded.seen_at ELSE known.seen_at END
  RETURNING seen_at`;

const CONFIRM = `
  INSERT INTO clock_state (seen_at) VALUES (?) ON CONFLICT (singleton) DO UPDATE SET seen_at = excluded.seen_at`;

/**
 * Tells the time by which old rows may be removed, which is final: none while the clocks of the machine and of the
 * database differ by more than a day, and none after a jump of the database's clock by more than a day, until an operator
 * confirms the time. Servers ask about once a minute, so that any other jump than a pause of all servers is found.
 */
export class PruningClock {
  readonly #database: Pick<Database, 'knex'>;
  readonly #clock: Clock;

  constructor({ database, clock }: { readonly database: Pick<Database, 'knex'>; readonly clock: Clock }) {
    this.#database = database;
    this.#clock = clock;
  }

  /** @throws ServiceError 'clock.doubtful' */
  async time(): Promise<Date> {
    const now = this.#agreedTime();
    const { rows } = await this.#database.knex.raw<{ rows: { seen_at: Date }[] }>(SEE, [now]);
    const seen = rows[0]?.seen_at ?? now;
    if (seen.getTime() !== now.getTime()) {
      throw doubtful(
        `the clock of the database shows ${now.toISOString()}, and was last seen at ${seen.toISOString()}. If the present time is right, \`tankeeper housekeeping run --confirm-time\``,
      );
    }
    return now;
  }

  /** Takes the present time for right, whenever the clock was seen before. @throws ServiceError 'clock.doubtful' */
  async confirm(): Promise<void> {
    await this.#database.knex.raw(CONFIRM, [this.#agreedTime()]);
  }

  #agreedTime(): Date {
    const { offset = 0 } = this.#clock;
    if (Math.abs(offset) > DAY_MS) {
      throw doubtful(
        `the clock of this machine is ${Math.round(Math.abs(offset) / 1_000)} s ${offset > 0 ? 'ahead of' : 'behind'} the database's. Correct the wrong one`,
      );
    }
    return this.#clock.now();
  }
}

function doubtful(reason: string): ServiceError {
  return new ServiceError('clock.doubtful', `Nothing is removed while the time is in doubt: ${reason}`, {
    detail: reason,
  });
}
