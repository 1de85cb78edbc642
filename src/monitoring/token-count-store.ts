import type { Database } from '../database/database.ts';
import { assertServes } from '../database/migrate.ts';
import { type BackgroundLoop, backgroundRounds, type RoundOutcome } from '../kernel/background-loop.ts';
import type { Log } from '../kernel/log.ts';
import {
  CountRows,
  type KeptEntries,
  type LockedTokenRow,
  type PendingEntries,
  type TokenCountsSnapshot,
  type CountCheck,
  type CountDrift,
} from './token-counts.ts';
import type { Knex } from 'knex';
import type { Act } from '../policy/caller.ts';
import type { UnitOfWork } from '../database/unit-of-work.ts';

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

/** What was done since the installation, beside the configuration and the tokens. */
export interface InstalledSteps {
  /** An administrator has a second factor. */
  readonly secondFactor: boolean;
  /** The audit records a backup. */
  readonly backup: boolean;
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

  /**
   * Reads the state in one statement.
   * @throws where the database cannot serve requests
   */
  async storedState(now: Date): Promise<StoredState> {
    await assertServes(this.#database);
    const { rows } = await this.#database.knex.raw<{
      rows: {
        locked: StoredState['lockedTokens'] | null;
        open: number;
        last_backup: Date | null;
        next_api_token_end: Date | null;
      }[];
    }>(STATE, [now, now]);
    const [row] = rows;
    return {
      lockedTokens: row?.locked ?? [],
      openChallenges: row?.open ?? 0,
      lastBackup: row?.last_backup ?? undefined,
      nextApiTokenEnd: row?.next_api_token_end ?? undefined,
    };
  }

  /** @returns the numbers of locked tokens alone */
  async lockedTokens(): Promise<readonly LockedTokenRow[]> {
    const { rows } = await this.#database.knex.raw<{ rows: { locked: readonly LockedTokenRow[] | null }[] }>(
      `SELECT ${LOCKED}`,
    );
    return rows[0]?.locked ?? [];
  }

  /** Looks for the steps by an index of the audit. */
  async installedSteps(): Promise<InstalledSteps> {
    const { rows } = await this.#database.knex.raw<{ rows: InstalledSteps[] }>(
      `SELECT EXISTS (SELECT FROM administrators WHERE second_factor IS NOT NULL) AS "secondFactor",
         EXISTS (SELECT FROM audit WHERE action = 'backup/export') AS backup`,
    );
    return rows[0] ?? { secondFactor: false, backup: false };
  }

  /** Counts tokens and users one by one, and compares with the kept counts. Writers continue meanwhile. */
  async verify(): Promise<CountCheck> {
    const verify = async ({ sql }: UnitOfWork): Promise<CountCheck> => {
      await prepare(sql);
      return check(sql);
    };
    return this.#database.transact(verify, { isLong: true });
  }

  /** Verifies, and sets right what has drifted. */
  async repair(act: Act): Promise<CountCheck> {
    const repair = async ({ sql, audit }: UnitOfWork): Promise<CountCheck> => {
      await prepare(sql);
      // Taken before the lock of the fold, as TRUNCATE of the table of tokens does.
      await sql.raw('LOCK TABLE tokens, users IN ACCESS SHARE MODE');
      await sql.raw('SELECT pg_advisory_xact_lock(?, ?)', [...FOLD_LOCK]);
      const found = await check(sql);
      if (found.total > 0) {
        for (const statement of REPAIR) {
          await sql.raw(statement);
        }
        await audit.write(act, 'counts', `repaired, ${found.total} drifted`);
      }
      return found;
    };
    return this.#database.transact(repair, { isLong: true });
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
       SELECT FROM challenges WHERE closed_by IS NULL AND open_until > ? LIMIT ${MAX_COUNTED}) AS open_ones) AS open,
    (SELECT max(at) FROM audit WHERE action = 'backup/export') AS last_backup,
    (SELECT min(expires_at) FROM api_tokens WHERE expires_at > ?) AS next_api_token_end`;

/** The most deltas that one transaction folds. */
const BATCH = 10_000;
/** Milliseconds between two folds. */
const PAUSE_MS = 1_000;
/** Deltas after which their dead rows are vacuumed: each reader passes over them. */
const VACUUM_AFTER = 1_000;

const ANYTHING = `
  SELECT EXISTS (SELECT FROM count_deltas) OR EXISTS (SELECT FROM user_count_deltas)
    OR EXISTS (SELECT FROM locked_token_deltas) AS anything`;

/**
 * @returns a loop that folds the deltas of the counts about once a second. Any number of servers may run it: one at a
 *   time folds. Without it, counts stay right and only get slower to read
 */
export function countFolding({
  database,
  log,
  pause = PAUSE_MS,
  ended,
}: {
  readonly database: Database;
  readonly log: Log;
  /** Approximate milliseconds between two folds; 1000 by default. */
  readonly pause?: number;
  /** Called at the end of each round. */
  readonly ended?: ((outcome: RoundOutcome) => void) | undefined;
}): BackgroundLoop {
  const component = 'counts';
  let sinceVacuum = 0;
  return backgroundRounds({
    component,
    log,
    pause,
    ended,
    warning: 'Counts cannot be folded: they stay right, but take longer to read',
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

/** Every token, grouped as the counts need it. */
const COUNTED_TOKENS = `
  counted AS MATERIALIZED (
    SELECT realm_set_id, active, owner_resolver_id AS resolver_id, owner_user_id COLLATE "C" AS user_id, count(*) AS tokens
    FROM tokens GROUP BY 1, 2, 3, 4
  ), counted_tokens AS (
    SELECT realm_set_id, active, user_id IS NOT NULL AS assigned, sum(tokens) AS tokens FROM counted GROUP BY 1, 2, 3
  ), counted_user_tokens AS (
    SELECT resolver_id, user_id, realm_set_id, tokens FROM counted WHERE active AND user_id IS NOT NULL
  ), counted_combinations AS (
    SELECT resolver_id, realm_set_ids, count(*) AS users
    FROM (SELECT resolver_id, array_agg(realm_set_id ORDER BY realm_set_id) AS realm_set_ids
          FROM counted_user_tokens GROUP BY resolver_id, user_id) AS users
    GROUP BY 1, 2
  )`;

/** Folded counts plus pending deltas. */
const KEPT_TOKENS = `
  kept_tokens AS (
    SELECT realm_set_id, active, assigned, sum(tokens) AS tokens FROM (
      SELECT realm_set_id, active, assigned, tokens FROM token_counts
      UNION ALL SELECT realm_set_id, active, resolver_id IS NOT NULL, tokens FROM count_deltas) AS both_sides
    GROUP BY 1, 2, 3
  ), kept_user_tokens AS (
    SELECT resolver_id, user_id, realm_set_id, sum(tokens) AS tokens FROM (
      SELECT resolver_id, user_id, realm_set_id, tokens FROM active_user_tokens
      UNION ALL SELECT resolver_id, user_id, realm_set_id, tokens FROM count_deltas
      WHERE active AND resolver_id IS NOT NULL) AS both_sides
    GROUP BY 1, 2, 3
  )`;

const USERS = `
  kept_users AS (
    SELECT resolver_id, sum(users) AS users
    FROM (SELECT * FROM user_counts UNION ALL SELECT * FROM user_count_deltas) AS both_sides GROUP BY 1
  ), counted_users AS (SELECT resolver_id, count(*) AS users FROM users GROUP BY 1)`;

const LOCKED_TOKENS = `
  kept_locked AS (
    SELECT realm_set_id, sum(tokens) AS tokens
    FROM (SELECT * FROM locked_token_counts UNION ALL SELECT * FROM locked_token_deltas) AS both_sides GROUP BY 1
  ), counted_locked AS (
    SELECT realm_set_id, count(*) AS tokens FROM tokens WHERE fail_count >= max_fail GROUP BY 1
  )`;

/** Users with active tokens by combination of realm sets, as `read_counts` returns them. */
const KEPT_COMBINATIONS = `
  recorded AS MATERIALIZED (SELECT read_counts(NULL) AS counts),
  kept_combinations AS (
    SELECT (entry ->> 0)::bigint AS resolver_id,
      ARRAY(SELECT id::bigint FROM json_array_elements_text(entry -> 1) AS id) AS realm_set_ids,
      sum((entry ->> 2)::bigint) AS users
    FROM recorded CROSS JOIN LATERAL (VALUES ('kept'), ('pending')) AS parts (part)
      CROSS JOIN LATERAL json_array_elements(
        CASE json_typeof(counts -> part -> 'users') WHEN 'array' THEN counts -> part -> 'users' ELSE '[]' END) AS entry
    GROUP BY 1, 2
  )`;

/** Every count, as kept and as counted. */
const COMPARED = `
  compared AS (
    SELECT 'tokens' AS counts, NULL::bigint AS resolver_id, NULL AS user_id, ARRAY[realm_set_id] AS sets, active, assigned,
      coalesce(k.tokens, 0) AS kept, coalesce(c.tokens, 0) AS counted
    FROM kept_tokens AS k FULL JOIN counted_tokens AS c USING (realm_set_id, active, assigned)
    UNION ALL
    SELECT 'active tokens of a user', resolver_id, user_id, ARRAY[realm_set_id], true, true,
      coalesce(k.tokens, 0), coalesce(c.tokens, 0)
    FROM kept_user_tokens AS k FULL JOIN counted_user_tokens AS c USING (resolver_id, user_id, realm_set_id)
    UNION ALL
    SELECT 'active users', resolver_id, NULL, realm_set_ids, true, true, coalesce(k.users, 0), coalesce(c.users, 0)
    FROM kept_combinations AS k FULL JOIN counted_combinations AS c USING (resolver_id, realm_set_ids)
    UNION ALL
    SELECT 'managed users', resolver_id, NULL, NULL, NULL, NULL, coalesce(k.users, 0), coalesce(c.users, 0)
    FROM kept_users AS k FULL JOIN counted_users AS c USING (resolver_id)
    UNION ALL
    SELECT 'locked tokens', NULL, NULL, ARRAY[realm_set_id], NULL, NULL, coalesce(k.tokens, 0), coalesce(c.tokens, 0)
    FROM kept_locked AS k FULL JOIN counted_locked AS c USING (realm_set_id)
  )`;

const SET_NAME = `
  SELECT coalesce(string_agg(realms.name, ' & ' ORDER BY realms.name), 'no realm')
  FROM realm_sets JOIN realms ON realms.id = ANY (realm_ids) WHERE realm_sets.id = one.id`;

/** All differences as of one snapshot: a limited number of rows, each with the number of all. */
export const DRIFTS = `
  WITH ${COUNTED_TOKENS}, ${KEPT_TOKENS}, ${USERS}, ${LOCKED_TOKENS}, ${KEPT_COMBINATIONS}, ${COMPARED}
  SELECT d.counts, coalesce(r.name, d.resolver_id::text) AS resolver, d.user_id, d.active, d.assigned, d.kept, d.counted,
    d.drifts, ARRAY(SELECT (${SET_NAME}) FROM unnest(d.sets) WITH ORDINALITY AS one (id, at) ORDER BY one.at) AS realms
  FROM (SELECT *, count(*) OVER () AS drifts FROM compared WHERE kept <> counted ORDER BY counts, resolver_id, user_id, sets
        LIMIT ?) AS d
    LEFT JOIN resolvers AS r ON r.id = d.resolver_id
  ORDER BY d.counts, d.resolver_id, d.user_id, d.sets`;

/**
 * Adds the differences to the folded counts, each statement as of its own snapshot. It must run under the lock of the
 * fold. Writers need not wait: a delta that is appended meanwhile is on both sides or on neither.
 */
const REPAIR: readonly string[] = [
  `WITH ${COUNTED_TOKENS}, ${KEPT_TOKENS}
   INSERT INTO token_counts AS t (realm_set_id, active, assigned, tokens)
   SELECT realm_set_id, active, assigned, coalesce(c.tokens, 0) - coalesce(k.tokens, 0)
   FROM kept_tokens AS k FULL JOIN counted_tokens AS c USING (realm_set_id, active, assigned)
   WHERE k.tokens IS DISTINCT FROM c.tokens
   ON CONFLICT (realm_set_id, active, assigned) DO UPDATE SET tokens = t.tokens + excluded.tokens`,
  'DELETE FROM token_counts WHERE tokens = 0',
  `WITH ${COUNTED_TOKENS}, ${KEPT_TOKENS}
   INSERT INTO active_user_tokens AS t (resolver_id, user_id, realm_set_id, tokens)
   SELECT resolver_id, user_id, realm_set_id, coalesce(c.tokens, 0) - coalesce(k.tokens, 0)
   FROM kept_user_tokens AS k FULL JOIN counted_user_tokens AS c USING (resolver_id, user_id, realm_set_id)
   WHERE k.tokens IS DISTINCT FROM c.tokens
   ON CONFLICT (resolver_id, user_id, realm_set_id) DO UPDATE SET tokens = t.tokens + excluded.tokens`,
  'DELETE FROM active_user_tokens WHERE tokens = 0',
  'DELETE FROM active_user_counts',
  `INSERT INTO active_user_counts (resolver_id, realm_set_ids, users)
   SELECT resolver_id, realm_set_ids, count(*)
   FROM (SELECT resolver_id, array_agg(realm_set_id ORDER BY realm_set_id) AS realm_set_ids
         FROM active_user_tokens WHERE tokens > 0 GROUP BY resolver_id, user_id) AS users
   GROUP BY 1, 2`,
  `WITH ${USERS}
   INSERT INTO user_counts AS t (resolver_id, users)
   SELECT resolver_id, coalesce(c.users, 0) - coalesce(k.users, 0)
   FROM kept_users AS k FULL JOIN counted_users AS c USING (resolver_id) WHERE k.users IS DISTINCT FROM c.users
   ON CONFLICT (resolver_id) DO UPDATE SET users = t.users + excluded.users`,
  'DELETE FROM user_counts WHERE users = 0',
  `WITH ${LOCKED_TOKENS}
   INSERT INTO locked_token_counts AS t (realm_set_id, tokens)
   SELECT realm_set_id, coalesce(c.tokens, 0) - coalesce(k.tokens, 0)
   FROM kept_locked AS k FULL JOIN counted_locked AS c USING (realm_set_id) WHERE k.tokens IS DISTINCT FROM c.tokens
   ON CONFLICT (realm_set_id) DO UPDATE SET tokens = t.tokens + excluded.tokens`,
  'DELETE FROM locked_token_counts WHERE tokens = 0',
  'UPDATE count_state SET revision = revision + 1, changed_at = clock_timestamp()',
];

/** The advisory lock on the tables of folded counts, which the function fold_counts takes, too. "tank", "fold". */
const FOLD_LOCK = [0x74616e6b, 0x666f6c64] as const;
/** The most drifts that are listed one by one. */
const MAX_DRIFTS = 1_000;

interface DriftRow {
  readonly counts: CountDrift['counts'];
  readonly resolver: string | null;
  readonly user_id: string | null;
  readonly realms: readonly string[] | null;
  readonly active: boolean | null;
  readonly assigned: boolean | null;
  /** These three are bigints, as text. */
  readonly kept: string;
  readonly counted: string;
  readonly drifts: string;
}

async function prepare(sql: Knex.Transaction): Promise<void> {
  await sql.raw('SET TRANSACTION ISOLATION LEVEL READ COMMITTED');
  await sql.raw("SET LOCAL work_mem = '64MB'");
}

async function check(sql: Knex.Transaction): Promise<CountCheck> {
  const { rows } = await sql.raw<{ rows: DriftRow[] }>(DRIFTS, [MAX_DRIFTS]);
  return { total: Number(rows[0]?.drifts ?? 0), drifts: rows.map(toDrift) };
}

function toDrift({ user_id, realms, kept, counted, ...row }: DriftRow): CountDrift {
  return {
    counts: row.counts,
    resolver: row.resolver,
    userId: user_id,
    realms: realms ?? [],
    active: row.active,
    assigned: row.assigned,
    kept: Number(kept),
    counted: Number(counted),
  };
}
