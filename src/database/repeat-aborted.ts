import { isAbortedOrCausedBy } from './database-faults.ts';

/** Attempts at a statement that the database aborts in favour of others. */
const ATTEMPTS = 5;

/**
 * Repeats a statement that PostgreSQL aborts in favour of other transactions, as `Database.transact` does.
 * @param run runs it in a transaction of its own
 */
export async function repeatAborted<T>(run: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await run();
    } catch (error) {
      if (attempt === ATTEMPTS || !isAbortedOrCausedBy(error)) {
        throw error;
      }
    }
  }
}
