import { setTimeout as sleep } from 'node:timers/promises';

import { isServiceError } from '../kernel/errors.ts';
import { describeFault } from '../kernel/fault.ts';
import type { Log } from '../kernel/log.ts';
import type { Database } from './database.ts';

/** How many deltas one transaction folds. */
const BATCH = 10_000;
/** Milliseconds between two looks. */
const PAUSE_MS = 1_000;
/** After so many deltas their dead rows are cleared away: each reader passes them. */
const VACUUM_AFTER = 1_000;
/** How long stopping waits for a fold that is under way, in milliseconds. */
const PATIENCE_MS = 500;

const ANYTHING = `SELECT EXISTS (SELECT FROM count_deltas) OR EXISTS (SELECT FROM user_count_deltas) AS anything`;

/** What folding works with. */
export interface CountFoldingOptions {
  readonly database: Database;
  readonly log: Log;
  /** Milliseconds between two looks, about; 1000 unless told. */
  readonly pause?: number;
}

/**
 * Folds the deltas of counts, about once a second. Any number of servers may do so: one at a time gets its turn. While
 * none does, counts stay right and only get slower to read.
 */
export class CountFolding {
  readonly #its: CountFoldingOptions;
  readonly #stopping = new AbortController();
  #running: Promise<void> = Promise.resolve();
  #sinceVacuum = 0;
  #isTrouble = false;

  constructor(options: CountFoldingOptions) {
    this.#its = options;
  }

  /** To be called once. */
  start(): void {
    this.#running = this.#run();
  }

  /** Ends after the fold that is under way, half a second later at most. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.race([this.#running, sleep(PATIENCE_MS, undefined, { ref: false })]);
  }

  async #run(): Promise<void> {
    while (!this.#stopping.signal.aborted) {
      if (!(await this.#turn())) {
        await this.#rest();
      }
    }
  }

  /** Servers that were started together do not look at the same moment. */
  async #rest(): Promise<void> {
    const pause = (this.#its.pause ?? PAUSE_MS) * (0.75 + Math.random() / 2);
    await sleep(pause, undefined, { signal: this.#stopping.signal, ref: false }).catch(() => undefined);
  }

  /** @returns whether there is more to do at once */
  async #turn(): Promise<boolean> {
    try {
      const folded = await foldCounts(this.#its.database);
      if (folded > 0) {
        this.#its.log.debug('Folded counts', { component: 'counts', count: folded });
      }
      this.#sinceVacuum += folded;
      if (folded < BATCH && this.#sinceVacuum >= VACUUM_AFTER) {
        this.#sinceVacuum = 0;
        await this.#its.database.knex.raw('VACUUM (SKIP_LOCKED) count_deltas, user_count_deltas');
      }
      this.#isTrouble = false;
      return folded >= BATCH;
    } catch (error) {
      this.#report(error);
      return false;
    }
  }

  /** Once until it works again; that the database is away, others say. */
  #report(error: unknown): void {
    if (!this.#isTrouble && !isServiceError(error, 'database.unavailable')) {
      this.#isTrouble = true;
      this.#its.log.warn('Counts cannot be folded: they stay right, but take longer to read', {
        component: 'counts',
        ...describeFault(error),
      });
    }
  }
}

/**
 * Folds one batch.
 * @returns how many deltas; 0 also while somebody else is at it
 */
export async function foldCounts(database: Database): Promise<number> {
  const { rows } = await database.knex.raw<{ rows: { anything: boolean }[] }>(ANYTHING);
  if (rows[0]?.anything !== true) {
    return 0;
  }
  return database.transact(async (transaction) => {
    await transaction.raw('SET TRANSACTION ISOLATION LEVEL READ COMMITTED');
    // A fold that a crash takes back is done again.
    await transaction.raw('SET LOCAL synchronous_commit = off');
    const folded = await transaction.raw<{ rows: { folded: string | null }[] }>(
      'SELECT fold_counts(?) AS folded',
      [BATCH],
    );
    return Number(folded.rows[0]?.folded ?? 0);
  });
}
