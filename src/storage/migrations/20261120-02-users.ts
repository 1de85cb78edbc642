import type { Knex } from 'knex';

/** The users of managed resolvers. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE users (
      id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT users_pkey PRIMARY KEY,
      resolver_id bigint NOT NULL CONSTRAINT users_resolver_fkey REFERENCES resolvers ON DELETE CASCADE,
      login text COLLATE "C" NOT NULL CONSTRAINT users_login_given CHECK (login <> ''),
      given_name text NOT NULL DEFAULT '',
      surname text NOT NULL DEFAULT '',
      email text NOT NULL DEFAULT '',
      phone text NOT NULL DEFAULT '',
      password_hash text,
      created_at timestamptz NOT NULL DEFAULT now(),
      CONSTRAINT users_resolver_login_key UNIQUE (resolver_id, login)
    );
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE users');
}
