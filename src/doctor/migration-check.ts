import { isServiceError } from '../kernel/errors.ts';
import type { Checked } from './examination.ts';
import { type Finding, findingOf } from './finding.ts';

/** State of the tables. */
export interface MigrationState {
  /** The names of the pending migrations. */
  readonly pending: readonly string[];
  /** No migration was ever applied. */
  readonly isEmpty: boolean;
}

/**
 * @param read throws ServiceError 'configuration.invalid' if the database is not of this program, with the code of the finding as detail
 * @returns as value true if the tables are those of this program
 */
export async function checkMigrations(read: () => Promise<MigrationState>): Promise<Checked<true>> {
  try {
    const { pending, isEmpty } = await read();
    return pending.length === 0
      ? { findings: [], value: true }
      : { findings: [isEmpty ? empty() : older(pending)], value: undefined };
  } catch (error) {
    if (!isServiceError(error, 'configuration.invalid')) {
      throw error;
    }
    const remedy =
      'run the version of tankeeper that migrated the database; if it is newer than this one, or a later one';
    const code = error.detail ?? 'migrations.newer';
    return { findings: [findingOf('error', code, error.message, remedy)], value: undefined };
  }
}

function empty(): Finding {
  return findingOf(
    'error',
    'migrations.none',
    'the database has no tables of tankeeper',
    '`tankeeper migrate`, or the first start of the server; if there should be some: DATABASE_URL or DATA_DIR as the server has it',
  );
}

function older(pending: readonly string[]): Finding {
  const text = `the database is older than this program, which has ${pending.length === 1 ? 'a migration' : `${pending.length} migrations`} more: ${pending.join(', ')}`;
  return findingOf('error', 'migrations.pending', text, '`tankeeper migrate`, or restart the server');
}
