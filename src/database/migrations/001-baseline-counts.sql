-- Counts of tokens, of their users, of locked tokens and of managed users, kept by the database itself in the
-- transaction of each change (docs/adr/0010-counts-kept-by-the-database.md). Triggers append changes to the tables of
-- deltas; fold_counts adds these up in small tables from time to time; read_counts reads both in one snapshot.
--
-- The deltas have no key and no index: a writer only appends. There are no foreign keys: the counted row may be gone by
-- then. Tables that are constantly read and emptied must stay small, as each reader passes over dead rows. The fill
-- factor leaves room on the page for rows that change a little with each fold.

CREATE TABLE count_deltas (
  realm_set_id bigint NOT NULL,
  resolver_id bigint,
  tokens integer NOT NULL,
  active boolean NOT NULL,
  user_id text COLLATE "C",
  CONSTRAINT count_deltas_owner_whole CHECK ((resolver_id IS NULL) = (user_id IS NULL))
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);
ALTER TABLE count_deltas REPLICA IDENTITY FULL;
COMMENT ON TABLE count_deltas IS 'Tokens that came (1) or went (-1) and are not in the other tables yet.';

CREATE TABLE token_counts (
  realm_set_id bigint NOT NULL,
  active boolean NOT NULL,
  assigned boolean NOT NULL,
  tokens bigint NOT NULL,
  CONSTRAINT token_counts_pkey PRIMARY KEY (realm_set_id, active, assigned)
) WITH (fillfactor = 50);

CREATE TABLE active_user_tokens (
  resolver_id bigint NOT NULL,
  user_id text COLLATE "C" NOT NULL,
  realm_set_id bigint NOT NULL,
  tokens integer NOT NULL,
  CONSTRAINT active_user_tokens_pkey PRIMARY KEY (resolver_id, user_id, realm_set_id)
) WITH (fillfactor = 85);
COMMENT ON TABLE active_user_tokens IS 'Number of active tokens of a user in exactly this set of realms.';

CREATE TABLE active_user_counts (
  resolver_id bigint NOT NULL,
  realm_set_ids bigint[] NOT NULL,
  users bigint NOT NULL
) WITH (fillfactor = 50);
CREATE INDEX active_user_counts_sets_idx ON active_user_counts USING hash (realm_set_ids);
ALTER TABLE active_user_counts REPLICA IDENTITY FULL;
COMMENT ON TABLE active_user_counts IS
  'Number of users of a resolver who have active tokens in exactly these (sorted) sets of realms. One row for each combination, as only the holder of the lock of the fold writes.';

CREATE TABLE user_count_deltas (
  resolver_id bigint NOT NULL,
  users integer NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);
ALTER TABLE user_count_deltas REPLICA IDENTITY FULL;

CREATE TABLE user_counts (
  resolver_id bigint NOT NULL CONSTRAINT user_counts_pkey PRIMARY KEY,
  users bigint NOT NULL
) WITH (fillfactor = 50);
COMMENT ON TABLE user_counts IS 'Number of rows of the table users by resolver.';

CREATE TABLE locked_token_deltas (
  realm_set_id bigint NOT NULL,
  tokens integer NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0);
ALTER TABLE locked_token_deltas REPLICA IDENTITY FULL;

CREATE TABLE locked_token_counts (
  realm_set_id bigint NOT NULL CONSTRAINT locked_token_counts_pkey PRIMARY KEY,
  tokens bigint NOT NULL
) WITH (fillfactor = 50);
COMMENT ON TABLE locked_token_counts IS 'Number of locked tokens in exactly this set of realms.';

CREATE TABLE resolver_user_counts (
  resolver_id bigint CONSTRAINT resolver_user_counts_pkey PRIMARY KEY
    CONSTRAINT resolver_user_counts_resolver_fkey REFERENCES resolvers ON DELETE CASCADE,
  settings_hash text NOT NULL,
  users bigint NOT NULL CONSTRAINT resolver_user_counts_users_natural CHECK (users >= 0),
  counted_at timestamptz NOT NULL
);
COMMENT ON TABLE resolver_user_counts IS
  'Last known number of users of each resolver outside the database, for when it does not answer. It belongs to the settings of which it has the hash.';

CREATE TABLE count_state (
  singleton boolean NOT NULL DEFAULT true CONSTRAINT count_state_pkey PRIMARY KEY
    CONSTRAINT count_state_single CHECK (singleton),
  revision bigint NOT NULL,
  changed_at timestamptz NOT NULL
) WITH (fillfactor = 50);
COMMENT ON TABLE count_state IS 'Revision of token_counts and active_user_counts.';
INSERT INTO count_state (revision, changed_at) VALUES (1, clock_timestamp());

-- Servers keep the realms of the sets, too: they read them anew when a set is changed by hand.
CREATE FUNCTION note_realm_set_change() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
  BEGIN
    UPDATE count_state SET revision = revision + 1, changed_at = clock_timestamp();
    RETURN NULL;
  END
$$;
CREATE TRIGGER realm_sets_note_change AFTER UPDATE ON realm_sets
  FOR EACH STATEMENT EXECUTE FUNCTION note_realm_set_change();

-- Functions for rows name the schema of their tables, for which :schema stands here: setting a search path for each row
-- takes as long as appending.
CREATE FUNCTION append_token_deltas() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF TG_OP <> 'INSERT' THEN
      INSERT INTO :schema.count_deltas (realm_set_id, active, resolver_id, user_id, tokens)
      VALUES (OLD.realm_set_id, OLD.active, OLD.owner_resolver_id, OLD.owner_user_id, -1);
    END IF;
    IF TG_OP <> 'DELETE' THEN
      INSERT INTO :schema.count_deltas (realm_set_id, active, resolver_id, user_id, tokens)
      VALUES (NEW.realm_set_id, NEW.active, NEW.owner_resolver_id, NEW.owner_user_id, 1);
    END IF;
    RETURN NULL;
  END
$$;
CREATE TRIGGER tokens_count_insert AFTER INSERT ON tokens
  FOR EACH ROW EXECUTE FUNCTION append_token_deltas();
CREATE TRIGGER tokens_count_update
  AFTER UPDATE OF active, realm_set_id, owner_resolver_id, owner_user_id ON tokens
  FOR EACH ROW WHEN ((OLD.active, OLD.realm_set_id, OLD.owner_resolver_id, OLD.owner_user_id)
    IS DISTINCT FROM (NEW.active, NEW.realm_set_id, NEW.owner_resolver_id, NEW.owner_user_id))
  EXECUTE FUNCTION append_token_deltas();
CREATE TRIGGER tokens_count_delete AFTER DELETE ON tokens
  FOR EACH ROW EXECUTE FUNCTION append_token_deltas();

CREATE FUNCTION append_locked_token_deltas() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF TG_OP <> 'INSERT' AND OLD.locked THEN
      INSERT INTO :schema.locked_token_deltas (realm_set_id, tokens) VALUES (OLD.realm_set_id, -1);
    END IF;
    IF TG_OP <> 'DELETE' AND NEW.locked THEN
      INSERT INTO :schema.locked_token_deltas (realm_set_id, tokens) VALUES (NEW.realm_set_id, 1);
    END IF;
    RETURN NULL;
  END
$$;
CREATE TRIGGER tokens_count_locked_insert AFTER INSERT ON tokens
  FOR EACH ROW WHEN (NEW.locked) EXECUTE FUNCTION append_locked_token_deltas();
CREATE TRIGGER tokens_count_locked_update AFTER UPDATE OF fail_count, max_fail, realm_set_id ON tokens
  FOR EACH ROW WHEN (OLD.locked <> NEW.locked OR OLD.locked AND OLD.realm_set_id <> NEW.realm_set_id)
  EXECUTE FUNCTION append_locked_token_deltas();
CREATE TRIGGER tokens_count_locked_delete AFTER DELETE ON tokens
  FOR EACH ROW WHEN (OLD.locked) EXECUTE FUNCTION append_locked_token_deltas();

CREATE FUNCTION empty_token_counts() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
  BEGIN
    TRUNCATE count_deltas, token_counts, active_user_tokens, active_user_counts;
    TRUNCATE locked_token_deltas, locked_token_counts;
    UPDATE count_state SET revision = revision + 1, changed_at = clock_timestamp();
    RETURN NULL;
  END
$$;
CREATE TRIGGER tokens_count_truncate AFTER TRUNCATE ON tokens
  FOR EACH STATEMENT EXECUTE FUNCTION empty_token_counts();

CREATE FUNCTION append_user_deltas() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF TG_OP <> 'INSERT' THEN
      INSERT INTO :schema.user_count_deltas (resolver_id, users) VALUES (OLD.resolver_id, -1);
    END IF;
    IF TG_OP <> 'DELETE' THEN
      INSERT INTO :schema.user_count_deltas (resolver_id, users) VALUES (NEW.resolver_id, 1);
    END IF;
    RETURN NULL;
  END
$$;
CREATE TRIGGER users_count_insert AFTER INSERT ON users
  FOR EACH ROW EXECUTE FUNCTION append_user_deltas();
CREATE TRIGGER users_count_update AFTER UPDATE OF resolver_id ON users
  FOR EACH ROW WHEN (OLD.resolver_id IS DISTINCT FROM NEW.resolver_id) EXECUTE FUNCTION append_user_deltas();
CREATE TRIGGER users_count_delete AFTER DELETE ON users
  FOR EACH ROW EXECUTE FUNCTION append_user_deltas();

CREATE FUNCTION empty_user_counts() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
  BEGIN
    TRUNCATE user_count_deltas, user_counts;
    RETURN NULL;
  END
$$;
CREATE TRIGGER users_count_truncate AFTER TRUNCATE ON users
  FOR EACH STATEMENT EXECUTE FUNCTION empty_user_counts();

-- `states` has the active tokens of each changed user in each set of realms before and after, `moves` the number of
-- users that a combination of sets wins or loses. A set belongs to a combination while it has more than zero active
-- tokens: deltas are folded in any order, so numbers may be below zero for a while. LATERAL with OFFSET 0 finds users
-- one by one, however many the planner expects. Sequential scans are off: a session keeps the plans of the function, and
-- a plan that reads a small table whole would read a large one whole for each user of a batch.
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
    ), changes AS MATERIALIZED (
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
    ), user_tokens_gone AS (
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

    WITH deltas AS (
      DELETE FROM user_count_deltas WHERE ctid = ANY (ARRAY(SELECT ctid FROM user_count_deltas LIMIT batch)) RETURNING *
    ), changed AS (
      INSERT INTO user_counts AS k (resolver_id, users)
      SELECT resolver_id, sum(users) FROM deltas GROUP BY resolver_id HAVING sum(users) <> 0
      ON CONFLICT (resolver_id) DO UPDATE SET users = k.users + excluded.users
    )
    SELECT count(*) INTO folded_users FROM deltas;
    IF folded_users > 0 THEN
      DELETE FROM user_counts WHERE users = 0;
    END IF;

    WITH deltas AS (
      DELETE FROM locked_token_deltas WHERE ctid = ANY (ARRAY(SELECT ctid FROM locked_token_deltas LIMIT batch)) RETURNING *
    ), changed AS (
      INSERT INTO locked_token_counts AS k (realm_set_id, tokens)
      SELECT realm_set_id, sum(tokens) FROM deltas GROUP BY realm_set_id HAVING sum(tokens) <> 0
      ON CONFLICT (realm_set_id) DO UPDATE SET tokens = k.tokens + excluded.tokens
    )
    SELECT count(*) INTO folded_locked FROM deltas;
    IF folded_locked > 0 THEN
      DELETE FROM locked_token_counts WHERE tokens = 0;
    END IF;
    RETURN greatest(folded, folded_users, folded_locked);
  END
$$;
COMMENT ON FUNCTION fold_counts IS
  'Adds up at most so many deltas of each of the three kinds. Returns the largest number of them, or NULL while another fold is at work.';

-- STABLE: all statements of the function see the snapshot of the calling one. `changes` to `moves` as in fold_counts.
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
      ), changes AS MATERIALIZED (
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
      )
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
