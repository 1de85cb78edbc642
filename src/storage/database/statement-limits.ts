import type { Log } from '../../kernel/log.ts';
import type { Database } from './database.ts';

/** The limits that this program sets for each connection as it opens. */
const LIMITS = ['statement_timeout', 'lock_timeout'] as const;

/**
 * Logs a warning if the database does not bound statements: a pooler that ignores the settings of a connection does not
 * pass them on.
 */
export async function warnOfMissingLimits({ knex }: Pick<Database, 'knex'>, log: Log): Promise<void> {
  const { rows } = await knex.raw<{ rows: { name: string }[] }>(
    'SELECT name FROM unnest(?::text[]) AS name WHERE current_setting(name) = ?',
    [[...LIMITS], '0'],
  );
  if (rows.length > 0) {
    const missing = rows.map(({ name }) => name).join(' and ');
    log.warn(
      `The database does not bound statements: a pooler drops ${missing}. Set both for the role by ALTER ROLE … SET`,
      { component: 'database' },
    );
  }
}
