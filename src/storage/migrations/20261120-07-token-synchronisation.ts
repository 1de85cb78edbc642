import type { Knex } from 'knex';

/** The first half of an automatic resynchronisation: the mark of a response that was found ahead of the windows. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE tokens ADD COLUMN sync_mark text');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw('ALTER TABLE tokens DROP COLUMN sync_mark');
}
