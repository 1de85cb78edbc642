import type { Knex } from 'knex';

import { type ClockState, DAY_MS, isSteady, lookAt } from './housekeeping.ts';
import type { Clock } from '../kernel/clock.ts';
import { ServiceError } from '../kernel/errors.ts';
import type { Database } from '../database/database.ts';

/** Where nobody has looked yet, the newest row tells when the clock was right; an empty database has nothing to lose. */
const FIRST = `
  INSERT INTO clock_state (seen_at, looked_at)
  SELECT coalesce((SELECT max(at) FROM audit), :now), :now
  WHERE NOT EXISTS (SELECT FROM clock_state) ON CONFLICT DO NOTHING`;

const KNOWN =
  'SELECT seen_at AS "seenAt", looked_at AS "lookedAt", steady_since AS "steadySince" FROM clock_state';
const GOES_ON = 'UPDATE clock_state SET seen_at = ?, looked_at = ?, steady_since = NULL';
const IN_DOUBT = 'UPDATE clock_state SET looked_at = ?, steady_since = ?';
/** What a jump forward could take away. */
const IS_ANY_OLD = `SELECT EXISTS (SELECT FROM audit WHERE at < ?::timestamptz - interval '1 day') AS is_any`;

/** A look of this process. */
interface Look {
  /** What the clock should have shown, in milliseconds. */
  readonly time: number;
  readonly elapsed: number;
}

/** @returns what is known of the database's clock; undefined: nobody has looked at it yet */
export async function readClockState(knex: Knex): Promise<ClockState | undefined> {
  const { rows } = await knex.raw<{ rows: ClockState[] }>(KNOWN);
  return rows[0];
}

/** Holds the newest row of a restored audit for the time at which the clock was last right, whatever it shows now. */
export async function expectTimeOfAudit(sql: Knex): Promise<void> {
  await sql('clock_state').delete();
  await sql.raw(
    'INSERT INTO clock_state (seen_at, looked_at) SELECT max(at), max(at) FROM audit HAVING max(at) IS NOT NULL',
  );
}

/**
 * Tells the time by which old rows may be removed, which is final: none while the clocks of the machine and of the
 * database differ by more than a day; after a jump of the database's clock by more than a day none for a day, and none by
 * which rows of the audit may be removed until an operator confirms it (docs/adr/0032-one-clock.md).
 */
export class PruningClock {
  readonly #database: Pick<Database, 'knex'>;
  readonly #clock: Clock;
  readonly #elapsed: () => number;
  #last: Look | undefined;

  constructor({
    database,
    clock,
    elapsed = () => performance.now(),
  }: {
    readonly database: Pick<Database, 'knex'>;
    readonly clock: Clock;
    /** Milliseconds of a clock that is never set; by default the process's. */
    readonly elapsed?: () => number;
  }) {
    this.#database = database;
    this.#clock = clock;
    this.#elapsed = elapsed;
  }

  /**
   * @param what of which old rows are to be removed: `audit`, or `rest`, whose loss harms nobody
   * @throws ServiceError 'clock.doubtful'
   */
  async time(what: 'audit' | 'rest' = 'rest'): Promise<Date> {
    const now = this.#agreedTime();
    const state = await this.#look(now);
    if (state.steadySince !== null && (what === 'audit' || !isSteady(state, now))) {
      const end = new Date(state.steadySince.getTime() + DAY_MS);
      const isAudit = what === 'audit';
      const rest = isAudit ? '' : `. All but months of the audit is removed from ${end.toISOString()} on`;
      throw doubtful(
        `the clock of the database shows ${now.toISOString()}, and was last seen at ${state.seenAt.toISOString()}. If the present time is right, \`tankeeper housekeeping run --confirm-time\`${rest}`,
        isAudit ? 'No month of the audit' : 'Nothing',
      );
    }
    return now;
  }

  /** Takes the present time for right, whenever the clock was seen before. @throws ServiceError 'clock.doubtful' */
  async confirm(): Promise<void> {
    const now = this.#agreedTime();
    await this.#database.knex.raw(FIRST, { now });
    await this.#goOn({ seenAt: now, lookedAt: now, steadySince: null });
  }

  async #look(now: Date): Promise<ClockState> {
    const { knex } = this.#database;
    const elapsed = this.#elapsed();
    const expected = this.#last && this.#last.time + elapsed - this.#last.elapsed;
    await knex.raw(FIRST, { now });
    const known = (await readClockState(knex)) ?? { seenAt: now, lookedAt: now, steadySince: null };
    const state = lookAt(known, now, expected);
    if (state.steadySince === null || !(await this.#isAnyOld(now))) {
      return this.#goOn(state.steadySince === null ? state : { ...state, seenAt: now, steadySince: null });
    }
    // Only this: an operator may be confirming the time.
    await knex.raw(IN_DOUBT, [state.lookedAt, state.steadySince]);
    this.#last = { time: expected ?? known.seenAt.getTime(), elapsed };
    return state;
  }

  async #goOn(state: ClockState): Promise<ClockState> {
    await this.#database.knex.raw(GOES_ON, [state.seenAt, state.lookedAt]);
    this.#last = { time: state.seenAt.getTime(), elapsed: this.#elapsed() };
    return state;
  }

  async #isAnyOld(now: Date): Promise<boolean> {
    const { rows } = await this.#database.knex.raw<{ rows: { is_any: boolean }[] }>(IS_ANY_OLD, [now]);
    return rows[0]?.is_any === true;
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

function doubtful(reason: string, what = 'Nothing'): ServiceError {
  const message = `${what} is removed while the time is in doubt: ${reason}`;
  return new ServiceError('clock.doubtful', message, { detail: message });
}
