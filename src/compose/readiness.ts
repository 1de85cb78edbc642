import { isServiceError } from '../kernel/errors.ts';
import type { Database } from '../storage/database/database.ts';

/**
 * Everybody may ask, as often as they like: so whoever asks while the database is being asked already is told what that
 * comes to, and one connection is all that it takes.
 * @returns tells whether the database answers
 */
export function readinessOf(database: Pick<Database, 'ready'>): () => Promise<boolean> {
  let asking: Promise<boolean> | undefined;
  return () => {
    asking ??= answers(database).finally(() => {
      asking = undefined;
    });
    return asking;
  };
}

async function answers(database: Pick<Database, 'ready'>): Promise<boolean> {
  try {
    await database.ready();
    return true;
  } catch (error) {
    if (isServiceError(error, 'database.unavailable')) {
      return false;
    }
    throw error;
  }
}
