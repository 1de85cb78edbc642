import type { Database } from './database.ts';

/**
 * Renews the statistics of tables after many rows were loaded, by which prepared statements are planned anew, too.
 * Autovacuum would do so minutes later. Never fails: the rows are stored.
 */
export async function renewStatistics(
  { knex }: Pick<Database, 'knex'>,
  tables: readonly string[],
): Promise<void> {
  try {
    // PostgreSQL only warns of a table of another owner, and of one that is locked: nobody waits for statistics.
    await knex.raw(`ANALYZE (SKIP_LOCKED) ${tables.join(', ')}`);
  } catch {
    // Autovacuum does it.
  }
}
