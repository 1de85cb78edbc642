import type { Knex } from 'knex';

/** Which resolvers were set at the machine: only these may name files anywhere. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE resolvers ADD COLUMN is_bounded boolean NOT NULL DEFAULT true;
    COMMENT ON COLUMN resolvers.is_bounded IS 'Whether its file must be below RESOLVER_FILE_DIRS: it was not set at the machine.';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE resolvers DROP COLUMN is_bounded');
}
