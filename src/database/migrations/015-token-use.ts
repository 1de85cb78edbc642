import type { Knex } from 'knex';

/** The period in which a token is valid, and how often it may be used. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE tokens
      ADD COLUMN valid_from timestamptz,
      ADD COLUMN valid_until timestamptz,
      ADD COLUMN use_count integer NOT NULL DEFAULT 0 CONSTRAINT tokens_use_count_range CHECK (use_count >= 0),
      ADD COLUMN max_uses integer CONSTRAINT tokens_max_uses_range CHECK (max_uses >= 1),
      ADD COLUMN success_count integer NOT NULL DEFAULT 0
        CONSTRAINT tokens_success_count_range CHECK (success_count >= 0),
      ADD COLUMN max_successes integer CONSTRAINT tokens_max_successes_range CHECK (max_successes >= 1);
    COMMENT ON COLUMN tokens.valid_until IS 'The first instant at which the token is no longer valid; null: none.';
    COMMENT ON COLUMN tokens.use_count IS 'Responses, right and wrong, while max_uses or max_successes was set.';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE tokens DROP COLUMN valid_from, DROP COLUMN valid_until, DROP COLUMN use_count, DROP COLUMN max_uses,
      DROP COLUMN success_count, DROP COLUMN max_successes;
  `);
}
