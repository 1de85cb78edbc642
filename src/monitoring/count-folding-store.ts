import { type BackgroundLoop, backgroundRounds, type RoundOutcome } from '../kernel/background-loop.ts';
import type { Log } from '../kernel/log.ts';
import type { Database } from '../database/database.ts';

/** The most deltas that one transaction folds. */
const BATCH = 10_000;
/** Milliseconds between two folds. */
const PAUSE_MS = 1_000;
/** Deltas after which their dead rows are vacuumed: each reader passes over them. */
const VACUUM_AFTER = 1_000;

const ANYTHING = `
  SELECT EXISTS (SELECT FROM count_deltas) OR EXISTS (SELECT FROM user_count_deltas)
    OR EXISTS (SELECT FROM locked_token_deltas) AS anything`;

/** The dependencies of folding. */
export interface CountFoldingDependencies {
  readonly database: Database;
  readonly log: Log;
  /** Approximate milliseconds between two folds; 1000 by default. */
  readonly pause?: number;
  /** Called at the end of each round. */
  readonly ended?: ((outcome: RoundOutcome) => void) | undefined;
}

/**
 * @returns a loop that folds the deltas of the counts about once a second. Any number of servers may run it: one at a
 *   time folds. Without it, counts stay right and only get slower to read
 */
export function countFolding({
  database,
  log,
  pause = PAUSE_MS,
  ended,
}: CountFoldingDependencies): BackgroundLoop {
  const component = 'counts';
  let sinceVacuum = 0;
  return backgroundRounds({
    component,
    log,
    pause,
    ended,
    trouble: 'Counts cannot be folded: they stay right, but take longer to read',
    round: async () => {
      const folded = await foldCounts(database);
      if (folded > 0) {
        log.debug('Folded counts', { component, count: folded });
      }
      sinceVacuum += folded;
      if (folded < BATCH && sinceVacuum >= VACUUM_AFTER) {
        sinceVacuum = 0;
        // Waits for an autovacuum that has begun: it may have passed the newest dead rows already.
        await database.knex.raw('VACUUM count_deltas, user_count_deltas, locked_token_deltas');
      }
      return folded >= BATCH;
    },
  });
}

/**
 * Folds one batch.
 * @returns the number of deltas; 0 also while another server folds
 */
export async function foldCounts(database: Database): Promise<number> {
  const { rows } = await database.knex.raw<{ rows: { anything: boolean }[] }>(ANYTHING);
  if (rows[0]?.anything !== true) {
    return 0;
  }
  return database.transact(async ({ sql }) => {
    await sql.raw('SET TRANSACTION ISOLATION LEVEL READ COMMITTED');
    // A fold that is lost in a crash is done again.
    await sql.raw('SET LOCAL synchronous_commit = off');
    const folded = await sql.raw<{ rows: { folded: string | null }[] }>('SELECT fold_counts(?) AS folded', [
      BATCH,
    ]);
    return Number(folded.rows[0]?.folded ?? 0);
  });
}
