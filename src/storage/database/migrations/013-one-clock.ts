import type { Knex } from 'knex';

/**
 * The latest time at which a server saw the database's clock, by which a jump of it is noticed also over restarts:
 * docs/adr/0032-one-clock.md.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE clock_state (
      singleton boolean NOT NULL DEFAULT true CONSTRAINT clock_state_pkey PRIMARY KEY
        CONSTRAINT clock_state_single CHECK (singleton),
      seen_at timestamptz NOT NULL
    ) WITH (fillfactor = 50);
    COMMENT ON TABLE clock_state IS 'When a server last saw the clock of the database go on, without a jump of a day.';
    COMMENT ON COLUMN rate_limits.expire IS 'Milliseconds since 1970.';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TABLE clock_state;
    COMMENT ON COLUMN rate_limits.expire IS 'Milliseconds since 1970, by the clock of the server that wrote it.';
  `);
}
