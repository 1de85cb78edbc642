import type { Knex } from 'knex';

/**
 * What servers have seen of the database's clock, by which a jump of it is noticed also over restarts. Where nobody has
 * looked yet, the newest row of the audit tells when it was right: docs/adr/0032-one-clock.md.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE clock_state (
      singleton boolean NOT NULL DEFAULT true CONSTRAINT clock_state_pkey PRIMARY KEY
        CONSTRAINT clock_state_single CHECK (singleton),
      seen_at timestamptz NOT NULL,
      looked_at timestamptz NOT NULL,
      steady_since timestamptz
    ) WITH (fillfactor = 50);
    INSERT INTO clock_state (seen_at, looked_at) SELECT max(at), max(at) FROM audit HAVING max(at) IS NOT NULL;
    COMMENT ON TABLE clock_state IS 'When a server last saw the clock of the database go on, without a jump of a day.';
    COMMENT ON COLUMN clock_state.looked_at IS 'What the clock of the database showed at the last look.';
    COMMENT ON COLUMN clock_state.steady_since IS
      'What it showed after a jump, since when it has gone on without another one. Null: it is not in doubt.';
    COMMENT ON COLUMN rate_limits.expire IS 'Milliseconds since 1970.';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TABLE clock_state;
    COMMENT ON COLUMN rate_limits.expire IS 'Milliseconds since 1970, by the clock of the server that wrote it.';
  `);
}
