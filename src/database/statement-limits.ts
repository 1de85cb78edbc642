import type { Log } from '../kernel/log.ts';
import type { Database } from './database.ts';

/** The limits that this program sets for each connection as it opens. */
const LIMITS = ['statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout'] as const;

/**
 * Logs a warning if the database does not bound statements and transactions: a pooler that ignores the settings of a connection does not
 * pass them on.
 */
export async function warnOfMissingLimits({ knex }: Pick<Database, 'knex'>, log: Log): Promise<void> {
  const { rows } = await knex.raw<{ rows: { name: string }[] }>(
    'SELECT name FROM unnest(?::text[]) AS name WHERE current_setting(name) = ?',
    [[...LIMITS], '0'],
  );
  if (rows.length > 0) {
    const missing = rows.map(({ name }) => name).join(', ');
    log.warn(
      `The database does not bound what it does for us: a pooler drops ${missing}. Set this for the role by ALTER ROLE … SET`,
      { component: 'database' },
    );
  }
}
