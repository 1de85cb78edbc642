import type { Knex } from 'knex';

/**
 * The observations that servers show to administrators: docs/adr/0030-overview-and-live-stream.md. Neither table has
 * names of users, serials or transactions.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE response_minutes (
      minute timestamptz NOT NULL,
      outcome text NOT NULL,
      durations bigint[] NOT NULL,
      CONSTRAINT response_minutes_pkey PRIMARY KEY (minute, outcome)
    ) WITH (fillfactor = 50);
    COMMENT ON TABLE response_minutes IS
      'Responses that ended in a minute, by outcome: their numbers by duration, each up to a bound that the program has.';

    CREATE TABLE resolver_uses (
      resolver_id bigint CONSTRAINT resolver_uses_pkey PRIMARY KEY
        CONSTRAINT resolver_uses_resolver_fkey REFERENCES resolvers ON DELETE CASCADE,
      succeeded_at timestamptz,
      failed_at timestamptz
    ) WITH (fillfactor = 50);
    COMMENT ON TABLE resolver_uses IS 'Last uses of each resolver by any server: answered, and unavailable.';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE resolver_uses, response_minutes');
}
