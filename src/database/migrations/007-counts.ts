import type { Knex } from 'knex';

import { FOLD_COUNTS, READ_COUNTS, REBUILD_COUNTS } from '../count-functions.ts';

/**
 * Counts of tokens, of their users, of locked tokens and of managed users, kept by the database itself in the
 * transaction of each change (docs/adr/0010-counts-kept-by-the-database.md). Triggers append changes to the tables of
 * deltas; `fold_counts` adds these up in small tables from time to time; `read_counts` reads both in one snapshot.
 * Existing rows are counted.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(TABLES);
  const { rows } = await knex.raw<{ rows: { schema: string }[] }>(
    'SELECT quote_ident(current_schema()) AS schema',
  );
  await knex.raw(tokenTriggers(rows[0]?.schema ?? 'public'));
  await knex.raw(userTriggers(rows[0]?.schema ?? 'public'));
  await knex.raw(FOLD_COUNTS);
  await knex.raw(READ_COUNTS);
  await knex.raw(REBUILD_COUNTS);
  await knex.raw('SELECT rebuild_counts() WHERE EXISTS (SELECT FROM tokens) OR EXISTS (SELECT FROM users)');
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP FUNCTION rebuild_counts();
    DROP FUNCTION read_counts(text);
    DROP FUNCTION fold_counts(integer);
    DROP FUNCTION append_token_deltas() CASCADE;
    DROP FUNCTION append_locked_token_deltas() CASCADE;
    DROP FUNCTION append_user_deltas() CASCADE;
    DROP FUNCTION empty_token_counts() CASCADE;
    DROP FUNCTION empty_user_counts() CASCADE;
    DROP FUNCTION note_realm_set_change() CASCADE;
    DROP TABLE resolver_user_counts, count_state, locked_token_counts, locked_token_deltas, user_counts, user_count_deltas, active_user_counts,
      active_user_tokens, token_counts, count_deltas;
  `);
}

/**
 * The deltas have no key and no index: a writer only appends. There are no foreign keys: the counted row may be gone by
 * then. Tables that are constantly read and emptied must stay small, as each reader passes over dead rows. The fill
 * factor leaves room on the page for rows that change a little with each fold.
 */
const TABLES = `
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
`;

/**
 * Functions for rows name the schema of their tables: setting a search path for each row takes as long as appending.
 */
const tokenTriggers = (schema: string): string => `
  CREATE FUNCTION append_token_deltas() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF TG_OP <> 'INSERT' THEN
        INSERT INTO ${schema}.count_deltas (realm_set_id, active, resolver_id, user_id, tokens)
        VALUES (OLD.realm_set_id, OLD.active, OLD.owner_resolver_id, OLD.owner_user_id, -1);
      END IF;
      IF TG_OP <> 'DELETE' THEN
        INSERT INTO ${schema}.count_deltas (realm_set_id, active, resolver_id, user_id, tokens)
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
        INSERT INTO ${schema}.locked_token_deltas (realm_set_id, tokens) VALUES (OLD.realm_set_id, -1);
      END IF;
      IF TG_OP <> 'DELETE' AND NEW.locked THEN
        INSERT INTO ${schema}.locked_token_deltas (realm_set_id, tokens) VALUES (NEW.realm_set_id, 1);
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
`;

const userTriggers = (schema: string): string => `
  CREATE FUNCTION append_user_deltas() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF TG_OP <> 'INSERT' THEN
        INSERT INTO ${schema}.user_count_deltas (resolver_id, users) VALUES (OLD.resolver_id, -1);
      END IF;
      IF TG_OP <> 'DELETE' THEN
        INSERT INTO ${schema}.user_count_deltas (resolver_id, users) VALUES (NEW.resolver_id, 1);
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
`;
