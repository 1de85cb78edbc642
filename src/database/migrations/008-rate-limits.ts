import type { Knex } from 'knex';

/**
 * Attempts that servers count together. The first three columns are those that rate-limiter-flexible writes, in its
 * order. The rows may get lost: the table is unlogged, so it is empty after a crash and on a standby, and an attack
 * writes no WAL.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(UP);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(DOWN);
}

const UP = `
  CREATE UNLOGGED TABLE rate_limits (
    key text NOT NULL,
    points integer NOT NULL DEFAULT 0,
    expire bigint,
    CONSTRAINT rate_limits_pkey PRIMARY KEY (key)
  );
  CREATE INDEX rate_limits_expire ON rate_limits (expire);
  COMMENT ON TABLE rate_limits IS
    'Attempts that failed, by limit and client, transaction or account (the last two hashed), until they expire.';
  COMMENT ON COLUMN rate_limits.expire IS 'Milliseconds since 1970, by the clock of the server that wrote it.';
`;

const DOWN = `
  DROP TABLE rate_limits;
`;
