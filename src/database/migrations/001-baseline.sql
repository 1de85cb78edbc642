-- The tables of version 1.0, with their functions and triggers. Those for counts are in 001-baseline-counts.sql.


-- RESOLVERS, USERS AND REALMS
-- The sources of users, the realms that group them, and the interned sets of realms that tokens refer to.

CREATE TABLE resolvers (
  id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT resolvers_pkey PRIMARY KEY,
  name text COLLATE "C" NOT NULL CONSTRAINT resolvers_name_key UNIQUE
    CONSTRAINT resolvers_name_given CHECK (name <> ''),
  kind text NOT NULL CONSTRAINT resolvers_kind_known CHECK (kind IN ('managed', 'passwd', 'sql', 'ldap')),
  settings jsonb NOT NULL DEFAULT '{}',
  is_bounded boolean NOT NULL DEFAULT true,
  secret bytea,
  created_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON COLUMN resolvers.is_bounded IS 'Whether its file must be below RESOLVER_FILE_DIRS: it was not set at the machine.';

CREATE TABLE users (
  id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT users_pkey PRIMARY KEY,
  resolver_id bigint NOT NULL CONSTRAINT users_resolver_fkey REFERENCES resolvers ON DELETE CASCADE,
  login text COLLATE "C" NOT NULL CONSTRAINT users_login_given CHECK (login <> ''),
  given_name text NOT NULL DEFAULT '',
  surname text NOT NULL DEFAULT '',
  email text NOT NULL DEFAULT '',
  phone text NOT NULL DEFAULT '',
  password_hash text,
  created_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT users_resolver_login_key UNIQUE (resolver_id, login)
);
-- For users whose name begins with a text, whatever the case and the collation.
CREATE INDEX users_login_idx ON users (resolver_id, lower(login COLLATE "default") text_pattern_ops);
CREATE INDEX users_given_name_idx ON users (resolver_id, lower(given_name) text_pattern_ops);
CREATE INDEX users_surname_idx ON users (resolver_id, lower(surname) text_pattern_ops);
CREATE INDEX users_email_idx ON users (resolver_id, lower(email) text_pattern_ops);
-- For users whose telephone number ends with some digits, however it is written.
CREATE INDEX users_phone_idx ON users
  (resolver_id, reverse(regexp_replace(phone, '[^0-9]', '', 'g')) text_pattern_ops) WHERE phone <> '';

-- The words of names after the first one: a search for people finds by the beginning of each.
CREATE FUNCTION later_words(resolver bigint, given_name text, surname text) RETURNS tsvector
  LANGUAGE sql IMMUTABLE AS $$
    SELECT array_to_tsvector(ARRAY(
      SELECT DISTINCT resolver || ':' || left(word, 320)
      FROM (VALUES (given_name), (surname)) AS names (name),
        unnest((regexp_split_to_array(lower(name), '[-. ''’]'))[2:]) AS word
      WHERE word <> ''))
  $$;
CREATE INDEX users_later_words_idx ON users USING gin (later_words(resolver_id, given_name, surname));

CREATE TABLE realms (
  id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT realms_pkey PRIMARY KEY,
  name text COLLATE "C" NOT NULL CONSTRAINT realms_name_key UNIQUE
    CONSTRAINT realms_name_lower CHECK (name = lower(name) AND name <> ''),
  is_default boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE UNIQUE INDEX realms_one_default ON realms (is_default) WHERE is_default;

CREATE TABLE realm_resolvers (
  realm_id bigint NOT NULL CONSTRAINT realm_resolvers_realm_fkey REFERENCES realms ON DELETE CASCADE,
  resolver_id bigint NOT NULL CONSTRAINT realm_resolvers_resolver_fkey REFERENCES resolvers ON DELETE RESTRICT,
  position integer NOT NULL,
  CONSTRAINT realm_resolvers_pkey PRIMARY KEY (realm_id, resolver_id)
);
CREATE INDEX realm_resolvers_resolver_idx ON realm_resolvers (resolver_id);

CREATE FUNCTION is_sorted_set(ids bigint[]) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
  SELECT ids = ARRAY(SELECT DISTINCT id FROM unnest(ids) AS id ORDER BY id)
$$;

CREATE TABLE realm_sets (
  id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT realm_sets_pkey PRIMARY KEY,
  realm_ids bigint[] NOT NULL CONSTRAINT realm_sets_realm_ids_key UNIQUE
    CONSTRAINT realm_sets_sorted CHECK (is_sorted_set(realm_ids))
);
CREATE INDEX realm_sets_realm_ids_gin ON realm_sets USING gin (realm_ids);
COMMENT ON TABLE realm_sets IS 'Each combination of realms once; the empty one is "no realm".';
INSERT INTO realm_sets (realm_ids) VALUES ('{}');

CREATE FUNCTION intern_realm_set(ids bigint[]) RETURNS bigint LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
  DECLARE
    wanted bigint[] := ARRAY(SELECT DISTINCT id FROM unnest(ids) AS id ORDER BY id);
    found bigint;
  BEGIN
    SELECT id INTO found FROM realm_sets WHERE realm_ids = wanted;
    IF found IS NULL THEN
      INSERT INTO realm_sets (realm_ids) VALUES (wanted) ON CONFLICT (realm_ids) DO NOTHING;
      SELECT id INTO STRICT found FROM realm_sets WHERE realm_ids = wanted;
    END IF;
    RETURN found;
  END
$$;
COMMENT ON FUNCTION intern_realm_set IS
  'Id of a set of realms, which is made on first use. Realm ids are not checked: lock the realms first.';


-- TOKENS AND CHALLENGES
-- The row of a token is the lock and the version of all of its challenges: every change of a challenge also changes the
-- token's row. Secrets are sealed (AES-256-GCM), never in clear.

CREATE TABLE tokens (
  id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT tokens_pkey PRIMARY KEY,
  version bigint NOT NULL DEFAULT 1,
  revision bigint NOT NULL DEFAULT 1,
  changed_by text NOT NULL DEFAULT '',
  serial text COLLATE "C" NOT NULL CONSTRAINT tokens_serial_key UNIQUE
    CONSTRAINT tokens_serial_given CHECK (serial <> ''),
  type text NOT NULL CONSTRAINT tokens_type_lower CHECK (type = lower(type) AND type <> ''),
  description text NOT NULL DEFAULT '',
  active boolean NOT NULL,
  lost_at timestamptz,
  lost_by text,
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
  time_window integer CONSTRAINT tokens_time_window_range CHECK (time_window >= 1),
  algorithm text,
  rollout text NOT NULL DEFAULT 'complete'
    CONSTRAINT tokens_rollout_known CHECK (rollout IN ('phase1', 'phase2', 'complete')),
  self_enrolled boolean NOT NULL DEFAULT false,
  replay_markers text[] NOT NULL DEFAULT '{}',
  -- The first half of an automatic resynchronisation: the replay marker of a response found ahead of the windows.
  sync_marker text,
  seed bytea,
  shared_secret bytea,
  nonce bytea,
  pin bytea,
  ocra_pin bytea,
  valid_from timestamptz,
  valid_until timestamptz,
  use_count integer NOT NULL DEFAULT 0 CONSTRAINT tokens_use_count_range CHECK (use_count >= 0),
  max_uses integer CONSTRAINT tokens_max_uses_range CHECK (max_uses >= 1),
  success_count integer NOT NULL DEFAULT 0 CONSTRAINT tokens_success_count_range CHECK (success_count >= 0),
  max_successes integer CONSTRAINT tokens_max_successes_range CHECK (max_successes >= 1),
  last_challenge_at timestamptz,
  last_success_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  locked boolean NOT NULL GENERATED ALWAYS AS (fail_count >= max_fail) STORED,
  CONSTRAINT tokens_owner_whole CHECK (num_nulls(owner_resolver_id, owner_user_id, owner_login) IN (0, 3)),
  CONSTRAINT tokens_lost_whole CHECK ((lost_at IS NULL) = (lost_by IS NULL)),
  CONSTRAINT tokens_lost_is_off CHECK (lost_at IS NULL OR NOT active)
) WITH (fillfactor = 85);
COMMENT ON COLUMN tokens.version IS 'Raised by each write of the row.';
COMMENT ON COLUMN tokens.revision IS 'Raised by each change by people; responses leave it as it is.';
COMMENT ON COLUMN tokens.changed_by IS 'Who has raised the revision last; empty: nobody.';
COMMENT ON COLUMN tokens.lost_at IS 'When its device was reported lost; null: it was not, or was found again.';
COMMENT ON COLUMN tokens.time_window IS 'The maximum deviation of a TOTP token''s clock, in seconds; null: 300.';
COMMENT ON COLUMN tokens.algorithm IS
  'How responses are computed: an OCRA suite, HOTP-SHA1-6, TOTP-SHA1-6:T30S; CRYPT-15: the seed is a SHA-crypt hash of 15 characters.';
COMMENT ON COLUMN tokens.self_enrolled IS 'True where its owner began the enrolment, at the account page.';
COMMENT ON COLUMN tokens.valid_until IS 'The first instant at which the token is no longer valid; null: none.';
COMMENT ON COLUMN tokens.use_count IS 'Responses, right and wrong, while max_uses or max_successes was set.';
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
-- For pages of tokens.
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
  open_until timestamptz NOT NULL,
  is_triggered boolean NOT NULL DEFAULT false,
  sign_in boolean NOT NULL DEFAULT false,
  wrong_count integer NOT NULL DEFAULT 0 CONSTRAINT challenges_wrong_count_range CHECK (wrong_count >= 0),
  received_tan boolean NOT NULL DEFAULT false,
  valid_tan boolean NOT NULL DEFAULT false,
  closed_by text CONSTRAINT challenges_closed_by_known
    CHECK (closed_by IN ('accepted', 'exhausted', 'superseded', 'declined', 'reported')),
  closed_at timestamptz,
  CONSTRAINT challenges_closed_whole CHECK ((closed_by IS NULL) = (closed_at IS NULL)),
  CONSTRAINT challenges_valid_once CHECK (valid_tan = (closed_by IS NOT NULL AND closed_by = 'accepted')),
  CONSTRAINT challenges_valid_received CHECK (received_tan OR NOT valid_tan)
) WITH (fillfactor = 85);
COMMENT ON COLUMN challenges.open_until IS 'From then on it takes no responses.';
COMMENT ON COLUMN challenges.is_triggered IS 'Issued to a PIN or password: the response alone answers it.';
COMMENT ON COLUMN challenges.sign_in IS 'That of an administrator''s sign-in: only those of other sign-ins supersede it.';
CREATE INDEX challenges_token_idx ON challenges (token_id, issued_at DESC, id DESC);
CREATE INDEX challenges_open_idx ON challenges (token_id, id) WHERE closed_by IS NULL;
-- By it an issue finds the challenges of the token with the same question. One expression, for the token, too: by a
-- column of its own for the token, a plan for any values would read all of its challenges.
CREATE INDEX challenges_question_idx ON challenges
  ((hashtextextended(lower(btrim(question, '0') COLLATE "C"), token_id)));
-- For housekeeping.
CREATE INDEX challenges_open_until_idx ON challenges (open_until) WHERE closed_by IS NULL;
CREATE INDEX challenges_closed_until_idx ON challenges (open_until) WHERE closed_by IS NOT NULL;

CREATE FUNCTION refuse_change_of_closed_challenge() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    RAISE EXCEPTION 'challenge % is closed for ever', OLD.id
      USING ERRCODE = 'check_violation', CONSTRAINT = TG_NAME, TABLE = TG_TABLE_NAME;
  END
$$;
-- “This was not me” may follow a decline: it is closed all the same.
CREATE TRIGGER challenges_closed_for_ever BEFORE UPDATE ON challenges
  FOR EACH ROW WHEN (OLD.closed_by IS NOT NULL
    AND (OLD.closed_by, NEW.closed_by) IS DISTINCT FROM ('declined', 'reported')) EXECUTE FUNCTION refuse_change_of_closed_challenge();


-- CONFIGURATION
-- Policies, configuration values, and the revision by which every server notices a change of any of them.

CREATE TABLE policies (
  id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT policies_pkey PRIMARY KEY,
  name text COLLATE "C" NOT NULL CONSTRAINT policies_name_key UNIQUE
    CONSTRAINT policies_name_given CHECK (name <> ''),
  scope text NOT NULL,
  action text NOT NULL,
  realm text NOT NULL,
  username text NOT NULL,
  client text NOT NULL,
  time text NOT NULL,
  active boolean NOT NULL DEFAULT true,
  -- An inactive policy may come from another server, which had more scopes.
  CONSTRAINT policies_scope_known
    CHECK (scope IN ('admin', 'system', 'monitoring', 'ocra', 'authentication', 'selfservice') OR NOT active)
);
INSERT INTO policies (name, scope, action, realm, username, client, time)
VALUES ('ocra-administrators', 'ocra', 'request, status, activationcode, calcOTP, secondfactor', '*', '*', '', '');

CREATE TABLE configuration (
  key text COLLATE "C" NOT NULL CONSTRAINT configuration_pkey PRIMARY KEY
    CONSTRAINT configuration_key_given CHECK (key <> ''),
  value text NOT NULL,
  type text,
  description text,
  secret bytea
);

CREATE TABLE configuration_state (
  singleton boolean NOT NULL DEFAULT true CONSTRAINT configuration_state_pkey PRIMARY KEY
    CONSTRAINT configuration_state_single CHECK (singleton),
  revision bigint NOT NULL,
  changed_at timestamptz NOT NULL
);
INSERT INTO configuration_state (revision, changed_at) VALUES (1, now());

CREATE FUNCTION note_configuration_change() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
  BEGIN
    UPDATE configuration_state SET revision = revision + 1, changed_at = clock_timestamp();
    -- Equal notices of one transaction are one. The channel belongs to the database, which may have several schemas.
    PERFORM pg_notify('tankeeper_configuration', TG_TABLE_SCHEMA);
    RETURN NULL;
  END
$$;
COMMENT ON FUNCTION note_configuration_change IS
  'Raises the revision by which every server notices a change of the configuration, also one by hand.';
CREATE TRIGGER resolvers_note_change AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON resolvers
  FOR EACH STATEMENT EXECUTE FUNCTION note_configuration_change();
CREATE TRIGGER realms_note_change AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON realms
  FOR EACH STATEMENT EXECUTE FUNCTION note_configuration_change();
CREATE TRIGGER realm_resolvers_note_change AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON realm_resolvers
  FOR EACH STATEMENT EXECUTE FUNCTION note_configuration_change();
CREATE TRIGGER policies_note_change AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON policies
  FOR EACH STATEMENT EXECUTE FUNCTION note_configuration_change();
CREATE TRIGGER configuration_note_change AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON configuration
  FOR EACH STATEMENT EXECUTE FUNCTION note_configuration_change();


-- ADMINISTRATORS
-- Their API tokens and sessions, which are kept as hashes only; their second factors, and the sign-ins under way.

CREATE TABLE administrators (
  id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT administrators_pkey PRIMARY KEY,
  name text COLLATE "C" NOT NULL CONSTRAINT administrators_name_key UNIQUE
    CONSTRAINT administrators_name_given CHECK (name <> ''),
  password_hash text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  second_factor text CONSTRAINT administrators_second_factor_known CHECK (second_factor IN ('token', 'passkey')),
  second_factor_serial text COLLATE "C",
  second_factor_token_id bigint
    CONSTRAINT administrators_second_factor_token_fkey REFERENCES tokens ON DELETE SET NULL,
  CONSTRAINT administrators_second_factor_whole
    CHECK ((second_factor_serial IS NOT NULL) = (second_factor IS NOT DISTINCT FROM 'token'))
);
COMMENT ON COLUMN administrators.second_factor_token_id IS
  'The token with the key that was there when it was set. NULL beside a serial: it is gone, or has another key.';
CREATE UNIQUE INDEX administrators_name_caseless ON administrators (lower(name COLLATE "default"));
CREATE INDEX administrators_second_factor_token_idx ON administrators (second_factor_token_id);

CREATE TABLE api_tokens (
  id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT api_tokens_pkey PRIMARY KEY,
  administrator_id bigint NOT NULL
    CONSTRAINT api_tokens_administrator_fkey REFERENCES administrators ON DELETE CASCADE,
  name text COLLATE "C" NOT NULL CONSTRAINT api_tokens_name_given CHECK (name <> ''),
  token_hash bytea NOT NULL CONSTRAINT api_tokens_token_hash_key UNIQUE,
  rights text[] NOT NULL CONSTRAINT api_tokens_rights_given CHECK (cardinality(rights) > 0),
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz,
  CONSTRAINT api_tokens_administrator_name_key UNIQUE (administrator_id, name)
);

CREATE TABLE sessions (
  id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT sessions_pkey PRIMARY KEY,
  administrator_id bigint
    CONSTRAINT sessions_administrator_fkey REFERENCES administrators ON DELETE CASCADE,
  person text COLLATE "C",
  groups text[],
  kind text NOT NULL DEFAULT 'session' CONSTRAINT sessions_kind_known CHECK (kind IN ('session', 'login')),
  client text NOT NULL DEFAULT '',
  session_hash bytea NOT NULL CONSTRAINT sessions_session_hash_key UNIQUE,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  revoked_at timestamptz,
  confirmed_until timestamptz,
  CONSTRAINT sessions_owner_given CHECK (num_nonnulls(administrator_id, person) = 1),
  CONSTRAINT sessions_groups_of_person CHECK ((person IS NULL) = (groups IS NULL))
);
COMMENT ON COLUMN sessions.person IS 'Signed in by single sign-on: has no row in administrators.';
COMMENT ON COLUMN sessions.confirmed_until IS 'Until then the owner has just given password and second factor again.';
CREATE INDEX sessions_person_idx ON sessions (person) WHERE person IS NOT NULL;
CREATE INDEX sessions_administrator_idx ON sessions (administrator_id);
CREATE INDEX sessions_expires_idx ON sessions (expires_at);
CREATE INDEX sessions_revoked_idx ON sessions (id) WHERE revoked_at IS NOT NULL;

CREATE TABLE passkeys (
  id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT passkeys_pkey PRIMARY KEY,
  administrator_id bigint NOT NULL
    CONSTRAINT passkeys_administrator_fkey REFERENCES administrators ON DELETE CASCADE,
  name text NOT NULL,
  credential_id text COLLATE "C" NOT NULL CONSTRAINT passkeys_credential_id_key UNIQUE,
  public_key bytea NOT NULL,
  counter bigint NOT NULL,
  transports text[] NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  last_used_at timestamptz
);
COMMENT ON COLUMN passkeys.credential_id IS 'base64url';
COMMENT ON COLUMN passkeys.public_key IS 'COSE_Key (RFC 9052 section 7)';
CREATE INDEX passkeys_administrator_idx ON passkeys (administrator_id);

CREATE TABLE sign_in_attempts (
  id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT sign_in_attempts_pkey PRIMARY KEY,
  kind text NOT NULL
    CONSTRAINT sign_in_attempts_kind_known
      CHECK (kind IN ('token', 'passkey', 'confirmation', 'registration', 'link')),
  attempt_hash bytea NOT NULL CONSTRAINT sign_in_attempts_hash_key UNIQUE,
  administrator_id bigint NOT NULL
    CONSTRAINT sign_in_attempts_administrator_fkey REFERENCES administrators ON DELETE CASCADE,
  password_version bytea,
  client text NOT NULL,
  content jsonb NOT NULL,
  expires_at timestamptz NOT NULL,
  CONSTRAINT sign_in_attempts_version
    CHECK ((password_version IS NOT NULL) = (kind IN ('token', 'passkey', 'confirmation')))
);
CREATE INDEX sign_in_attempts_administrator_idx ON sign_in_attempts (administrator_id);
CREATE INDEX sign_in_attempts_expires_idx ON sign_in_attempts (expires_at);

CREATE TABLE used_sign_ons (
  state_hash bytea CONSTRAINT used_sign_ons_pkey PRIMARY KEY,
  expires_at timestamptz NOT NULL
);
COMMENT ON TABLE used_sign_ons IS 'Single sign-ons that have opened a session: none of them opens another one.';
CREATE INDEX used_sign_ons_expires_idx ON used_sign_ons (expires_at);

-- A second factor that is removed, or has a new key, is none any more.
CREATE FUNCTION end_sign_ins_of_lost_factor() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
  BEGIN
    DELETE FROM sign_in_attempts WHERE administrator_id = NEW.id;
    UPDATE sessions SET revoked_at = now() WHERE administrator_id = NEW.id AND revoked_at IS NULL;
    RETURN NULL;
  END
$$;
CREATE TRIGGER administrators_lose_factor AFTER UPDATE OF second_factor_token_id ON administrators
  FOR EACH ROW WHEN (OLD.second_factor_token_id IS NOT NULL AND NEW.second_factor_token_id IS NULL
    AND NEW.second_factor = 'token')
  EXECUTE FUNCTION end_sign_ins_of_lost_factor();

CREATE FUNCTION note_credential_change() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    PERFORM pg_notify('tankeeper_configuration', TG_TABLE_SCHEMA);
    RETURN NULL;
  END
$$;
COMMENT ON FUNCTION note_credential_change IS
  'Tells every server that a credential may have been revoked, also by hand.';
CREATE TRIGGER administrators_note_change AFTER UPDATE OR DELETE ON administrators
  FOR EACH ROW EXECUTE FUNCTION note_credential_change();
CREATE TRIGGER api_tokens_note_change AFTER UPDATE OR DELETE ON api_tokens
  FOR EACH ROW EXECUTE FUNCTION note_credential_change();
CREATE TRIGGER sessions_note_change AFTER UPDATE ON sessions
  FOR EACH ROW EXECUTE FUNCTION note_credential_change();
-- Housekeeping removes sessions that have ended, which revokes nothing.
CREATE TRIGGER sessions_note_removal AFTER DELETE ON sessions
  FOR EACH ROW WHEN (OLD.revoked_at IS NULL AND OLD.expires_at > now())
  EXECUTE FUNCTION note_credential_change();
CREATE TRIGGER administrators_note_truncation AFTER TRUNCATE ON administrators
  FOR EACH STATEMENT EXECUTE FUNCTION note_credential_change();
CREATE TRIGGER api_tokens_note_truncation AFTER TRUNCATE ON api_tokens
  FOR EACH STATEMENT EXECUTE FUNCTION note_credential_change();
CREATE TRIGGER sessions_note_truncation AFTER TRUNCATE ON sessions
  FOR EACH STATEMENT EXECUTE FUNCTION note_credential_change();


-- SELF-SERVICE OF USERS

CREATE TABLE user_sessions (
  id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT user_sessions_pkey PRIMARY KEY,
  session_hash bytea NOT NULL CONSTRAINT user_sessions_hash_key UNIQUE,
  token_id bigint NOT NULL CONSTRAINT user_sessions_token_fkey REFERENCES tokens ON DELETE CASCADE,
  owner_resolver_id bigint NOT NULL,
  owner_user_id text COLLATE "C" NOT NULL,
  login text NOT NULL,
  realm text COLLATE "C" NOT NULL,
  transaction_id text COLLATE "C",
  is_code_asked boolean NOT NULL DEFAULT false,
  is_open boolean NOT NULL DEFAULT false,
  expires_at timestamptz NOT NULL,
  ends_at timestamptz NOT NULL,
  CONSTRAINT user_sessions_asked CHECK (
    CASE WHEN is_code_asked THEN transaction_id IS NULL ELSE is_open OR transaction_id IS NOT NULL END
  )
);
COMMENT ON TABLE user_sessions IS 'Sign-ins of users at /app/account under way, and the sessions that they open.';
COMMENT ON COLUMN user_sessions.token_id IS 'The token that signs in; its owner must stay the same.';
COMMENT ON COLUMN user_sessions.transaction_id IS
  'The challenge that confirms the sign-in or, of an open session, its next act. NULL: none is asked.';
COMMENT ON COLUMN user_sessions.is_code_asked IS 'A response of HOTP or TOTP is asked in its place.';
COMMENT ON COLUMN user_sessions.expires_at IS 'Moves with each request, up to ends_at.';
CREATE INDEX user_sessions_token_idx ON user_sessions (token_id);
CREATE INDEX user_sessions_owner_idx ON user_sessions (owner_resolver_id, owner_user_id);
CREATE INDEX user_sessions_expires_idx ON user_sessions (expires_at);


-- ENCRYPTION KEYS
-- A retired key seals nothing: the triggers refuse it, and the retirement of a key waits until all secrets sealed with
-- it can be counted.

CREATE TABLE encryption_keys (
  key_id text NOT NULL CONSTRAINT encryption_keys_pkey PRIMARY KEY,
  canary bytea NOT NULL,
  wrapped bytea,
  wrapped_by text,
  is_current boolean NOT NULL DEFAULT false,
  current_since timestamptz,
  retired_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT encryption_keys_wrapped_whole CHECK ((wrapped IS NULL) = (wrapped_by IS NULL)),
  CONSTRAINT encryption_keys_retired_not_current CHECK (NOT (is_current AND retired_at IS NOT NULL))
);
CREATE UNIQUE INDEX encryption_keys_one_current ON encryption_keys (is_current) WHERE is_current;
COMMENT ON TABLE encryption_keys IS
  'The keys that secrets are sealed with, each with a known text sealed by it. The key itself is wrapped by a security module, or in a key file alone.';

CREATE FUNCTION hold_sealing_key(sealed bytea) RETURNS void LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
  DECLARE
    sealing_key text := encode(substr(sealed, 2, 8), 'hex');
  BEGIN
    -- "keys". The retirement of the key takes this lock alone, and then sees what was sealed with it.
    PERFORM pg_advisory_xact_lock_shared(1801812339, hashtext(sealing_key));
    IF EXISTS (SELECT FROM encryption_keys WHERE key_id = sealing_key AND retired_at IS NOT NULL) THEN
      RAISE EXCEPTION 'the encryption key % is retired', sealing_key USING ERRCODE = 'TK001';
    END IF;
  END
$$;
COMMENT ON FUNCTION hold_sealing_key IS
  'Refuses a secret that a retired key sealed, and keeps the key from being retired until the transaction ends.';

CREATE FUNCTION hold_sealing_keys_of_token() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
  BEGIN
    IF NEW.seed IS DISTINCT FROM OLD.seed AND NEW.seed IS NOT NULL THEN
      PERFORM hold_sealing_key(NEW.seed);
    END IF;
    IF NEW.shared_secret IS DISTINCT FROM OLD.shared_secret AND NEW.shared_secret IS NOT NULL THEN
      PERFORM hold_sealing_key(NEW.shared_secret);
    END IF;
    IF NEW.nonce IS DISTINCT FROM OLD.nonce AND NEW.nonce IS NOT NULL THEN
      PERFORM hold_sealing_key(NEW.nonce);
    END IF;
    IF NEW.pin IS DISTINCT FROM OLD.pin AND NEW.pin IS NOT NULL THEN
      PERFORM hold_sealing_key(NEW.pin);
    END IF;
    IF NEW.ocra_pin IS DISTINCT FROM OLD.ocra_pin AND NEW.ocra_pin IS NOT NULL THEN
      PERFORM hold_sealing_key(NEW.ocra_pin);
    END IF;
    RETURN NEW;
  END
$$;

CREATE FUNCTION hold_sealing_key_of_secret() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
  BEGIN
    IF NEW.secret IS DISTINCT FROM OLD.secret AND NEW.secret IS NOT NULL THEN
      PERFORM hold_sealing_key(NEW.secret);
    END IF;
    RETURN NEW;
  END
$$;

-- Not for every update: the settlement of a response writes no secret.
CREATE TRIGGER tokens_sealing_key_insert BEFORE INSERT ON tokens
  FOR EACH ROW EXECUTE FUNCTION hold_sealing_keys_of_token();
CREATE TRIGGER tokens_sealing_key_update BEFORE UPDATE OF seed, shared_secret, nonce, pin, ocra_pin ON tokens
  FOR EACH ROW EXECUTE FUNCTION hold_sealing_keys_of_token();
CREATE TRIGGER resolvers_sealing_key_insert BEFORE INSERT ON resolvers
  FOR EACH ROW EXECUTE FUNCTION hold_sealing_key_of_secret();
CREATE TRIGGER resolvers_sealing_key_update BEFORE UPDATE OF secret ON resolvers
  FOR EACH ROW EXECUTE FUNCTION hold_sealing_key_of_secret();
CREATE TRIGGER configuration_sealing_key_insert BEFORE INSERT ON configuration
  FOR EACH ROW EXECUTE FUNCTION hold_sealing_key_of_secret();
CREATE TRIGGER configuration_sealing_key_update BEFORE UPDATE OF secret ON configuration
  FOR EACH ROW EXECUTE FUNCTION hold_sealing_key_of_secret();


-- AUDIT
-- By months. Rows get their ids here, and checkpoints seal them afterwards (docs/adr/0013-audit-chains.md).

CREATE SEQUENCE audit_id_seq;
CREATE TABLE audit (
  -- In this order: a transaction with an id has a number by which others see whether it has ended.
  id bigint NOT NULL DEFAULT CASE WHEN pg_current_xact_id() IS NOT NULL THEN nextval('audit_id_seq') END,
  at timestamptz NOT NULL,
  actor text NOT NULL,
  action text NOT NULL,
  subject text NOT NULL,
  realm text NOT NULL,
  outcome text NOT NULL,
  client text NOT NULL,
  request_id text NOT NULL,
  transaction_id text NOT NULL,
  CONSTRAINT audit_pkey PRIMARY KEY (id, at)
) PARTITION BY RANGE (at);
ALTER SEQUENCE audit_id_seq OWNED BY audit.id;
CREATE INDEX audit_at_idx ON audit (at, id);
CREATE INDEX audit_subject_idx ON audit (subject, at);
CREATE INDEX audit_actor_idx ON audit (actor, at);
CREATE INDEX audit_transaction_idx ON audit (transaction_id) WHERE transaction_id <> '';
-- For the age of the last backup, which metrics show.
CREATE INDEX audit_exports_idx ON audit (at) WHERE action = 'backup/export';
-- For the explanation of a refusal, which lists the changes since.
CREATE INDEX audit_policies_idx ON audit (at, id) WHERE action IN ('policy/set', 'policy/remove');
COMMENT ON TABLE audit IS
  'One row for each administrative act and each decision on a response, written in its transaction. Rows are only added; whole months are pruned. No secrets.';

CREATE TABLE audit_default PARTITION OF audit DEFAULT;
COMMENT ON TABLE audit_default IS
  'Rows of months that have no partition, so that no act fails for want of one.';

CREATE TABLE audit_checkpoints (
  number bigint NOT NULL CONSTRAINT audit_checkpoints_pkey PRIMARY KEY,
  at timestamptz NOT NULL,
  month text NOT NULL,
  after_id bigint NOT NULL,
  last_id bigint NOT NULL,
  row_count integer NOT NULL,
  leaves bytea NOT NULL,
  leaves_hash bytea NOT NULL,
  prunes text NOT NULL,
  vouches boolean NOT NULL,
  prev_hash bytea NOT NULL,
  key_id text NOT NULL,
  hash bytea NOT NULL,
  signature bytea NOT NULL
);
CREATE INDEX audit_checkpoints_prunes_idx ON audit_checkpoints (number) WHERE prunes <> '';
COMMENT ON TABLE audit_checkpoints IS
  'What the audit is verified by: one signed chain. A checkpoint covers the rows with ids from after after_id up to last_id, all of one month. Appended to under an advisory lock.';
COMMENT ON COLUMN audit_checkpoints.leaves IS 'Id (8 bytes) and SHA-256 of each row; empty once its month was pruned.';
COMMENT ON COLUMN audit_checkpoints.prunes IS 'Not empty: months before this one (2026-01) were removed.';
COMMENT ON COLUMN audit_checkpoints.vouches IS
  'The checkpoint before was signed by a key of the installation, which may have been retired since.';

CREATE TABLE audit_verifications (
  id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT audit_verifications_pkey PRIMARY KEY,
  state text NOT NULL DEFAULT 'running' CONSTRAINT audit_verifications_state_known
    CHECK (state IN ('running', 'finished', 'failed', 'interrupted')),
  begun_at timestamptz NOT NULL,
  begun_by text NOT NULL,
  checkpoint text NOT NULL,
  advanced_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  ended_at timestamptz,
  rows_checked bigint NOT NULL DEFAULT 0,
  rows_in_all bigint NOT NULL DEFAULT 0,
  records bigint NOT NULL DEFAULT 0,
  newest text NOT NULL DEFAULT '',
  findings bigint NOT NULL DEFAULT 0,
  listed text NOT NULL DEFAULT '[]',
  reason text NOT NULL DEFAULT '',
  CONSTRAINT audit_verifications_ended CHECK ((state = 'running') = (ended_at IS NULL))
);
COMMENT ON TABLE audit_verifications IS 'The last verifications by servers. The audit holds their results, too, signed.';
COMMENT ON COLUMN audit_verifications.advanced_at IS 'The last sign of life of the server that verifies.';
COMMENT ON COLUMN audit_verifications.listed IS 'The first findings, as JSON.';
CREATE UNIQUE INDEX audit_verifications_one_runs ON audit_verifications ((true)) WHERE state = 'running';

CREATE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN
    IF current_setting('tankeeper.audit', true) = 'open' THEN
      RETURN coalesce(NEW, OLD);
    END IF;
    RAISE EXCEPTION 'rows of % are only added', TG_TABLE_NAME;
  END
$$;
COMMENT ON FUNCTION refuse_audit_change IS
  'Keeps mistakes from changing the audit. Pruning, moving rows to their month and restoring set tankeeper.audit.';
CREATE TRIGGER audit_only_grows BEFORE UPDATE OR DELETE ON audit FOR EACH ROW EXECUTE FUNCTION refuse_audit_change();
CREATE TRIGGER audit_is_not_emptied BEFORE TRUNCATE ON audit EXECUTE FUNCTION refuse_audit_change();
CREATE TRIGGER audit_checkpoints_only_grow BEFORE UPDATE OR DELETE ON audit_checkpoints
  FOR EACH ROW EXECUTE FUNCTION refuse_audit_change();
CREATE TRIGGER audit_checkpoints_are_not_emptied BEFORE TRUNCATE ON audit_checkpoints
  EXECUTE FUNCTION refuse_audit_change();

CREATE FUNCTION add_audit_month(month timestamptz) RETURNS boolean LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
  DECLARE
    before text := coalesce(current_setting('tankeeper.audit', true), '');
    name text := 'audit_' || to_char(month AT TIME ZONE 'UTC', 'YYYY_MM');
    next timestamptz := (month AT TIME ZONE 'UTC' + interval '1 month') AT TIME ZONE 'UTC';
  BEGIN
    IF to_regclass(name) IS NOT NULL THEN
      RETURN false;
    END IF;
    -- Built beside the table and then attached, so that writers are held up for an instant only.
    EXECUTE format('CREATE TABLE %I (LIKE audit)', name);
    LOCK TABLE audit_default IN ACCESS EXCLUSIVE MODE;
    PERFORM set_config('tankeeper.audit', 'open', true);
    EXECUTE format('WITH strays AS (DELETE FROM audit_default WHERE at >= %L AND at < %L RETURNING *)
      INSERT INTO %I SELECT * FROM strays', month, next, name);
    PERFORM set_config('tankeeper.audit', before, true);
    EXECUTE format('ALTER TABLE audit ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', name, month, next);
    RETURN true;
  END
$$;
COMMENT ON FUNCTION add_audit_month IS
  'Makes the partition of a month, given by its first instant in UTC, and moves rows of it there from the default one.';

CREATE FUNCTION ensure_audit_months(ahead integer) RETURNS integer LANGUAGE sql SET search_path FROM CURRENT AS $$
  SELECT count(*) FILTER (WHERE add_audit_month(
    (date_trunc('month', now() AT TIME ZONE 'UTC') + make_interval(months => number)) AT TIME ZONE 'UTC'))::integer
  FROM generate_series(0, ahead) AS number;
$$;
COMMENT ON FUNCTION ensure_audit_months IS
  'Makes the partitions of this month and of those ahead that are not there yet; says how many it made.';

SELECT ensure_audit_months(2);


-- WEBHOOKS
-- Receivers of events, the events that wait for them, and the deliveries of each event to each receiver.

CREATE TABLE webhooks (
  id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT webhooks_pkey PRIMARY KEY,
  name text COLLATE "C" NOT NULL CONSTRAINT webhooks_name_key UNIQUE
    CONSTRAINT webhooks_name_given CHECK (name <> ''),
  url text NOT NULL,
  allows_http boolean NOT NULL,
  is_bounded boolean NOT NULL DEFAULT true,
  events text[] NOT NULL,
  realms text[] NOT NULL,
  is_enabled boolean NOT NULL DEFAULT true,
  secret bytea NOT NULL,
  previous_secret bytea,
  previous_until timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT webhooks_previous_whole CHECK ((previous_secret IS NULL) = (previous_until IS NULL))
);
COMMENT ON COLUMN webhooks.is_bounded IS 'Added over HTTP: only at a public address.';
COMMENT ON COLUMN webhooks.events IS 'The types of the events that it gets.';
COMMENT ON COLUMN webhooks.realms IS 'The realms of the tokens whose events it gets; empty: all tokens.';
COMMENT ON COLUMN webhooks.previous_secret IS 'Signs beside the secret that has replaced it, until previous_until.';

CREATE TABLE webhook_events (
  id uuid NOT NULL DEFAULT gen_random_uuid() CONSTRAINT webhook_events_pkey PRIMARY KEY,
  type text NOT NULL,
  realms text[] NOT NULL,
  occurred_at timestamptz NOT NULL,
  data text NOT NULL
);
COMMENT ON TABLE webhook_events IS
  'The outbox: events of committed acts. A dispatcher makes deliveries of them and removes them.';
COMMENT ON COLUMN webhook_events.data IS 'The JSON that is sent, as it is.';
CREATE INDEX webhook_events_occurred_at ON webhook_events (occurred_at);

CREATE TABLE webhook_deliveries (
  id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT webhook_deliveries_pkey PRIMARY KEY,
  webhook_id bigint NOT NULL
    CONSTRAINT webhook_deliveries_webhook_fkey REFERENCES webhooks ON DELETE CASCADE,
  event_id uuid NOT NULL,
  type text NOT NULL,
  occurred_at timestamptz NOT NULL,
  data text NOT NULL,
  attempts integer NOT NULL DEFAULT 0,
  next_attempt_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  first_attempt_at timestamptz,
  last_failure text NOT NULL DEFAULT '',
  given_up_at timestamptz,
  CONSTRAINT webhook_deliveries_once UNIQUE (webhook_id, event_id)
);
COMMENT ON TABLE webhook_deliveries IS
  'What has not been delivered yet. A server that tries moves next_attempt_at to the end of its claim.';
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (webhook_id, next_attempt_at) WHERE given_up_at IS NULL;
CREATE INDEX webhook_deliveries_given_up ON webhook_deliveries (given_up_at) WHERE given_up_at IS NOT NULL;
CREATE INDEX webhook_deliveries_first_attempt_at ON webhook_deliveries (first_attempt_at)
  WHERE given_up_at IS NULL AND first_attempt_at IS NOT NULL;

CREATE TABLE webhook_health (
  webhook_id bigint NOT NULL CONSTRAINT webhook_health_pkey PRIMARY KEY
    CONSTRAINT webhook_health_webhook_fkey REFERENCES webhooks ON DELETE CASCADE,
  delivered bigint NOT NULL DEFAULT 0,
  last_success_at timestamptz,
  last_failure_at timestamptz,
  last_failure text NOT NULL DEFAULT ''
);
COMMENT ON TABLE webhook_health IS 'The last results of each receiver. Apart from it: its row is configuration.';

CREATE FUNCTION hold_sealing_keys_of_webhook() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
  BEGIN
    IF NEW.secret IS DISTINCT FROM OLD.secret AND NEW.secret IS NOT NULL THEN
      PERFORM hold_sealing_key(NEW.secret);
    END IF;
    IF NEW.previous_secret IS DISTINCT FROM OLD.previous_secret AND NEW.previous_secret IS NOT NULL THEN
      PERFORM hold_sealing_key(NEW.previous_secret);
    END IF;
    RETURN NEW;
  END
$$;
CREATE TRIGGER webhooks_sealing_key_insert BEFORE INSERT ON webhooks
  FOR EACH ROW EXECUTE FUNCTION hold_sealing_keys_of_webhook();
CREATE TRIGGER webhooks_sealing_key_update BEFORE UPDATE OF secret, previous_secret ON webhooks
  FOR EACH ROW EXECUTE FUNCTION hold_sealing_keys_of_webhook();
CREATE TRIGGER webhooks_note_change AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON webhooks
  FOR EACH STATEMENT EXECUTE FUNCTION note_configuration_change();


-- IMPORT FROM LINOTP
-- The traces of an import, so that a later one takes only what has changed since.

CREATE TABLE imported_entries (
  kind text NOT NULL CONSTRAINT imported_entries_kind_known
    CHECK (kind IN ('installation', 'resolver', 'realm', 'policy', 'setting', 'administrator', 'removed token')),
  name text COLLATE "C" NOT NULL,
  fingerprint bytea NOT NULL,
  imported_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT imported_entries_pkey PRIMARY KEY (kind, name)
);
COMMENT ON COLUMN imported_entries.fingerprint IS
  'HMAC-SHA256 of the source''s entry under its own key file, which is not stored here.';

CREATE TABLE imported_tokens (
  token_id bigint NOT NULL CONSTRAINT imported_tokens_pkey PRIMARY KEY
    CONSTRAINT imported_tokens_token_fkey REFERENCES tokens ON DELETE CASCADE,
  serial text COLLATE "C" NOT NULL,
  fingerprint bytea NOT NULL,
  token_version bigint NOT NULL,
  type_name text NOT NULL,
  otp_length integer NOT NULL,
  key_form text NOT NULL CONSTRAINT imported_tokens_key_form_known
    CHECK (key_form IN ('key', 'text', 'crypt', 'none')),
  info jsonb NOT NULL,
  resolver_class text NOT NULL,
  resolver_id text NOT NULL,
  user_id text NOT NULL,
  last_match_at timestamptz,
  so_pin bytea
);
COMMENT ON TABLE imported_tokens IS 'What LinOTP knew of a token and this server has no use for.';
COMMENT ON COLUMN imported_tokens.key_form IS
  'key: the key itself. text: as it was typed. crypt: left, as it was only a hash of the text. none: no key.';
COMMENT ON COLUMN imported_tokens.token_version IS
  'The version of the token as the import left it: with another one it has been used or changed here since.';

CREATE FUNCTION note_removed_imported_token() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
  BEGIN
    INSERT INTO imported_entries (kind, name, fingerprint) VALUES ('removed token', OLD.serial, OLD.fingerprint)
      ON CONFLICT (kind, name) DO UPDATE SET fingerprint = EXCLUDED.fingerprint, imported_at = now();
    RETURN NULL;
  END
$$;
COMMENT ON FUNCTION note_removed_imported_token IS
  'Notes the serial of a token that is removed here, so that a later import does not bring it back.';
CREATE TRIGGER imported_tokens_note_removal AFTER DELETE ON imported_tokens
  FOR EACH ROW EXECUTE FUNCTION note_removed_imported_token();

CREATE FUNCTION hold_sealing_key_of_so_pin() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
  BEGIN
    IF NEW.so_pin IS DISTINCT FROM OLD.so_pin AND NEW.so_pin IS NOT NULL THEN
      PERFORM hold_sealing_key(NEW.so_pin);
    END IF;
    RETURN NEW;
  END
$$;
CREATE TRIGGER imported_tokens_sealing_key_insert BEFORE INSERT ON imported_tokens
  FOR EACH ROW WHEN (NEW.so_pin IS NOT NULL) EXECUTE FUNCTION hold_sealing_key_of_so_pin();
CREATE TRIGGER imported_tokens_sealing_key_update BEFORE UPDATE OF so_pin ON imported_tokens
  FOR EACH ROW EXECUTE FUNCTION hold_sealing_key_of_so_pin();


-- RATE LIMITS
-- Attempts that servers count together. The rows may get lost: the table is unlogged, so it is empty after a crash and
-- on a standby, and an attack writes no WAL.

CREATE UNLOGGED TABLE rate_limits (
  key text NOT NULL,
  points integer NOT NULL DEFAULT 0,
  expire bigint,
  CONSTRAINT rate_limits_pkey PRIMARY KEY (key)
);
CREATE INDEX rate_limits_expire ON rate_limits (expire);
COMMENT ON TABLE rate_limits IS
  'Attempts that failed, by limit and client, transaction or account (the last two hashed), until they expire.';
COMMENT ON COLUMN rate_limits.expire IS 'Milliseconds since 1970.';


-- OBSERVATIONS
-- What servers show to administrators (docs/adr/0030-overview-and-live-stream.md). Without names of users, serials or
-- transactions.

CREATE TABLE response_minutes (
  minute timestamptz NOT NULL,
  outcome text NOT NULL,
  durations bigint[] NOT NULL,
  CONSTRAINT response_minutes_pkey PRIMARY KEY (minute, outcome)
) WITH (fillfactor = 50);
COMMENT ON TABLE response_minutes IS
  'Responses that ended in a minute, by outcome: their numbers by duration, each up to a bound that the program has.';

CREATE TABLE resolver_uses (
  resolver_id bigint CONSTRAINT resolver_uses_pkey PRIMARY KEY
    CONSTRAINT resolver_uses_resolver_fkey REFERENCES resolvers ON DELETE CASCADE,
  succeeded_at timestamptz,
  failed_at timestamptz
) WITH (fillfactor = 50);
COMMENT ON TABLE resolver_uses IS 'Last uses of each resolver by any server: answered, and unavailable.';


-- CLOCK
-- What servers have seen of the database's clock, by which a jump of it is noticed also over restarts
-- (docs/adr/0032-one-clock.md).

CREATE TABLE clock_state (
  singleton boolean NOT NULL DEFAULT true CONSTRAINT clock_state_pkey PRIMARY KEY
    CONSTRAINT clock_state_single CHECK (singleton),
  seen_at timestamptz NOT NULL,
  looked_at timestamptz NOT NULL,
  steady_since timestamptz
) WITH (fillfactor = 50);
COMMENT ON TABLE clock_state IS 'When a server last saw the clock of the database go on, without a jump of a day.';
COMMENT ON COLUMN clock_state.looked_at IS 'What the clock of the database showed at the last look.';
COMMENT ON COLUMN clock_state.steady_since IS
  'What it showed after a jump, since when it has gone on without another one. Null: it is not in doubt.';
