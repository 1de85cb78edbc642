import type { Knex } from 'knex';

/** The audit trail and the ids of the keys that seal secrets. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE audit (
      id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT audit_pkey PRIMARY KEY,
      at timestamptz NOT NULL DEFAULT clock_timestamp(),
      actor text NOT NULL,
      action text NOT NULL,
      subject text NOT NULL,
      outcome text NOT NULL,
      client text NOT NULL,
      request_id text NOT NULL
    );
    CREATE INDEX audit_at_idx ON audit (at);
    COMMENT ON TABLE audit IS 'One row an administrative act and a decision on a response, in the transaction of the act. No secrets.';

    CREATE TABLE encryption_keys (
      key_id text NOT NULL CONSTRAINT encryption_keys_pkey PRIMARY KEY,
      canary bytea NOT NULL,
      created_at timestamptz NOT NULL DEFAULT now()
    );
    COMMENT ON TABLE encryption_keys IS 'The keys that secrets here are sealed with, each with a known text sealed by it.';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('DROP TABLE encryption_keys; DROP TABLE audit;');
}
