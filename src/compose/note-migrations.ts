import type { Act } from '../policy/caller.ts';
import type { Database } from '../storage/database/database.ts';
import { migrationNames } from '../storage/database/migration-source.ts';

/** The act of a server that brings the schema up to date when it starts. */
export const SERVER_MIGRATES: Act = { actor: 'server', action: 'migrate', client: '', requestId: '' };

/**
 * Writes a row of the audit for migrations of a database that was in use. It comes right after them, not in their
 * transaction: in front of them there need not be a trail yet, nor the keys that sign it. Of a new database nothing is said.
 * @param applied their names, in order
 */
export async function noteMigrations(
  database: Database,
  act: Act,
  applied: readonly string[],
): Promise<void> {
  const last = applied.at(-1);
  if (last !== undefined && applied.length < migrationNames.length) {
    await database.autocommit.audit.write(act, 'schema', `migrated ${applied.length}, up to ${last}`);
  }
}
