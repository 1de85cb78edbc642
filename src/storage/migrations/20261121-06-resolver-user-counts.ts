import type { Knex } from 'knex';

/** The last known number of users of each resolver that is not ours, for when it does not answer. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE resolver_user_counts (
      resolver_id bigint CONSTRAINT resolver_user_counts_pkey PRIMARY KEY
        CONSTRAINT resolver_user_counts_resolver_fkey REFERENCES resolvers ON DELETE CASCADE,
      settings_digest text NOT NULL,
      users bigint NOT NULL CONSTRAINT resolver_user_counts_users_natural CHECK (users >= 0),
      counted_at timestamptz NOT NULL
    );
    COMMENT ON TABLE resolver_user_counts IS 'A count belongs to the settings of which it has the digest, and to no others.';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE resolver_user_counts');
}
