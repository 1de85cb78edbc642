import type { Knex } from 'knex';

import type { Clock } from '../kernel/clock.ts';

/**
 * The time of the database as an SQL expression: microseconds since 1970, as digits. Exact, and the same text under any
 * setting of the session.
 */
export const DATABASE_TIME = '(extract(epoch FROM clock_timestamp()) * 1000000)::bigint::text';

export async function readDatabaseTime(connection: Knex): Promise<string | undefined> {
  const { rows } = await connection.raw<{ rows: { time: string }[] }>(`SELECT ${DATABASE_TIME} AS time`);
  return rows[0]?.time;
}

/**
 * The clock of the service: the database's, so that all servers have one, whatever their machines' clocks show
 * (docs/adr/0032-one-clock.md). Between two measurements it goes on with a clock that is never set. Before the first
 * one it is the machine's.
 */
export class DatabaseClock implements Clock {
  readonly #elapsed: () => number;
  readonly #machine: () => number;
  /** The time of the database when `elapsed` was 0. */
  #origin: number;
  #isMeasured = false;

  constructor({
    elapsed = () => performance.now(),
    machine = () => Date.now(),
  }: {
    /** Milliseconds of a clock that is never set; by default the process's. */
    readonly elapsed?: () => number;
    /** Milliseconds since 1970 by the machine's clock. */
    readonly machine?: () => number;
  } = {}) {
    this.#elapsed = elapsed;
    this.#machine = machine;
    this.#origin = machine() - elapsed();
  }

  now(): Date {
    return new Date(this.#origin + this.#elapsed());
  }

  get offset(): number {
    return this.#machine() - this.#origin - this.#elapsed();
  }

  /** @returns the mark to give to `note`, taken just before the database is asked for its time */
  begin(): number {
    return this.#elapsed();
  }

  /**
   * Takes over the time of the database, at its arrival. The database read it at an unknown moment of the round trip:
   * an answer that the present time agrees with changes nothing, so that slow answers do no harm and the time does not
   * waver. Otherwise the middle of the round trip counts.
   * @param begun of `begin`
   * @param microseconds the value of `DATABASE_TIME`
   */
  note(begun: number, microseconds: string | undefined): void {
    const time = Number(microseconds ?? Number.NaN) / 1_000;
    if (Number.isNaN(time)) {
      return;
    }
    const [earliest, latest] = [time - this.#elapsed(), time - begun];
    if (!this.#isMeasured || this.#origin < earliest || this.#origin > latest) {
      this.#origin = (earliest + latest) / 2;
      this.#isMeasured = true;
    }
  }
}
