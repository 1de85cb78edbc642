import type { Knex } from 'knex';

/**
 * Users are looked up by their key also by a server that has begun with few of them: a session keeps the plans of these
 * functions, and one that reads a small table whole would read a large one whole for each user of a batch.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER FUNCTION fold_counts(integer) SET enable_seqscan = off;
    ALTER FUNCTION read_counts(text) SET enable_seqscan = off;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER FUNCTION read_counts(text) RESET enable_seqscan;
    ALTER FUNCTION fold_counts(integer) RESET enable_seqscan;
  `);
}
