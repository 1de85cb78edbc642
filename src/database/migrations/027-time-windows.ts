import type { Knex } from 'knex';

export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE tokens ADD COLUMN time_window integer CONSTRAINT tokens_time_window_range CHECK (time_window >= 1);
    COMMENT ON COLUMN tokens.time_window IS 'The maximum deviation of a TOTP token''s clock, in seconds; null: 300.';
    COMMENT ON COLUMN tokens.ocra_suite IS 'How responses are computed: an OCRA suite, HOTP-SHA1-6 or TOTP-SHA1-6:T30S.';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE tokens DROP COLUMN time_window;
    COMMENT ON COLUMN tokens.ocra_suite IS NULL;
  `);
}
