import type { Database } from './database.ts';

/** The tables into which an import writes many rows. */
export type GrownTable = 'tokens' | 'imported_tokens' | 'challenges' | 'users';

/** Fewer rows change no plan much. */
const MANY_ROWS = 1_000;

/** Counts the rows that an import writes into each table. */
export class WrittenRows {
  readonly #rows = new Map<GrownTable, number>();

  add(rows: number, ...tables: readonly GrownTable[]): void {
    for (const table of tables) {
      this.#rows.set(table, (this.#rows.get(table) ?? 0) + rows);
    }
  }

  /** @returns the tables that have grown by so many rows that their statistics are wrong */
  grownTables(): readonly GrownTable[] {
    return [...this.#rows].filter(([, rows]) => rows >= MANY_ROWS).map(([table]) => table);
  }
}

/**
 * Renews the statistics of tables after an import was committed, by which prepared statements are planned anew, too.
 * Autovacuum would do so minutes later. Never fails: the rows are stored.
 */
export async function renewStatistics(
  { knex }: Pick<Database, 'knex'>,
  tables: readonly GrownTable[],
): Promise<void> {
  if (tables.length === 0) {
    return;
  }
  try {
    // PostgreSQL only warns of a table of another owner, and of one that is locked: nobody waits for statistics.
    await knex.raw(`ANALYZE (SKIP_LOCKED) ${tables.join(', ')}`);
  } catch {
    // Autovacuum does it.
  }
}
