import type { Database } from '../database/database.ts';
import { type BackgroundLoop, backgroundRounds, type RoundOutcome } from '../kernel/background-loop.ts';
import type { Log } from '../kernel/log.ts';
import {
  CountRows,
  type KeptEntries,
  type LockedTokenRow,
  type PendingEntries,
  type TokenCountsSnapshot,
} from './token-counts.ts';

/** The facts about the installation in the database besides its counts of tokens. */
export interface StoredState {
  readonly lockedTokens: readonly LockedTokenRow[];
  /** Number of open challenges, counted up to a hundred thousand. */
  readonly openChallenges: number;
  /** The end of the last `tankeeper export`; undefined: the audit has none. */
  readonly lastBackup: Date | undefined;
  /** The end of the API token that ends next; undefined: none does. */
  readonly nextApiTokenEnd: Date | undefined;
}

/** The answer of the database's function `read_counts`. */
interface FoldedCounts {
  readonly version: string;
  /** Null: the folded counts are still those of the version that was sent. */
  readonly kept: KeptEntries | null;
  /** Null: no delta is pending. */
  readonly pending: PendingEntries | null;
}

const EMPTY: KeptEntries = { tokens: null, users: null, sets: null, realms: null, resolvers: null };

/**
 * Counts of tokens and their users from the counts that the database keeps, never from the tokens themselves. One
 * statement reads everything as of one instant; folded counts are transferred only if their version is not the one read
 * last.
 */
export class TokenCountStore {
  readonly #database: Database;
  #known: { readonly version: string; readonly rows: CountRows } | undefined;

  constructor({ database }: { readonly database: Database }) {
    this.#database = database;
  }

  /** @returns the counts with all pending deltas */
  async snapshot(): Promise<TokenCountsSnapshot> {
    const known = this.#known;
    const { rows: answers } = await this.#database.knex.raw<{ rows: { counts: FoldedCounts }[] }>(
      'SELECT read_counts(?) AS counts',
      [known?.version ?? null],
    );
    const { version, kept, pending } = answers[0]?.counts ?? { version: '', kept: EMPTY, pending: null };
    if (kept === null && known !== undefined) {
      return known.rows.with(pending);
    }
    const rows = new CountRows(kept ?? EMPTY);
    this.#known = { version, rows };
    return rows.with(pending);
  }
}

/** The most open challenges that are counted: a higher number is of no use, and counting would take long. */
const MAX_COUNTED = 100_000;

/** From kept counts. */
const LOCKED = `
     (SELECT json_agg(json_build_object('realms', realms, 'tokens', tokens)) FROM (
       SELECT ARRAY(SELECT name FROM realms WHERE id = ANY (realm_ids) ORDER BY name) AS realms, sum(tokens) AS tokens
       FROM (SELECT * FROM locked_token_counts UNION ALL SELECT * FROM locked_token_deltas) AS both_sides
         JOIN realm_sets ON realm_sets.id = realm_set_id
       GROUP BY realm_sets.id HAVING sum(tokens) <> 0) AS locked) AS locked`;

/** From kept counts and from indexes: no statement walks over tokens or audit rows. */
const STATE = `
  SELECT ${LOCKED},
    (SELECT count(*)::integer FROM (
       SELECT FROM challenges WHERE closed_by IS NULL AND issued_at > ? LIMIT ${MAX_COUNTED}) AS open_ones) AS open,
    (SELECT max(at) FROM audit WHERE action = 'backup/export') AS last_backup,
    (SELECT min(expires_at) FROM api_tokens WHERE expires_at > ?) AS next_api_token_end`;

/** @returns a function that reads the state in one statement */
export function storedStateOf(
  database: Pick<Database, 'knex'>,
): (challengesIssuedAfter: Date, now: Date) => Promise<StoredState> {
  return async (challengesIssuedAfter, now) => {
    const { rows } = await database.knex.raw<{
      rows: {
        locked: StoredState['lockedTokens'] | null;
        open: number;
        last_backup: Date | null;
        next_api_token_end: Date | null;
      }[];
    }>(STATE, [challengesIssuedAfter, now]);
    const [row] = rows;
    return {
      lockedTokens: row?.locked ?? [],
      openChallenges: row?.open ?? 0,
      lastBackup: row?.last_backup ?? undefined,
      nextApiTokenEnd: row?.next_api_token_end ?? undefined,
    };
  };
}

/** @returns a function that reads the numbers of locked tokens alone */
export function lockedTokensOf(database: Pick<Database, 'knex'>): () => Promise<readonly LockedTokenRow[]> {
  return async () => {
    const { rows } = await database.knex.raw<{ rows: { locked: readonly LockedTokenRow[] | null }[] }>(
      `SELECT ${LOCKED}`,
    );
    return rows[0]?.locked ?? [];
  };
}

/** What was done since the installation, beside the configuration and the tokens. */
export interface InstalledSteps {
  /** An administrator has a second factor. */
  readonly secondFactor: boolean;
  /** The audit records a backup. */
  readonly backup: boolean;
}

/** @returns a function that looks for them, by an index of the audit */
export function installedStepsOf(database: Pick<Database, 'knex'>): () => Promise<InstalledSteps> {
  return async () => {
    const { rows } = await database.knex.raw<{ rows: InstalledSteps[] }>(
      `SELECT EXISTS (SELECT FROM administrators WHERE second_factor IS NOT NULL) AS "secondFactor",
         EXISTS (SELECT FROM audit WHERE action = 'backup/export') AS backup`,
    );
    return rows[0] ?? { secondFactor: false, backup: false };
  };
}

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
