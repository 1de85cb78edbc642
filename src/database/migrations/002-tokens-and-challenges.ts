import type { Knex } from 'knex';

/**
 * Tokens and their challenges. The row of a token is the lock and the version of all of its challenges: every change of a
 * challenge also changes the token's row, but for the time until which it is watched. Secrets are sealed (AES-256-GCM),
 * never in clear.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(UP);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(DOWN);
}

const UP = `
  CREATE TABLE tokens (
    id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT tokens_pkey PRIMARY KEY,
    version bigint NOT NULL DEFAULT 1,
    serial text COLLATE "C" NOT NULL CONSTRAINT tokens_serial_key UNIQUE
      CONSTRAINT tokens_serial_given CHECK (serial <> ''),
    type text NOT NULL CONSTRAINT tokens_type_lower CHECK (type = lower(type) AND type <> ''),
    description text NOT NULL DEFAULT '',
    active boolean NOT NULL,
    realm_set_id bigint NOT NULL CONSTRAINT tokens_realm_set_fkey REFERENCES realm_sets,
    owner_resolver_id bigint CONSTRAINT tokens_owner_resolver_fkey REFERENCES resolvers ON DELETE RESTRICT,
    owner_user_id text,
    owner_login text,
    fail_count integer NOT NULL DEFAULT 0 CONSTRAINT tokens_fail_count_range CHECK (fail_count >= 0),
    max_fail integer NOT NULL DEFAULT 10 CONSTRAINT tokens_max_fail_range CHECK (max_fail >= 1),
    counter bigint NOT NULL DEFAULT 0 CONSTRAINT tokens_counter_range CHECK (counter >= 0),
    counter_window integer NOT NULL DEFAULT 10 CONSTRAINT tokens_counter_window_range CHECK (counter_window >= 1),
    sync_window integer NOT NULL DEFAULT 1000 CONSTRAINT tokens_sync_window_range CHECK (sync_window >= 1),
    time_shift integer NOT NULL DEFAULT 0,
    ocra_suite text,
    rollout text NOT NULL DEFAULT 'complete'
      CONSTRAINT tokens_rollout_known CHECK (rollout IN ('phase1', 'phase2', 'complete')),
    replay_markers text[] NOT NULL DEFAULT '{}',
    -- The first half of an automatic resynchronisation: the replay marker of a response that was found ahead of the windows.
    sync_marker text,
    seed bytea,
    shared_secret bytea,
    nonce bytea,
    pin bytea,
    ocra_pin bytea,
    last_challenge_at timestamptz,
    last_success_at timestamptz,
    created_at timestamptz NOT NULL DEFAULT now(),
    locked boolean NOT NULL GENERATED ALWAYS AS (fail_count >= max_fail) STORED,
    CONSTRAINT tokens_owner_whole CHECK (num_nulls(owner_resolver_id, owner_user_id, owner_login) IN (0, 3))
  ) WITH (fillfactor = 85);
  COMMENT ON COLUMN tokens.version IS 'Raised by each write of the row.';
  COMMENT ON COLUMN tokens.locked IS
    'For the index of locked tokens: one on the fail counter itself would make each wrong response write all indexes.';

  CREATE FUNCTION count_token_version() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      NEW.version := OLD.version + 1;
      RETURN NEW;
    END
  $$;
  CREATE TRIGGER tokens_count_version BEFORE UPDATE ON tokens
    FOR EACH ROW EXECUTE FUNCTION count_token_version();
  -- Also while rows are loaded by a session that fires no other trigger.
  ALTER TABLE tokens ENABLE ALWAYS TRIGGER tokens_count_version;

  -- text_pattern_ops also finds by the beginning, whatever the collation.
  CREATE UNIQUE INDEX tokens_serial_caseless ON tokens (lower(serial COLLATE "default") text_pattern_ops);
  CREATE INDEX tokens_owner_idx ON tokens (owner_resolver_id, owner_user_id);
  -- For pages of tokens, see token-pages.ts.
  CREATE INDEX tokens_page_idx ON tokens
    (realm_set_id, active, (owner_user_id IS NOT NULL), lower(serial COLLATE "default") text_pattern_ops);
  CREATE INDEX tokens_locked_page_idx ON tokens
    (realm_set_id, active, (owner_user_id IS NOT NULL), lower(serial COLLATE "default") text_pattern_ops) WHERE locked;

  CREATE TABLE challenges (
    id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT challenges_pkey PRIMARY KEY,
    transaction_id text NOT NULL CONSTRAINT challenges_transaction_id_key UNIQUE
      CONSTRAINT challenges_transaction_id_given CHECK (transaction_id <> ''),
    token_id bigint NOT NULL CONSTRAINT challenges_token_fkey REFERENCES tokens ON DELETE CASCADE,
    question text NOT NULL,
    data text NOT NULL,
    issued_at timestamptz NOT NULL,
    wrong_count integer NOT NULL DEFAULT 0 CONSTRAINT challenges_wrong_count_range CHECK (wrong_count >= 0),
    received_tan boolean NOT NULL DEFAULT false,
    valid_tan boolean NOT NULL DEFAULT false,
    closed_by text CONSTRAINT challenges_closed_by_known
      CHECK (closed_by IN ('accepted', 'exhausted', 'superseded')),
    closed_at timestamptz,
    watched_until timestamptz,
    CONSTRAINT challenges_closed_whole CHECK ((closed_by IS NULL) = (closed_at IS NULL)),
    CONSTRAINT challenges_valid_once CHECK (valid_tan = (closed_by IS NOT NULL AND closed_by = 'accepted')),
    CONSTRAINT challenges_valid_received CHECK (received_tan OR NOT valid_tan)
  ) WITH (fillfactor = 85);
  CREATE INDEX challenges_token_idx ON challenges (token_id, issued_at DESC, id DESC);
  CREATE INDEX challenges_open_idx ON challenges (token_id, id) WHERE closed_by IS NULL;
  -- For housekeeping.
  CREATE INDEX challenges_open_issued_idx ON challenges (issued_at) WHERE closed_by IS NULL;
  CREATE INDEX challenges_closed_issued_idx ON challenges (issued_at) WHERE closed_by IS NOT NULL;

  CREATE FUNCTION refuse_change_of_closed_challenge() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      RAISE EXCEPTION 'challenge % is closed for ever', OLD.id
        USING ERRCODE = 'check_violation', CONSTRAINT = TG_NAME, TABLE = TG_TABLE_NAME;
    END
  $$;
  CREATE TRIGGER challenges_closed_for_ever BEFORE UPDATE ON challenges
    FOR EACH ROW WHEN (OLD.closed_by IS NOT NULL) EXECUTE FUNCTION refuse_change_of_closed_challenge();

  COMMENT ON COLUMN challenges.watched_until IS
    'Until then, changes of its state are told to all servers: a request waits for one.';
  -- Notices commit one after another in the whole cluster: only changes that a request waits for are told.
  CREATE FUNCTION tell_challenge_change() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      PERFORM pg_notify('tankeeper_challenges', TG_TABLE_SCHEMA || ' ' || OLD.id);
      RETURN NULL;
    END
  $$;
  CREATE TRIGGER challenges_tell_change AFTER UPDATE OF received_tan, valid_tan, closed_by ON challenges
    FOR EACH ROW WHEN (OLD.watched_until > now()) EXECUTE FUNCTION tell_challenge_change();
  CREATE TRIGGER challenges_tell_removal AFTER DELETE ON challenges
    FOR EACH ROW WHEN (OLD.watched_until > now()) EXECUTE FUNCTION tell_challenge_change();
  -- The fail counter is part of the state of all challenges of the token.
  CREATE FUNCTION tell_fail_count_change() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
    BEGIN
      PERFORM pg_notify('tankeeper_challenges', TG_TABLE_SCHEMA || ' ' || id) FROM challenges
      WHERE token_id = NEW.id AND closed_by IS NULL AND watched_until > now();
      RETURN NULL;
    END
  $$;
  CREATE TRIGGER tokens_tell_fail_count AFTER UPDATE OF fail_count ON tokens
    FOR EACH ROW WHEN (OLD.fail_count <> NEW.fail_count) EXECUTE FUNCTION tell_fail_count_change();
`;

const DOWN = `
  DROP TABLE challenges;
  DROP FUNCTION refuse_change_of_closed_challenge();
  DROP FUNCTION tell_challenge_change();
  DROP TABLE tokens;
  DROP FUNCTION tell_fail_count_change();
  DROP FUNCTION count_token_version();
`;
