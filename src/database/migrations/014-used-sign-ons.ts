import type { Knex } from 'knex';

/** The sign-ons at the OpenID Connect provider that have opened a session: one `state` serves once, over all servers. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE used_sign_ons (
      state_hash bytea CONSTRAINT used_sign_ons_pkey PRIMARY KEY,
      expires_at timestamptz NOT NULL
    );
    COMMENT ON TABLE used_sign_ons IS 'Single sign-ons that have opened a session: none of them opens another one.';
    CREATE INDEX used_sign_ons_expires_idx ON used_sign_ons (expires_at);
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE used_sign_ons');
}
