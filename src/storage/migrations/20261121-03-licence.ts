import type { Knex } from 'knex';

/** The licence of the installation, as it was handed over: what it says is read and verified each time. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE licence (
      singleton boolean NOT NULL DEFAULT true CONSTRAINT licence_pkey PRIMARY KEY
        CONSTRAINT licence_single CHECK (singleton),
      text text NOT NULL,
      installed_at timestamptz NOT NULL DEFAULT now()
    );
    COMMENT ON TABLE licence IS 'The signed licence, at most one. Whoever changes it by hand breaks its signature.';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE licence');
}
