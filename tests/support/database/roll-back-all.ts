import type { Database } from '../../../src/database/database.ts';
import { migrationSource } from '../../../src/database/migration-source.ts';

/**
 * Reverts every migration, and with them removes all data.
 * @returns the names of the reverted migrations, in order
 */
export function rollBackAll(database: Database): Promise<readonly string[]> {
  return database.transact(
    async ({ sql }) => {
      const [, undone] = (await sql.migrate.rollback({ migrationSource }, true)) as [number, string[]];
      return undone;
    },
    { isLong: true },
  );
}
