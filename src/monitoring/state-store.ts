import type { StoredState } from './installation-state.ts';
import type { LockedTokenRow } from './token-counts.ts';
import type { Database } from '../database/database.ts';

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
    (SELECT max(at) FROM audit WHERE action = 'backup/export') AS last_backup`;

/** @returns a function that reads the state in one statement */
export function storedStateOf(
  database: Pick<Database, 'knex'>,
): (challengesIssuedAfter: Date) => Promise<StoredState> {
  return async (challengesIssuedAfter) => {
    const { rows } = await database.knex.raw<{
      rows: { locked: StoredState['lockedTokens'] | null; open: number; last_backup: Date | null }[];
    }>(STATE, [challengesIssuedAfter]);
    const [row] = rows;
    return {
      lockedTokens: row?.locked ?? [],
      openChallenges: row?.open ?? 0,
      lastBackup: row?.last_backup ?? undefined,
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
