/*
 * The functions of the counts: parts of the migration 007-counts, in a file of their own for their length.
 */

/**
 * The end of a WITH list. `states` has the active tokens of each changed user in each set of realms before and after,
 * `moves` the number of users that a combination of sets wins or loses. A set belongs to a combination while it has more
 * than zero active tokens: deltas are folded in any order, so numbers may be below zero for a while. LATERAL with
 * OFFSET 0 finds users one by one, however many the planner expects.
 */
const USER_MOVES = `changes AS MATERIALIZED (
        SELECT resolver_id, user_id, realm_set_id, sum(tokens) AS tokens FROM deltas
        WHERE active AND resolver_id IS NOT NULL
        GROUP BY resolver_id, user_id, realm_set_id HAVING sum(tokens) <> 0
      ), states AS (
        SELECT resolver_id, user_id, realm_set_id,
          coalesce(sum(tokens) FILTER (WHERE is_kept), 0) AS before, sum(tokens) AS after
        FROM (
          SELECT resolver_id, user_id, realm_set_id, tokens, false AS is_kept FROM changes
          UNION ALL
          SELECT k.resolver_id, k.user_id, k.realm_set_id, k.tokens, true
          FROM (SELECT DISTINCT resolver_id, user_id FROM changes) AS u CROSS JOIN LATERAL (
            SELECT * FROM active_user_tokens AS t
            WHERE t.resolver_id = u.resolver_id AND t.user_id = u.user_id OFFSET 0) AS k
        ) AS both_sides
        GROUP BY resolver_id, user_id, realm_set_id
      ), combinations AS (
        SELECT resolver_id,
          array_agg(realm_set_id ORDER BY realm_set_id) FILTER (WHERE before > 0) AS before,
          array_agg(realm_set_id ORDER BY realm_set_id) FILTER (WHERE after > 0) AS after
        FROM states GROUP BY resolver_id, user_id
      ), moves AS (
        SELECT resolver_id, sets AS realm_set_ids, sum(moved) AS users
        FROM combinations CROSS JOIN LATERAL (VALUES (before, -1), (after, 1)) AS sides (sets, moved)
        WHERE sets IS NOT NULL AND before IS DISTINCT FROM after
        GROUP BY resolver_id, sets HAVING sum(moved) <> 0
      )`;

/** Kept sums by one key. */
interface KeptSums {
  readonly deltas: string;
  readonly sums: string;
  readonly key: string;
  readonly amount: string;
  /** The variable for the number of deltas. */
  readonly folded: string;
}

/** @returns statements that add up at most `batch` deltas */
const foldSums = ({ deltas, sums, key, amount, folded }: KeptSums): string => `WITH deltas AS (
        DELETE FROM ${deltas} WHERE ctid = ANY (ARRAY(SELECT ctid FROM ${deltas} LIMIT batch)) RETURNING *
      ), changed AS (
        INSERT INTO ${sums} AS k (${key}, ${amount})
        SELECT ${key}, sum(${amount}) FROM deltas GROUP BY ${key} HAVING sum(${amount}) <> 0
        ON CONFLICT (${key}) DO UPDATE SET ${amount} = k.${amount} + excluded.${amount}
      )
      SELECT count(*) INTO ${folded} FROM deltas;
      IF ${folded} > 0 THEN
        DELETE FROM ${sums} WHERE ${amount} = 0;
      END IF;`;

/**
 * Sequential scans are off: a session keeps the plans of the function, and a plan that reads a small table whole would
 * read a large one whole for each user of a batch.
 */
export const FOLD_COUNTS = `
  CREATE FUNCTION fold_counts(batch integer) RETURNS bigint LANGUAGE plpgsql
  SET search_path FROM CURRENT SET jit = off SET enable_seqscan = off AS $$
    DECLARE
      folded bigint;
      folded_users bigint;
      folded_locked bigint;
    BEGIN
      -- With an older snapshot than the lock, somebody else's fold would be overlooked.
      IF current_setting('transaction_isolation') <> 'read committed' THEN
        RAISE EXCEPTION 'counts are changed at READ COMMITTED only' USING ERRCODE = 'invalid_transaction_state';
      END IF;
      -- "tank", "fold"
      IF NOT pg_try_advisory_xact_lock(1952542315, 1718578276) THEN
        RETURN NULL;
      END IF;

      -- One statement, so that all of it works on the state before the batch.
      WITH deltas AS (
        DELETE FROM count_deltas WHERE ctid = ANY (ARRAY(SELECT ctid FROM count_deltas LIMIT batch)) RETURNING *
      ), token_changes AS (
        SELECT d.*, coalesce(k.tokens, 0) + d.change AS after
        FROM (SELECT realm_set_id, active, resolver_id IS NOT NULL AS assigned, sum(tokens) AS change
              FROM deltas GROUP BY 1, 2, 3 HAVING sum(tokens) <> 0) AS d
          LEFT JOIN token_counts AS k USING (realm_set_id, active, assigned)
      ), tokens_gone AS (
        DELETE FROM token_counts AS k USING token_changes AS d
        WHERE (k.realm_set_id, k.active, k.assigned) = (d.realm_set_id, d.active, d.assigned) AND d.after = 0
      ), tokens_changed AS (
        INSERT INTO token_counts (realm_set_id, active, assigned, tokens)
        SELECT realm_set_id, active, assigned, after FROM token_changes WHERE after <> 0
        ON CONFLICT (realm_set_id, active, assigned) DO UPDATE SET tokens = excluded.tokens
      ), ${USER_MOVES}, user_tokens_gone AS (
        DELETE FROM active_user_tokens AS k USING states AS s
        WHERE (k.resolver_id, k.user_id, k.realm_set_id) = (s.resolver_id, s.user_id, s.realm_set_id) AND s.after = 0
      ), user_tokens_changed AS (
        INSERT INTO active_user_tokens (resolver_id, user_id, realm_set_id, tokens)
        SELECT resolver_id, user_id, realm_set_id, after FROM states WHERE after <> 0 AND after <> before
        ON CONFLICT (resolver_id, user_id, realm_set_id) DO UPDATE SET tokens = excluded.tokens
      ), user_changes AS (
        SELECT m.resolver_id, m.realm_set_ids, k.users AS before, coalesce(k.users, 0) + m.users AS after
        FROM moves AS m LEFT JOIN active_user_counts AS k USING (resolver_id, realm_set_ids)
      ), users_gone AS (
        DELETE FROM active_user_counts AS k USING user_changes AS c
        WHERE (k.resolver_id, k.realm_set_ids) = (c.resolver_id, c.realm_set_ids) AND c.after = 0
      ), users_changed AS (
        UPDATE active_user_counts AS k SET users = c.after FROM user_changes AS c
        WHERE (k.resolver_id, k.realm_set_ids) = (c.resolver_id, c.realm_set_ids) AND c.after <> 0
      ), users_new AS (
        INSERT INTO active_user_counts (resolver_id, realm_set_ids, users)
        SELECT resolver_id, realm_set_ids, after FROM user_changes WHERE before IS NULL AND after <> 0
      )
      SELECT count(*) INTO folded FROM deltas;
      IF folded > 0 THEN
        UPDATE count_state SET revision = revision + 1, changed_at = clock_timestamp();
      END IF;

      ${foldSums({ deltas: 'user_count_deltas', sums: 'user_counts', key: 'resolver_id', amount: 'users', folded: 'folded_users' })}

      ${foldSums({ deltas: 'locked_token_deltas', sums: 'locked_token_counts', key: 'realm_set_id', amount: 'tokens', folded: 'folded_locked' })}
      RETURN greatest(folded, folded_users, folded_locked);
    END
  $$;
  COMMENT ON FUNCTION fold_counts IS
    'Adds up at most so many deltas of each of the three kinds. Returns the largest number of them, or NULL while another fold is at work.';
`;

/** STABLE: all statements of the function see the snapshot of the calling one. */
export const READ_COUNTS = `
  CREATE FUNCTION read_counts(known text) RETURNS json LANGUAGE plpgsql STABLE
  SET search_path FROM CURRENT SET jit = off SET enable_seqscan = off AS $$
    DECLARE
      version text := (
        SELECT concat_ws(' ', c.revision, extract(epoch FROM c.changed_at), s.revision, extract(epoch FROM s.changed_at))
        FROM count_state AS c, configuration_state AS s);
      pending json;
      folded json;
    BEGIN
      IF EXISTS (SELECT FROM count_deltas) THEN
        WITH deltas AS MATERIALIZED (SELECT * FROM count_deltas),
        tokens AS MATERIALIZED (
          SELECT realm_set_id, active, resolver_id IS NOT NULL AS assigned, sum(tokens) AS tokens
          FROM deltas GROUP BY 1, 2, 3 HAVING sum(tokens) <> 0
        ), ${USER_MOVES}
        SELECT json_build_object(
          'tokens', (SELECT json_agg(json_build_array(realm_set_id, active, assigned, tokens)) FROM tokens),
          'users', (SELECT json_agg(json_build_array(resolver_id, realm_set_ids, users)) FROM moves),
          'sets', (SELECT json_agg(json_build_array(id, realm_ids)) FROM realm_sets
            WHERE id = ANY (ARRAY(SELECT realm_set_id FROM tokens UNION SELECT unnest(realm_set_ids) FROM moves))))
        INTO pending;
      END IF;
      IF known IS DISTINCT FROM version THEN
        folded := json_build_object(
          'tokens', (SELECT json_agg(json_build_array(realm_set_id, active, assigned, tokens)) FROM token_counts),
          'users', (SELECT json_agg(json_build_array(resolver_id, realm_set_ids, users)) FROM active_user_counts),
          'sets', (SELECT json_agg(json_build_array(id, realm_ids)) FROM realm_sets),
          'realms', (SELECT json_agg(json_build_array(id, name)) FROM realms),
          'resolvers', (SELECT json_agg(json_build_array(id, name)) FROM resolvers));
      END IF;
      RETURN json_build_object('version', version, 'kept', folded, 'pending', pending);
    END
  $$;
  COMMENT ON FUNCTION read_counts IS
    'All counts as of one snapshot, without those that are folded where the caller knows this version of them.';
`;

export const REBUILD_COUNTS = `
  CREATE FUNCTION rebuild_counts() RETURNS void LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
    BEGIN
      IF current_setting('transaction_isolation') <> 'read committed' THEN
        RAISE EXCEPTION 'counts are changed at READ COMMITTED only' USING ERRCODE = 'invalid_transaction_state';
      END IF;
      LOCK TABLE tokens, users IN SHARE MODE;
      -- "tank", "fold"
      PERFORM pg_advisory_xact_lock(1952542315, 1718578276);
      DELETE FROM count_deltas;
      DELETE FROM token_counts;
      DELETE FROM active_user_tokens;
      DELETE FROM active_user_counts;
      DELETE FROM user_count_deltas;
      DELETE FROM user_counts;
      DELETE FROM locked_token_deltas;
      DELETE FROM locked_token_counts;
      INSERT INTO token_counts (realm_set_id, active, assigned, tokens)
      SELECT realm_set_id, active, owner_user_id IS NOT NULL, count(*) FROM tokens GROUP BY 1, 2, 3;
      INSERT INTO active_user_tokens (resolver_id, user_id, realm_set_id, tokens)
      SELECT owner_resolver_id, owner_user_id COLLATE "C", realm_set_id, count(*) FROM tokens
      WHERE active AND owner_user_id IS NOT NULL GROUP BY 1, 2, 3;
      INSERT INTO active_user_counts (resolver_id, realm_set_ids, users)
      SELECT resolver_id, realm_set_ids, count(*)
      FROM (SELECT resolver_id, array_agg(realm_set_id ORDER BY realm_set_id) AS realm_set_ids
            FROM active_user_tokens GROUP BY resolver_id, user_id) AS users
      GROUP BY 1, 2;
      INSERT INTO user_counts (resolver_id, users) SELECT resolver_id, count(*) FROM users GROUP BY 1;
      INSERT INTO locked_token_counts (realm_set_id, tokens)
      SELECT realm_set_id, count(*) FROM tokens WHERE locked GROUP BY 1;
      UPDATE count_state SET revision = revision + 1, changed_at = clock_timestamp();
    END
  $$;
  COMMENT ON FUNCTION rebuild_counts IS
    'Counts everything anew. To be called after a load of tokens or users with triggers disabled, in the same transaction.';
`;
