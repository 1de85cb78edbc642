import type { Knex } from 'knex';

/**
 * Counts of tokens, of their users and of managed users, kept by the database itself in the transaction of each change
 * (docs/adr/0010-counts-kept-by-the-database.md). Triggers append what has changed; `fold_counts` adds that up in small
 * tables from time to time; `read_counts` reads both in one snapshot. The functions are in 20261121-07.
 */
export async function up(knex: Knex): Promise<void> {
  await createTables(knex);
  const { rows } = await knex.raw<{ rows: { schema: string }[] }>(
    'SELECT quote_ident(current_schema()) AS schema',
  );
  const schema = rows[0]?.schema ?? 'public';
  await createTokenTriggers(knex, schema);
  await createUserTriggers(knex, schema);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TRIGGER tokens_count_insert ON tokens;
    DROP TRIGGER tokens_count_update ON tokens;
    DROP TRIGGER tokens_count_delete ON tokens;
    DROP TRIGGER tokens_count_truncate ON tokens;
    DROP TRIGGER users_count_insert ON users;
    DROP TRIGGER users_count_update ON users;
    DROP TRIGGER users_count_delete ON users;
    DROP TRIGGER users_count_truncate ON users;
    DROP FUNCTION append_token_deltas();
    DROP FUNCTION append_user_deltas();
    DROP FUNCTION empty_token_counts();
    DROP FUNCTION empty_user_counts();
    DROP TABLE count_state, user_counts, user_count_deltas, active_user_counts, active_user_tokens, token_counts,
      count_deltas;
  `);
}

/** What is read and emptied all the time must stay small: dead rows are in the way of each reader. */
const DELTA_STORAGE = `WITH (
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_cost_delay = 0)`;
/** What changes a little with each fold finds room on its page. */
const KEPT_STORAGE = 'WITH (fillfactor = 50)';

/** The deltas have no key and no index: a writer only appends. No foreign keys: what was counted may be gone by then. */
async function createTables(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE TABLE count_deltas (
      realm_set_id bigint NOT NULL,
      resolver_id bigint,
      tokens integer NOT NULL,
      active boolean NOT NULL,
      user_id text COLLATE "C",
      CONSTRAINT count_deltas_owner_whole CHECK ((resolver_id IS NULL) = (user_id IS NULL))
    ) ${DELTA_STORAGE};
    ALTER TABLE count_deltas REPLICA IDENTITY FULL;
    COMMENT ON TABLE count_deltas IS 'Tokens that came (1) or went (-1) and are not in the other tables yet.';

    CREATE TABLE token_counts (
      realm_set_id bigint NOT NULL,
      active boolean NOT NULL,
      assigned boolean NOT NULL,
      tokens bigint NOT NULL,
      CONSTRAINT token_counts_pkey PRIMARY KEY (realm_set_id, active, assigned)
    ) ${KEPT_STORAGE};

    CREATE TABLE active_user_tokens (
      resolver_id bigint NOT NULL,
      user_id text COLLATE "C" NOT NULL,
      realm_set_id bigint NOT NULL,
      tokens integer NOT NULL,
      CONSTRAINT active_user_tokens_pkey PRIMARY KEY (resolver_id, user_id, realm_set_id)
    ) WITH (fillfactor = 85);
    COMMENT ON TABLE active_user_tokens IS 'How many active tokens a user has in exactly this set of realms.';

    CREATE TABLE active_user_counts (
      resolver_id bigint NOT NULL,
      realm_set_ids bigint[] NOT NULL,
      users bigint NOT NULL
    ) ${KEPT_STORAGE};
    CREATE INDEX active_user_counts_sets_idx ON active_user_counts USING hash (realm_set_ids);
    ALTER TABLE active_user_counts REPLICA IDENTITY FULL;
    COMMENT ON TABLE active_user_counts IS
      'How many users of a resolver have active tokens in exactly these (sorted) sets of realms. One row a combination: only who holds the lock of the fold writes.';

    CREATE TABLE user_count_deltas (resolver_id bigint NOT NULL, users integer NOT NULL) ${DELTA_STORAGE};
    ALTER TABLE user_count_deltas REPLICA IDENTITY FULL;
    CREATE TABLE user_counts (
      resolver_id bigint NOT NULL CONSTRAINT user_counts_pkey PRIMARY KEY,
      users bigint NOT NULL
    ) ${KEPT_STORAGE};
    COMMENT ON TABLE user_counts IS 'How many rows of the table users a resolver has.';

    CREATE TABLE count_state (
      singleton boolean NOT NULL DEFAULT true CONSTRAINT count_state_pkey PRIMARY KEY
        CONSTRAINT count_state_single CHECK (singleton),
      revision bigint NOT NULL,
      changed_at timestamptz NOT NULL
    ) ${KEPT_STORAGE};
    COMMENT ON TABLE count_state IS 'Tells when token_counts or active_user_counts have changed.';
    INSERT INTO count_state (revision, changed_at) VALUES (1, clock_timestamp());
  `);
}

/**
 * The functions of rows name the schema of their tables: setting a search path for each row takes as long as appending.
 */
async function createTokenTriggers(knex: Knex, schema: string): Promise<void> {
  await knex.raw(`
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
    CREATE FUNCTION empty_token_counts() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
      BEGIN
        TRUNCATE count_deltas, token_counts, active_user_tokens, active_user_counts;
        UPDATE count_state SET revision = revision + 1, changed_at = clock_timestamp();
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
    CREATE TRIGGER tokens_count_truncate AFTER TRUNCATE ON tokens
      FOR EACH STATEMENT EXECUTE FUNCTION empty_token_counts();
  `);
}

async function createUserTriggers(knex: Knex, schema: string): Promise<void> {
  await knex.raw(`
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
    CREATE FUNCTION empty_user_counts() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
      BEGIN
        TRUNCATE user_count_deltas, user_counts;
        RETURN NULL;
      END
    $$;
    CREATE TRIGGER users_count_insert AFTER INSERT ON users FOR EACH ROW EXECUTE FUNCTION append_user_deltas();
    CREATE TRIGGER users_count_update AFTER UPDATE OF resolver_id ON users
      FOR EACH ROW WHEN (OLD.resolver_id IS DISTINCT FROM NEW.resolver_id) EXECUTE FUNCTION append_user_deltas();
    CREATE TRIGGER users_count_delete AFTER DELETE ON users FOR EACH ROW EXECUTE FUNCTION append_user_deltas();
    CREATE TRIGGER users_count_truncate AFTER TRUNCATE ON users
      FOR EACH STATEMENT EXECUTE FUNCTION empty_user_counts();
  `);
}
