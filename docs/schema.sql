-- The schema of the database, as the migrations leave it. Written by `npm run schema`.
-- Each month of the audit has a partition of its own, which the server makes; none is shown here.

-- Functions name tables that come after them.
SET check_function_bodies = false;

CREATE OR REPLACE FUNCTION public.is_sorted_set(ids bigint[])
 RETURNS boolean
 LANGUAGE sql
 IMMUTABLE
AS $function$
  SELECT ids = ARRAY(SELECT DISTINCT id FROM unnest(ids) AS id ORDER BY id)
$function$;

CREATE OR REPLACE FUNCTION public.later_words(resolver bigint, given_name text, surname text)
 RETURNS tsvector
 LANGUAGE sql
 IMMUTABLE
AS $function$
    SELECT array_to_tsvector(ARRAY(
      SELECT DISTINCT resolver || ':' || left(word, 320)
      FROM (VALUES (given_name), (surname)) AS names (name),
        unnest((regexp_split_to_array(lower(name), '[-. ''’]'))[2:]) AS word
      WHERE word <> ''))
  $function$;

CREATE SEQUENCE audit_id_seq;

CREATE TABLE active_user_counts (
  resolver_id bigint NOT NULL,
  realm_set_ids bigint[] NOT NULL,
  users bigint NOT NULL
) WITH (fillfactor=50);
ALTER TABLE active_user_counts REPLICA IDENTITY FULL;
CREATE INDEX active_user_counts_sets_idx ON active_user_counts USING hash (realm_set_ids);
COMMENT ON TABLE active_user_counts IS 'Number of users of a resolver who have active tokens in exactly these (sorted) sets of realms. One row for each combination, as only the holder of the lock of the fold writes.';

CREATE TABLE active_user_tokens (
  resolver_id bigint NOT NULL,
  user_id text COLLATE "C" NOT NULL,
  realm_set_id bigint NOT NULL,
  tokens integer NOT NULL,
  CONSTRAINT active_user_tokens_pkey PRIMARY KEY (resolver_id, user_id, realm_set_id)
) WITH (fillfactor=85);
COMMENT ON TABLE active_user_tokens IS 'Number of active tokens of a user in exactly this set of realms.';

CREATE TABLE audit (
  id bigint DEFAULT 
CASE
    WHEN pg_current_xact_id() IS NOT NULL THEN nextval('audit_id_seq'::regclass)
    ELSE NULL::bigint
END NOT NULL,
  at timestamp with time zone NOT NULL,
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
CREATE INDEX audit_actor_idx ON audit USING btree (actor, at);
CREATE INDEX audit_at_idx ON audit USING btree (at, id);
CREATE INDEX audit_exports_idx ON audit USING btree (at) WHERE action = 'backup/export'::text;
CREATE INDEX audit_policies_idx ON audit USING btree (at, id) WHERE action = ANY (ARRAY['policy/set'::text, 'policy/remove'::text]);
CREATE INDEX audit_subject_idx ON audit USING btree (subject, at);
CREATE INDEX audit_transaction_idx ON audit USING btree (transaction_id) WHERE transaction_id <> ''::text;
COMMENT ON TABLE audit IS 'One row for each administrative act and each decision on a response, written in its transaction. Rows are only added; whole months are pruned. No secrets.';

CREATE TABLE audit_checkpoints (
  number bigint NOT NULL,
  at timestamp with time zone NOT NULL,
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
  signature bytea NOT NULL,
  CONSTRAINT audit_checkpoints_pkey PRIMARY KEY (number)
);
CREATE INDEX audit_checkpoints_prunes_idx ON audit_checkpoints USING btree (number) WHERE prunes <> ''::text;
COMMENT ON TABLE audit_checkpoints IS 'What the audit is verified by: one signed chain. A checkpoint covers the rows with ids from after after_id up to last_id, all of one month. Appended to under an advisory lock.';
COMMENT ON COLUMN audit_checkpoints.leaves IS 'Id (8 bytes) and SHA-256 of each row; empty once its month was pruned.';
COMMENT ON COLUMN audit_checkpoints.prunes IS 'Not empty: months before this one (2026-01) were removed.';
COMMENT ON COLUMN audit_checkpoints.vouches IS 'The checkpoint before was signed by a key of the installation, which may have been retired since.';

CREATE TABLE audit_default PARTITION OF audit DEFAULT;
COMMENT ON TABLE audit_default IS 'Rows of months that have no partition, so that no act fails for want of one.';

CREATE TABLE audit_verifications (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  state text DEFAULT 'running'::text NOT NULL,
  begun_at timestamp with time zone NOT NULL,
  begun_by text NOT NULL,
  checkpoint text NOT NULL,
  advanced_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  ended_at timestamp with time zone,
  rows_checked bigint DEFAULT 0 NOT NULL,
  rows_in_all bigint DEFAULT 0 NOT NULL,
  records bigint DEFAULT 0 NOT NULL,
  newest text DEFAULT ''::text NOT NULL,
  findings bigint DEFAULT 0 NOT NULL,
  listed text DEFAULT '[]'::text NOT NULL,
  reason text DEFAULT ''::text NOT NULL,
  CONSTRAINT audit_verifications_pkey PRIMARY KEY (id),
  CONSTRAINT audit_verifications_ended CHECK ((state = 'running'::text) = (ended_at IS NULL)),
  CONSTRAINT audit_verifications_state_known CHECK (state = ANY (ARRAY['running'::text, 'finished'::text, 'failed'::text, 'interrupted'::text]))
);
CREATE UNIQUE INDEX audit_verifications_one_runs ON audit_verifications USING btree ((true)) WHERE state = 'running'::text;
COMMENT ON TABLE audit_verifications IS 'The last verifications by servers. The audit holds their results, too, signed.';
COMMENT ON COLUMN audit_verifications.advanced_at IS 'The last sign of life of the server that verifies.';
COMMENT ON COLUMN audit_verifications.listed IS 'The first findings, as JSON.';

CREATE TABLE clock_state (
  singleton boolean DEFAULT true NOT NULL,
  seen_at timestamp with time zone NOT NULL,
  looked_at timestamp with time zone NOT NULL,
  steady_since timestamp with time zone,
  CONSTRAINT clock_state_pkey PRIMARY KEY (singleton),
  CONSTRAINT clock_state_single CHECK (singleton)
) WITH (fillfactor=50);
COMMENT ON TABLE clock_state IS 'When a server last saw the clock of the database go on, without a jump of a day.';
COMMENT ON COLUMN clock_state.looked_at IS 'What the clock of the database showed at the last look.';
COMMENT ON COLUMN clock_state.steady_since IS 'What it showed after a jump, since when it has gone on without another one. Null: it is not in doubt.';

CREATE TABLE configuration (
  key text COLLATE "C" NOT NULL,
  value text NOT NULL,
  type text,
  description text,
  secret bytea,
  CONSTRAINT configuration_pkey PRIMARY KEY (key),
  CONSTRAINT configuration_key_given CHECK (key <> ''::text)
);

CREATE TABLE configuration_state (
  singleton boolean DEFAULT true NOT NULL,
  revision bigint NOT NULL,
  changed_at timestamp with time zone NOT NULL,
  CONSTRAINT configuration_state_pkey PRIMARY KEY (singleton),
  CONSTRAINT configuration_state_single CHECK (singleton)
);

CREATE TABLE count_deltas (
  realm_set_id bigint NOT NULL,
  resolver_id bigint,
  tokens integer NOT NULL,
  active boolean NOT NULL,
  user_id text COLLATE "C",
  CONSTRAINT count_deltas_owner_whole CHECK ((resolver_id IS NULL) = (user_id IS NULL))
) WITH (autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=1000, autovacuum_vacuum_cost_delay=0);
ALTER TABLE count_deltas REPLICA IDENTITY FULL;
COMMENT ON TABLE count_deltas IS 'Tokens that came (1) or went (-1) and are not in the other tables yet.';

CREATE TABLE count_state (
  singleton boolean DEFAULT true NOT NULL,
  revision bigint NOT NULL,
  changed_at timestamp with time zone NOT NULL,
  CONSTRAINT count_state_pkey PRIMARY KEY (singleton),
  CONSTRAINT count_state_single CHECK (singleton)
) WITH (fillfactor=50);
COMMENT ON TABLE count_state IS 'Revision of token_counts and active_user_counts.';

CREATE TABLE encryption_keys (
  key_id text NOT NULL,
  canary bytea NOT NULL,
  wrapped bytea,
  wrapped_by text,
  is_current boolean DEFAULT false NOT NULL,
  current_since timestamp with time zone,
  retired_at timestamp with time zone,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT encryption_keys_pkey PRIMARY KEY (key_id),
  CONSTRAINT encryption_keys_retired_not_current CHECK (NOT (is_current AND retired_at IS NOT NULL)),
  CONSTRAINT encryption_keys_wrapped_whole CHECK ((wrapped IS NULL) = (wrapped_by IS NULL))
);
CREATE UNIQUE INDEX encryption_keys_one_current ON encryption_keys USING btree (is_current) WHERE is_current;
COMMENT ON TABLE encryption_keys IS 'The keys that secrets are sealed with, each with a known text sealed by it. The key itself is wrapped by a security module, or in a key file alone.';

CREATE TABLE imported_entries (
  kind text NOT NULL,
  name text COLLATE "C" NOT NULL,
  fingerprint bytea NOT NULL,
  imported_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT imported_entries_pkey PRIMARY KEY (kind, name),
  CONSTRAINT imported_entries_kind_known CHECK (kind = ANY (ARRAY['installation'::text, 'resolver'::text, 'realm'::text, 'policy'::text, 'setting'::text, 'administrator'::text, 'removed token'::text]))
);
COMMENT ON COLUMN imported_entries.fingerprint IS 'HMAC-SHA256 of the source''s entry under its own key file, which is not stored here.';

CREATE TABLE locked_token_counts (
  realm_set_id bigint NOT NULL,
  tokens bigint NOT NULL,
  CONSTRAINT locked_token_counts_pkey PRIMARY KEY (realm_set_id)
) WITH (fillfactor=50);
COMMENT ON TABLE locked_token_counts IS 'Number of locked tokens in exactly this set of realms.';

CREATE TABLE locked_token_deltas (
  realm_set_id bigint NOT NULL,
  tokens integer NOT NULL
) WITH (autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=1000, autovacuum_vacuum_cost_delay=0);
ALTER TABLE locked_token_deltas REPLICA IDENTITY FULL;

CREATE TABLE policies (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  name text COLLATE "C" NOT NULL,
  scope text NOT NULL,
  action text NOT NULL,
  realm text NOT NULL,
  username text NOT NULL,
  client text NOT NULL,
  "time" text NOT NULL,
  active boolean DEFAULT true NOT NULL,
  CONSTRAINT policies_pkey PRIMARY KEY (id),
  CONSTRAINT policies_name_key UNIQUE (name),
  CONSTRAINT policies_name_given CHECK (name <> ''::text),
  CONSTRAINT policies_scope_known CHECK ((scope = ANY (ARRAY['admin'::text, 'system'::text, 'monitoring'::text, 'ocra'::text, 'authentication'::text, 'selfservice'::text])) OR NOT active)
);

CREATE UNLOGGED TABLE rate_limits (
  key text NOT NULL,
  points integer DEFAULT 0 NOT NULL,
  expire bigint,
  CONSTRAINT rate_limits_pkey PRIMARY KEY (key)
);
CREATE INDEX rate_limits_expire ON rate_limits USING btree (expire);
COMMENT ON TABLE rate_limits IS 'Attempts that failed, by limit and client, transaction or account (the last two hashed), until they expire.';
COMMENT ON COLUMN rate_limits.expire IS 'Milliseconds since 1970.';

CREATE TABLE realm_sets (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  realm_ids bigint[] NOT NULL,
  CONSTRAINT realm_sets_pkey PRIMARY KEY (id),
  CONSTRAINT realm_sets_realm_ids_key UNIQUE (realm_ids),
  CONSTRAINT realm_sets_sorted CHECK (is_sorted_set(realm_ids))
);
CREATE INDEX realm_sets_realm_ids_gin ON realm_sets USING gin (realm_ids);
COMMENT ON TABLE realm_sets IS 'Each combination of realms once; the empty one is "no realm".';

CREATE TABLE realms (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  name text COLLATE "C" NOT NULL,
  is_default boolean DEFAULT false NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT realms_pkey PRIMARY KEY (id),
  CONSTRAINT realms_name_key UNIQUE (name),
  CONSTRAINT realms_name_lower CHECK (name = lower(name) AND name <> ''::text)
);
CREATE UNIQUE INDEX realms_one_default ON realms USING btree (is_default) WHERE is_default;

CREATE TABLE resolvers (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  name text COLLATE "C" NOT NULL,
  kind text NOT NULL,
  settings jsonb DEFAULT '{}'::jsonb NOT NULL,
  is_bounded boolean DEFAULT true NOT NULL,
  secret bytea,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT resolvers_pkey PRIMARY KEY (id),
  CONSTRAINT resolvers_name_key UNIQUE (name),
  CONSTRAINT resolvers_kind_known CHECK (kind = ANY (ARRAY['managed'::text, 'passwd'::text, 'sql'::text, 'ldap'::text])),
  CONSTRAINT resolvers_name_given CHECK (name <> ''::text)
);
COMMENT ON COLUMN resolvers.is_bounded IS 'Whether its file must be below RESOLVER_FILE_DIRS: it was not set at the machine.';

CREATE TABLE realm_resolvers (
  realm_id bigint NOT NULL,
  resolver_id bigint NOT NULL,
  "position" integer NOT NULL,
  CONSTRAINT realm_resolvers_pkey PRIMARY KEY (realm_id, resolver_id),
  CONSTRAINT realm_resolvers_realm_fkey FOREIGN KEY (realm_id) REFERENCES realms(id) ON DELETE CASCADE,
  CONSTRAINT realm_resolvers_resolver_fkey FOREIGN KEY (resolver_id) REFERENCES resolvers(id) ON DELETE RESTRICT
);
CREATE INDEX realm_resolvers_resolver_idx ON realm_resolvers USING btree (resolver_id);

CREATE TABLE resolver_user_counts (
  resolver_id bigint NOT NULL,
  settings_hash text NOT NULL,
  users bigint NOT NULL,
  counted_at timestamp with time zone NOT NULL,
  CONSTRAINT resolver_user_counts_pkey PRIMARY KEY (resolver_id),
  CONSTRAINT resolver_user_counts_users_natural CHECK (users >= 0),
  CONSTRAINT resolver_user_counts_resolver_fkey FOREIGN KEY (resolver_id) REFERENCES resolvers(id) ON DELETE CASCADE
);
COMMENT ON TABLE resolver_user_counts IS 'Last known number of users of each resolver outside the database, for when it does not answer. It belongs to the settings of which it has the hash.';

CREATE TABLE resolver_uses (
  resolver_id bigint NOT NULL,
  succeeded_at timestamp with time zone,
  failed_at timestamp with time zone,
  CONSTRAINT resolver_uses_pkey PRIMARY KEY (resolver_id),
  CONSTRAINT resolver_uses_resolver_fkey FOREIGN KEY (resolver_id) REFERENCES resolvers(id) ON DELETE CASCADE
) WITH (fillfactor=50);
COMMENT ON TABLE resolver_uses IS 'Last uses of each resolver by any server: answered, and unavailable.';

CREATE TABLE response_minutes (
  minute timestamp with time zone NOT NULL,
  outcome text NOT NULL,
  durations bigint[] NOT NULL,
  CONSTRAINT response_minutes_pkey PRIMARY KEY (minute, outcome)
) WITH (fillfactor=50);
COMMENT ON TABLE response_minutes IS 'Responses that ended in a minute, by outcome: their numbers by duration, each up to a bound that the program has.';

CREATE TABLE token_counts (
  realm_set_id bigint NOT NULL,
  active boolean NOT NULL,
  assigned boolean NOT NULL,
  tokens bigint NOT NULL,
  CONSTRAINT token_counts_pkey PRIMARY KEY (realm_set_id, active, assigned)
) WITH (fillfactor=50);

CREATE TABLE tokens (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  version bigint DEFAULT 1 NOT NULL,
  revision bigint DEFAULT 1 NOT NULL,
  changed_by text DEFAULT ''::text NOT NULL,
  serial text COLLATE "C" NOT NULL,
  type text NOT NULL,
  description text DEFAULT ''::text NOT NULL,
  active boolean NOT NULL,
  lost_at timestamp with time zone,
  lost_by text,
  realm_set_id bigint NOT NULL,
  owner_resolver_id bigint,
  owner_user_id text,
  owner_login text,
  fail_count integer DEFAULT 0 NOT NULL,
  max_fail integer DEFAULT 10 NOT NULL,
  counter bigint DEFAULT 0 NOT NULL,
  counter_window integer DEFAULT 10 NOT NULL,
  sync_window integer DEFAULT 1000 NOT NULL,
  time_shift integer DEFAULT 0 NOT NULL,
  time_window integer,
  algorithm text,
  rollout text DEFAULT 'complete'::text NOT NULL,
  self_enrolled boolean DEFAULT false NOT NULL,
  replay_markers text[] DEFAULT '{}'::text[] NOT NULL,
  sync_marker text,
  seed bytea,
  shared_secret bytea,
  nonce bytea,
  pin bytea,
  ocra_pin bytea,
  valid_from timestamp with time zone,
  valid_until timestamp with time zone,
  use_count integer DEFAULT 0 NOT NULL,
  max_uses integer,
  success_count integer DEFAULT 0 NOT NULL,
  max_successes integer,
  last_challenge_at timestamp with time zone,
  last_success_at timestamp with time zone,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  locked boolean GENERATED ALWAYS AS (fail_count >= max_fail) STORED NOT NULL,
  CONSTRAINT tokens_pkey PRIMARY KEY (id),
  CONSTRAINT tokens_serial_key UNIQUE (serial),
  CONSTRAINT tokens_counter_range CHECK (counter >= 0),
  CONSTRAINT tokens_counter_window_range CHECK (counter_window >= 1),
  CONSTRAINT tokens_fail_count_range CHECK (fail_count >= 0),
  CONSTRAINT tokens_lost_is_off CHECK (lost_at IS NULL OR NOT active),
  CONSTRAINT tokens_lost_whole CHECK ((lost_at IS NULL) = (lost_by IS NULL)),
  CONSTRAINT tokens_max_fail_range CHECK (max_fail >= 1),
  CONSTRAINT tokens_max_successes_range CHECK (max_successes >= 1),
  CONSTRAINT tokens_max_uses_range CHECK (max_uses >= 1),
  CONSTRAINT tokens_owner_whole CHECK (num_nulls(owner_resolver_id, owner_user_id, owner_login) = ANY (ARRAY[0, 3])),
  CONSTRAINT tokens_rollout_known CHECK (rollout = ANY (ARRAY['phase1'::text, 'phase2'::text, 'complete'::text])),
  CONSTRAINT tokens_serial_given CHECK (serial <> ''::text),
  CONSTRAINT tokens_success_count_range CHECK (success_count >= 0),
  CONSTRAINT tokens_sync_window_range CHECK (sync_window >= 1),
  CONSTRAINT tokens_time_window_range CHECK (time_window >= 1),
  CONSTRAINT tokens_type_lower CHECK (type = lower(type) AND type <> ''::text),
  CONSTRAINT tokens_use_count_range CHECK (use_count >= 0),
  CONSTRAINT tokens_owner_resolver_fkey FOREIGN KEY (owner_resolver_id) REFERENCES resolvers(id) ON DELETE RESTRICT,
  CONSTRAINT tokens_realm_set_fkey FOREIGN KEY (realm_set_id) REFERENCES realm_sets(id)
) WITH (fillfactor=85);
CREATE INDEX tokens_locked_page_idx ON tokens USING btree (realm_set_id, active, (owner_user_id IS NOT NULL), lower(serial COLLATE "default") text_pattern_ops) WHERE locked;
CREATE INDEX tokens_owner_idx ON tokens USING btree (owner_resolver_id, owner_user_id);
CREATE INDEX tokens_page_idx ON tokens USING btree (realm_set_id, active, (owner_user_id IS NOT NULL), lower(serial COLLATE "default") text_pattern_ops);
CREATE UNIQUE INDEX tokens_serial_caseless ON tokens USING btree (lower(serial COLLATE "default") text_pattern_ops);
COMMENT ON COLUMN tokens.version IS 'Raised by each write of the row.';
COMMENT ON COLUMN tokens.revision IS 'Raised by each change by people; responses leave it as it is.';
COMMENT ON COLUMN tokens.changed_by IS 'Who has raised the revision last; empty: nobody.';
COMMENT ON COLUMN tokens.lost_at IS 'When its device was reported lost; null: it was not, or was found again.';
COMMENT ON COLUMN tokens.time_window IS 'The maximum deviation of a TOTP token''s clock, in seconds; null: 300.';
COMMENT ON COLUMN tokens.algorithm IS 'How responses are computed: an OCRA suite, HOTP-SHA1-6, TOTP-SHA1-6:T30S; CRYPT-15: the seed is a SHA-crypt hash of 15 characters.';
COMMENT ON COLUMN tokens.self_enrolled IS 'True where its owner began the enrolment, at the account page.';
COMMENT ON COLUMN tokens.valid_until IS 'The first instant at which the token is no longer valid; null: none.';
COMMENT ON COLUMN tokens.use_count IS 'Responses, right and wrong, while max_uses or max_successes was set.';
COMMENT ON COLUMN tokens.locked IS 'For the index of locked tokens: one on the fail counter itself would make each wrong response write all indexes.';

CREATE TABLE administrators (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  name text COLLATE "C" NOT NULL,
  password_hash text NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  second_factor text,
  second_factor_serial text COLLATE "C",
  second_factor_token_id bigint,
  CONSTRAINT administrators_pkey PRIMARY KEY (id),
  CONSTRAINT administrators_name_key UNIQUE (name),
  CONSTRAINT administrators_name_given CHECK (name <> ''::text),
  CONSTRAINT administrators_second_factor_known CHECK (second_factor = ANY (ARRAY['token'::text, 'passkey'::text])),
  CONSTRAINT administrators_second_factor_whole CHECK ((second_factor_serial IS NOT NULL) = (NOT second_factor IS DISTINCT FROM 'token'::text)),
  CONSTRAINT administrators_second_factor_token_fkey FOREIGN KEY (second_factor_token_id) REFERENCES tokens(id) ON DELETE SET NULL
);
CREATE UNIQUE INDEX administrators_name_caseless ON administrators USING btree (lower(name COLLATE "default"));
CREATE INDEX administrators_second_factor_token_idx ON administrators USING btree (second_factor_token_id);
COMMENT ON COLUMN administrators.second_factor_token_id IS 'The token with the key that was there when it was set. NULL beside a serial: it is gone, or has another key.';

CREATE TABLE api_tokens (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  administrator_id bigint NOT NULL,
  name text COLLATE "C" NOT NULL,
  token_hash bytea NOT NULL,
  rights text[] NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  expires_at timestamp with time zone,
  CONSTRAINT api_tokens_pkey PRIMARY KEY (id),
  CONSTRAINT api_tokens_administrator_name_key UNIQUE (administrator_id, name),
  CONSTRAINT api_tokens_token_hash_key UNIQUE (token_hash),
  CONSTRAINT api_tokens_name_given CHECK (name <> ''::text),
  CONSTRAINT api_tokens_rights_given CHECK (cardinality(rights) > 0),
  CONSTRAINT api_tokens_administrator_fkey FOREIGN KEY (administrator_id) REFERENCES administrators(id) ON DELETE CASCADE
);

CREATE TABLE challenges (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  transaction_id text NOT NULL,
  token_id bigint NOT NULL,
  question text NOT NULL,
  data text NOT NULL,
  issued_at timestamp with time zone NOT NULL,
  open_until timestamp with time zone NOT NULL,
  is_triggered boolean DEFAULT false NOT NULL,
  sign_in boolean DEFAULT false NOT NULL,
  wrong_count integer DEFAULT 0 NOT NULL,
  received_tan boolean DEFAULT false NOT NULL,
  valid_tan boolean DEFAULT false NOT NULL,
  closed_by text,
  closed_at timestamp with time zone,
  CONSTRAINT challenges_pkey PRIMARY KEY (id),
  CONSTRAINT challenges_transaction_id_key UNIQUE (transaction_id),
  CONSTRAINT challenges_closed_by_known CHECK (closed_by = ANY (ARRAY['accepted'::text, 'exhausted'::text, 'superseded'::text, 'declined'::text, 'reported'::text])),
  CONSTRAINT challenges_closed_whole CHECK ((closed_by IS NULL) = (closed_at IS NULL)),
  CONSTRAINT challenges_transaction_id_given CHECK (transaction_id <> ''::text),
  CONSTRAINT challenges_valid_once CHECK (valid_tan = (closed_by IS NOT NULL AND closed_by = 'accepted'::text)),
  CONSTRAINT challenges_valid_received CHECK (received_tan OR NOT valid_tan),
  CONSTRAINT challenges_wrong_count_range CHECK (wrong_count >= 0),
  CONSTRAINT challenges_token_fkey FOREIGN KEY (token_id) REFERENCES tokens(id) ON DELETE CASCADE
) WITH (fillfactor=85);
CREATE INDEX challenges_closed_until_idx ON challenges USING btree (open_until) WHERE closed_by IS NOT NULL;
CREATE INDEX challenges_open_idx ON challenges USING btree (token_id, id) WHERE closed_by IS NULL;
CREATE INDEX challenges_open_until_idx ON challenges USING btree (open_until) WHERE closed_by IS NULL;
CREATE INDEX challenges_question_idx ON challenges USING btree (hashtextextended(lower(btrim(question, '0'::text) COLLATE "C"), token_id));
CREATE INDEX challenges_token_idx ON challenges USING btree (token_id, issued_at DESC, id DESC);
COMMENT ON COLUMN challenges.open_until IS 'From then on it takes no responses.';
COMMENT ON COLUMN challenges.is_triggered IS 'Issued to a PIN or password: the response alone answers it.';
COMMENT ON COLUMN challenges.sign_in IS 'That of an administrator''s sign-in: only those of other sign-ins supersede it.';

CREATE TABLE imported_tokens (
  token_id bigint NOT NULL,
  serial text COLLATE "C" NOT NULL,
  fingerprint bytea NOT NULL,
  token_version bigint NOT NULL,
  type_name text NOT NULL,
  otp_length integer NOT NULL,
  key_form text NOT NULL,
  info jsonb NOT NULL,
  resolver_class text NOT NULL,
  resolver_id text NOT NULL,
  user_id text NOT NULL,
  last_match_at timestamp with time zone,
  so_pin bytea,
  CONSTRAINT imported_tokens_pkey PRIMARY KEY (token_id),
  CONSTRAINT imported_tokens_key_form_known CHECK (key_form = ANY (ARRAY['key'::text, 'text'::text, 'crypt'::text, 'none'::text])),
  CONSTRAINT imported_tokens_token_fkey FOREIGN KEY (token_id) REFERENCES tokens(id) ON DELETE CASCADE
);
COMMENT ON TABLE imported_tokens IS 'What LinOTP knew of a token and this server has no use for.';
COMMENT ON COLUMN imported_tokens.token_version IS 'The version of the token as the import left it: with another one it has been used or changed here since.';
COMMENT ON COLUMN imported_tokens.key_form IS 'key: the key itself. text: as it was typed. crypt: left, as it was only a hash of the text. none: no key.';

CREATE TABLE passkeys (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  administrator_id bigint NOT NULL,
  name text NOT NULL,
  credential_id text COLLATE "C" NOT NULL,
  public_key bytea NOT NULL,
  counter bigint NOT NULL,
  transports text[] NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  last_used_at timestamp with time zone,
  CONSTRAINT passkeys_pkey PRIMARY KEY (id),
  CONSTRAINT passkeys_credential_id_key UNIQUE (credential_id),
  CONSTRAINT passkeys_administrator_fkey FOREIGN KEY (administrator_id) REFERENCES administrators(id) ON DELETE CASCADE
);
CREATE INDEX passkeys_administrator_idx ON passkeys USING btree (administrator_id);
COMMENT ON COLUMN passkeys.credential_id IS 'base64url';
COMMENT ON COLUMN passkeys.public_key IS 'COSE_Key (RFC 9052 section 7)';

CREATE TABLE sessions (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  administrator_id bigint,
  person text COLLATE "C",
  groups text[],
  kind text DEFAULT 'session'::text NOT NULL,
  client text DEFAULT ''::text NOT NULL,
  session_hash bytea NOT NULL,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  revoked_at timestamp with time zone,
  confirmed_until timestamp with time zone,
  CONSTRAINT sessions_pkey PRIMARY KEY (id),
  CONSTRAINT sessions_session_hash_key UNIQUE (session_hash),
  CONSTRAINT sessions_groups_of_person CHECK ((person IS NULL) = (groups IS NULL)),
  CONSTRAINT sessions_kind_known CHECK (kind = ANY (ARRAY['session'::text, 'login'::text])),
  CONSTRAINT sessions_owner_given CHECK (num_nonnulls(administrator_id, person) = 1),
  CONSTRAINT sessions_administrator_fkey FOREIGN KEY (administrator_id) REFERENCES administrators(id) ON DELETE CASCADE
);
CREATE INDEX sessions_administrator_idx ON sessions USING btree (administrator_id);
CREATE INDEX sessions_expires_idx ON sessions USING btree (expires_at);
CREATE INDEX sessions_person_idx ON sessions USING btree (person) WHERE person IS NOT NULL;
CREATE INDEX sessions_revoked_idx ON sessions USING btree (id) WHERE revoked_at IS NOT NULL;
COMMENT ON COLUMN sessions.person IS 'Signed in by single sign-on: has no row in administrators.';
COMMENT ON COLUMN sessions.confirmed_until IS 'Until then the owner has just given password and second factor again.';

CREATE TABLE sign_in_attempts (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  kind text NOT NULL,
  attempt_hash bytea NOT NULL,
  administrator_id bigint NOT NULL,
  password_version bytea,
  client text NOT NULL,
  content jsonb NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  CONSTRAINT sign_in_attempts_pkey PRIMARY KEY (id),
  CONSTRAINT sign_in_attempts_hash_key UNIQUE (attempt_hash),
  CONSTRAINT sign_in_attempts_kind_known CHECK (kind = ANY (ARRAY['token'::text, 'passkey'::text, 'confirmation'::text, 'registration'::text, 'link'::text])),
  CONSTRAINT sign_in_attempts_version CHECK ((password_version IS NOT NULL) = (kind = ANY (ARRAY['token'::text, 'passkey'::text, 'confirmation'::text]))),
  CONSTRAINT sign_in_attempts_administrator_fkey FOREIGN KEY (administrator_id) REFERENCES administrators(id) ON DELETE CASCADE
);
CREATE INDEX sign_in_attempts_administrator_idx ON sign_in_attempts USING btree (administrator_id);
CREATE INDEX sign_in_attempts_expires_idx ON sign_in_attempts USING btree (expires_at);

CREATE TABLE used_sign_ons (
  state_hash bytea NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  CONSTRAINT used_sign_ons_pkey PRIMARY KEY (state_hash)
);
CREATE INDEX used_sign_ons_expires_idx ON used_sign_ons USING btree (expires_at);
COMMENT ON TABLE used_sign_ons IS 'Single sign-ons that have opened a session: none of them opens another one.';

CREATE TABLE user_count_deltas (
  resolver_id bigint NOT NULL,
  users integer NOT NULL
) WITH (autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_threshold=1000, autovacuum_vacuum_cost_delay=0);
ALTER TABLE user_count_deltas REPLICA IDENTITY FULL;

CREATE TABLE user_counts (
  resolver_id bigint NOT NULL,
  users bigint NOT NULL,
  CONSTRAINT user_counts_pkey PRIMARY KEY (resolver_id)
) WITH (fillfactor=50);
COMMENT ON TABLE user_counts IS 'Number of rows of the table users by resolver.';

CREATE TABLE user_sessions (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  session_hash bytea NOT NULL,
  token_id bigint NOT NULL,
  owner_resolver_id bigint NOT NULL,
  owner_user_id text COLLATE "C" NOT NULL,
  login text NOT NULL,
  realm text COLLATE "C" NOT NULL,
  transaction_id text COLLATE "C",
  is_code_asked boolean DEFAULT false NOT NULL,
  is_open boolean DEFAULT false NOT NULL,
  expires_at timestamp with time zone NOT NULL,
  ends_at timestamp with time zone NOT NULL,
  CONSTRAINT user_sessions_pkey PRIMARY KEY (id),
  CONSTRAINT user_sessions_hash_key UNIQUE (session_hash),
  CONSTRAINT user_sessions_asked CHECK (
CASE
    WHEN is_code_asked THEN transaction_id IS NULL
    ELSE is_open OR transaction_id IS NOT NULL
END),
  CONSTRAINT user_sessions_token_fkey FOREIGN KEY (token_id) REFERENCES tokens(id) ON DELETE CASCADE
);
CREATE INDEX user_sessions_expires_idx ON user_sessions USING btree (expires_at);
CREATE INDEX user_sessions_owner_idx ON user_sessions USING btree (owner_resolver_id, owner_user_id);
CREATE INDEX user_sessions_token_idx ON user_sessions USING btree (token_id);
COMMENT ON TABLE user_sessions IS 'Sign-ins of users at /app/account under way, and the sessions that they open.';
COMMENT ON COLUMN user_sessions.token_id IS 'The token that signs in; its owner must stay the same.';
COMMENT ON COLUMN user_sessions.transaction_id IS 'The challenge that confirms the sign-in or, of an open session, its next act. NULL: none is asked.';
COMMENT ON COLUMN user_sessions.is_code_asked IS 'A response of HOTP or TOTP is asked in its place.';
COMMENT ON COLUMN user_sessions.expires_at IS 'Moves with each request, up to ends_at.';

CREATE TABLE users (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  resolver_id bigint NOT NULL,
  login text COLLATE "C" NOT NULL,
  given_name text DEFAULT ''::text NOT NULL,
  surname text DEFAULT ''::text NOT NULL,
  email text DEFAULT ''::text NOT NULL,
  phone text DEFAULT ''::text NOT NULL,
  password_hash text,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT users_pkey PRIMARY KEY (id),
  CONSTRAINT users_resolver_login_key UNIQUE (resolver_id, login),
  CONSTRAINT users_login_given CHECK (login <> ''::text),
  CONSTRAINT users_resolver_fkey FOREIGN KEY (resolver_id) REFERENCES resolvers(id) ON DELETE CASCADE
);
CREATE INDEX users_email_idx ON users USING btree (resolver_id, lower(email) text_pattern_ops);
CREATE INDEX users_given_name_idx ON users USING btree (resolver_id, lower(given_name) text_pattern_ops);
CREATE INDEX users_later_words_idx ON users USING gin (later_words(resolver_id, given_name, surname));
CREATE INDEX users_login_idx ON users USING btree (resolver_id, lower(login COLLATE "default") text_pattern_ops);
CREATE INDEX users_phone_idx ON users USING btree (resolver_id, reverse(regexp_replace(phone, '[^0-9]'::text, ''::text, 'g'::text)) text_pattern_ops) WHERE phone <> ''::text;
CREATE INDEX users_surname_idx ON users USING btree (resolver_id, lower(surname) text_pattern_ops);

CREATE TABLE webhook_events (
  id uuid DEFAULT gen_random_uuid() NOT NULL,
  type text NOT NULL,
  realms text[] NOT NULL,
  occurred_at timestamp with time zone NOT NULL,
  data text NOT NULL,
  CONSTRAINT webhook_events_pkey PRIMARY KEY (id)
);
CREATE INDEX webhook_events_occurred_at ON webhook_events USING btree (occurred_at);
COMMENT ON TABLE webhook_events IS 'The outbox: events of committed acts. A dispatcher makes deliveries of them and removes them.';
COMMENT ON COLUMN webhook_events.data IS 'The JSON that is sent, as it is.';

CREATE TABLE webhooks (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  name text COLLATE "C" NOT NULL,
  url text NOT NULL,
  allows_http boolean NOT NULL,
  is_bounded boolean DEFAULT true NOT NULL,
  events text[] NOT NULL,
  realms text[] NOT NULL,
  is_enabled boolean DEFAULT true NOT NULL,
  secret bytea NOT NULL,
  previous_secret bytea,
  previous_until timestamp with time zone,
  created_at timestamp with time zone DEFAULT now() NOT NULL,
  CONSTRAINT webhooks_pkey PRIMARY KEY (id),
  CONSTRAINT webhooks_name_key UNIQUE (name),
  CONSTRAINT webhooks_name_given CHECK (name <> ''::text),
  CONSTRAINT webhooks_previous_whole CHECK ((previous_secret IS NULL) = (previous_until IS NULL))
);
COMMENT ON COLUMN webhooks.is_bounded IS 'Added over HTTP: only at a public address.';
COMMENT ON COLUMN webhooks.events IS 'The types of the events that it gets.';
COMMENT ON COLUMN webhooks.realms IS 'The realms of the tokens whose events it gets; empty: all tokens.';
COMMENT ON COLUMN webhooks.previous_secret IS 'Signs beside the secret that has replaced it, until previous_until.';

CREATE TABLE webhook_deliveries (
  id bigint GENERATED ALWAYS AS IDENTITY NOT NULL,
  webhook_id bigint NOT NULL,
  event_id uuid NOT NULL,
  type text NOT NULL,
  occurred_at timestamp with time zone NOT NULL,
  data text NOT NULL,
  attempts integer DEFAULT 0 NOT NULL,
  next_attempt_at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
  first_attempt_at timestamp with time zone,
  last_failure text DEFAULT ''::text NOT NULL,
  given_up_at timestamp with time zone,
  CONSTRAINT webhook_deliveries_pkey PRIMARY KEY (id),
  CONSTRAINT webhook_deliveries_once UNIQUE (webhook_id, event_id),
  CONSTRAINT webhook_deliveries_webhook_fkey FOREIGN KEY (webhook_id) REFERENCES webhooks(id) ON DELETE CASCADE
);
CREATE INDEX webhook_deliveries_due ON webhook_deliveries USING btree (webhook_id, next_attempt_at) WHERE given_up_at IS NULL;
CREATE INDEX webhook_deliveries_first_attempt_at ON webhook_deliveries USING btree (first_attempt_at) WHERE given_up_at IS NULL AND first_attempt_at IS NOT NULL;
CREATE INDEX webhook_deliveries_given_up ON webhook_deliveries USING btree (given_up_at) WHERE given_up_at IS NOT NULL;
COMMENT ON TABLE webhook_deliveries IS 'What has not been delivered yet. A server that tries moves next_attempt_at to the end of its claim.';

CREATE TABLE webhook_health (
  webhook_id bigint NOT NULL,
  delivered bigint DEFAULT 0 NOT NULL,
  last_success_at timestamp with time zone,
  last_failure_at timestamp with time zone,
  last_failure text DEFAULT ''::text NOT NULL,
  CONSTRAINT webhook_health_pkey PRIMARY KEY (webhook_id),
  CONSTRAINT webhook_health_webhook_fkey FOREIGN KEY (webhook_id) REFERENCES webhooks(id) ON DELETE CASCADE
);
COMMENT ON TABLE webhook_health IS 'The last results of each receiver. Apart from it: its row is configuration.';

ALTER SEQUENCE audit_id_seq OWNED BY audit.id;

CREATE OR REPLACE FUNCTION public.add_audit_month(month timestamp with time zone)
 RETURNS boolean
 LANGUAGE plpgsql
 SET search_path TO '$user', 'public'
AS $function$
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
$function$;
COMMENT ON FUNCTION add_audit_month(timestamp with time zone) IS 'Makes the partition of a month, given by its first instant in UTC, and moves rows of it there from the default one.';

CREATE OR REPLACE FUNCTION public.append_locked_token_deltas()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  BEGIN
    IF TG_OP <> 'INSERT' AND OLD.locked THEN
      INSERT INTO public.locked_token_deltas (realm_set_id, tokens) VALUES (OLD.realm_set_id, -1);
    END IF;
    IF TG_OP <> 'DELETE' AND NEW.locked THEN
      INSERT INTO public.locked_token_deltas (realm_set_id, tokens) VALUES (NEW.realm_set_id, 1);
    END IF;
    RETURN NULL;
  END
$function$;

CREATE OR REPLACE FUNCTION public.append_token_deltas()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  BEGIN
    IF TG_OP <> 'INSERT' THEN
      INSERT INTO public.count_deltas (realm_set_id, active, resolver_id, user_id, tokens)
      VALUES (OLD.realm_set_id, OLD.active, OLD.owner_resolver_id, OLD.owner_user_id, -1);
    END IF;
    IF TG_OP <> 'DELETE' THEN
      INSERT INTO public.count_deltas (realm_set_id, active, resolver_id, user_id, tokens)
      VALUES (NEW.realm_set_id, NEW.active, NEW.owner_resolver_id, NEW.owner_user_id, 1);
    END IF;
    RETURN NULL;
  END
$function$;

CREATE OR REPLACE FUNCTION public.append_user_deltas()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  BEGIN
    IF TG_OP <> 'INSERT' THEN
      INSERT INTO public.user_count_deltas (resolver_id, users) VALUES (OLD.resolver_id, -1);
    END IF;
    IF TG_OP <> 'DELETE' THEN
      INSERT INTO public.user_count_deltas (resolver_id, users) VALUES (NEW.resolver_id, 1);
    END IF;
    RETURN NULL;
  END
$function$;

CREATE OR REPLACE FUNCTION public.count_token_version()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  BEGIN
    NEW.version := OLD.version + 1;
    RETURN NEW;
  END
$function$;

CREATE OR REPLACE FUNCTION public.empty_token_counts()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO '$user', 'public'
AS $function$
  BEGIN
    TRUNCATE count_deltas, token_counts, active_user_tokens, active_user_counts;
    TRUNCATE locked_token_deltas, locked_token_counts;
    UPDATE count_state SET revision = revision + 1, changed_at = clock_timestamp();
    RETURN NULL;
  END
$function$;

CREATE OR REPLACE FUNCTION public.empty_user_counts()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO '$user', 'public'
AS $function$
  BEGIN
    TRUNCATE user_count_deltas, user_counts;
    RETURN NULL;
  END
$function$;

CREATE OR REPLACE FUNCTION public.end_sign_ins_of_lost_factor()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO '$user', 'public'
AS $function$
  BEGIN
    DELETE FROM sign_in_attempts WHERE administrator_id = NEW.id;
    UPDATE sessions SET revoked_at = now() WHERE administrator_id = NEW.id AND revoked_at IS NULL;
    RETURN NULL;
  END
$function$;

CREATE OR REPLACE FUNCTION public.ensure_audit_months(ahead integer)
 RETURNS integer
 LANGUAGE sql
 SET search_path TO '$user', 'public'
AS $function$
  SELECT count(*) FILTER (WHERE add_audit_month(
    (date_trunc('month', now() AT TIME ZONE 'UTC') + make_interval(months => number)) AT TIME ZONE 'UTC'))::integer
  FROM generate_series(0, ahead) AS number;
$function$;
COMMENT ON FUNCTION ensure_audit_months(integer) IS 'Makes the partitions of this month and of those ahead that are not there yet; says how many it made.';

CREATE OR REPLACE FUNCTION public.fold_counts(batch integer)
 RETURNS bigint
 LANGUAGE plpgsql
 SET search_path TO '$user', 'public'
 SET jit TO 'off'
 SET enable_seqscan TO 'off'
AS $function$
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
$function$;
COMMENT ON FUNCTION fold_counts(integer) IS 'Adds up at most so many deltas of each of the three kinds. Returns the largest number of them, or NULL while another fold is at work.';

CREATE OR REPLACE FUNCTION public.hold_sealing_key(sealed bytea)
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO '$user', 'public'
AS $function$
  DECLARE
    sealing_key text := encode(substr(sealed, 2, 8), 'hex');
  BEGIN
    -- "keys". The retirement of the key takes this lock alone, and then sees what was sealed with it.
    PERFORM pg_advisory_xact_lock_shared(1801812339, hashtext(sealing_key));
    IF EXISTS (SELECT FROM encryption_keys WHERE key_id = sealing_key AND retired_at IS NOT NULL) THEN
      RAISE EXCEPTION 'the encryption key % is retired', sealing_key USING ERRCODE = 'TK001';
    END IF;
  END
$function$;
COMMENT ON FUNCTION hold_sealing_key(bytea) IS 'Refuses a secret that a retired key sealed, and keeps the key from being retired until the transaction ends.';

CREATE OR REPLACE FUNCTION public.hold_sealing_key_of_secret()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO '$user', 'public'
AS $function$
  BEGIN
    IF NEW.secret IS DISTINCT FROM OLD.secret AND NEW.secret IS NOT NULL THEN
      PERFORM hold_sealing_key(NEW.secret);
    END IF;
    RETURN NEW;
  END
$function$;

CREATE OR REPLACE FUNCTION public.hold_sealing_key_of_so_pin()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO '$user', 'public'
AS $function$
  BEGIN
    IF NEW.so_pin IS DISTINCT FROM OLD.so_pin AND NEW.so_pin IS NOT NULL THEN
      PERFORM hold_sealing_key(NEW.so_pin);
    END IF;
    RETURN NEW;
  END
$function$;

CREATE OR REPLACE FUNCTION public.hold_sealing_keys_of_token()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO '$user', 'public'
AS $function$
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
$function$;

CREATE OR REPLACE FUNCTION public.hold_sealing_keys_of_webhook()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO '$user', 'public'
AS $function$
  BEGIN
    IF NEW.secret IS DISTINCT FROM OLD.secret AND NEW.secret IS NOT NULL THEN
      PERFORM hold_sealing_key(NEW.secret);
    END IF;
    IF NEW.previous_secret IS DISTINCT FROM OLD.previous_secret AND NEW.previous_secret IS NOT NULL THEN
      PERFORM hold_sealing_key(NEW.previous_secret);
    END IF;
    RETURN NEW;
  END
$function$;

CREATE OR REPLACE FUNCTION public.intern_realm_set(ids bigint[])
 RETURNS bigint
 LANGUAGE plpgsql
 SET search_path TO '$user', 'public'
AS $function$
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
$function$;
COMMENT ON FUNCTION intern_realm_set(bigint[]) IS 'Id of a set of realms, which is made on first use. Realm ids are not checked: lock the realms first.';

CREATE OR REPLACE FUNCTION public.note_configuration_change()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO '$user', 'public'
AS $function$
  BEGIN
    UPDATE configuration_state SET revision = revision + 1, changed_at = clock_timestamp();
    -- Equal notices of one transaction are one. The channel belongs to the database, which may have several schemas.
    PERFORM pg_notify('tankeeper_configuration', TG_TABLE_SCHEMA);
    RETURN NULL;
  END
$function$;
COMMENT ON FUNCTION note_configuration_change() IS 'Raises the revision by which every server notices a change of the configuration, also one by hand.';

CREATE OR REPLACE FUNCTION public.note_credential_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  BEGIN
    PERFORM pg_notify('tankeeper_configuration', TG_TABLE_SCHEMA);
    RETURN NULL;
  END
$function$;
COMMENT ON FUNCTION note_credential_change() IS 'Tells every server that a credential may have been revoked, also by hand.';

CREATE OR REPLACE FUNCTION public.note_realm_set_change()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO '$user', 'public'
AS $function$
  BEGIN
    UPDATE count_state SET revision = revision + 1, changed_at = clock_timestamp();
    RETURN NULL;
  END
$function$;

CREATE OR REPLACE FUNCTION public.note_removed_imported_token()
 RETURNS trigger
 LANGUAGE plpgsql
 SET search_path TO '$user', 'public'
AS $function$
  BEGIN
    INSERT INTO imported_entries (kind, name, fingerprint) VALUES ('removed token', OLD.serial, OLD.fingerprint)
      ON CONFLICT (kind, name) DO UPDATE SET fingerprint = EXCLUDED.fingerprint, imported_at = now();
    RETURN NULL;
  END
$function$;
COMMENT ON FUNCTION note_removed_imported_token() IS 'Notes the serial of a token that is removed here, so that a later import does not bring it back.';

CREATE OR REPLACE FUNCTION public.read_counts(known text)
 RETURNS json
 LANGUAGE plpgsql
 STABLE
 SET search_path TO '$user', 'public'
 SET jit TO 'off'
 SET enable_seqscan TO 'off'
AS $function$
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
$function$;
COMMENT ON FUNCTION read_counts(text) IS 'All counts as of one snapshot, without those that are folded where the caller knows this version of them.';

CREATE OR REPLACE FUNCTION public.rebuild_counts()
 RETURNS void
 LANGUAGE plpgsql
 SET search_path TO '$user', 'public'
AS $function$
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
$function$;
COMMENT ON FUNCTION rebuild_counts() IS 'Counts everything anew. To be called after a load of tokens or users with triggers disabled, in the same transaction.';

CREATE OR REPLACE FUNCTION public.refuse_audit_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  BEGIN
    IF current_setting('tankeeper.audit', true) = 'open' THEN
      RETURN coalesce(NEW, OLD);
    END IF;
    RAISE EXCEPTION 'rows of % are only added', TG_TABLE_NAME;
  END
$function$;
COMMENT ON FUNCTION refuse_audit_change() IS 'Keeps mistakes from changing the audit. Pruning, moving rows to their month and restoring set tankeeper.audit.';

CREATE OR REPLACE FUNCTION public.refuse_change_of_closed_challenge()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  BEGIN
    RAISE EXCEPTION 'challenge % is closed for ever', OLD.id
      USING ERRCODE = 'check_violation', CONSTRAINT = TG_NAME, TABLE = TG_TABLE_NAME;
  END
$function$;

CREATE TRIGGER administrators_lose_factor AFTER UPDATE OF second_factor_token_id ON administrators FOR EACH ROW WHEN (old.second_factor_token_id IS NOT NULL AND new.second_factor_token_id IS NULL AND new.second_factor = 'token'::text) EXECUTE FUNCTION end_sign_ins_of_lost_factor();
CREATE TRIGGER administrators_note_change AFTER DELETE OR UPDATE ON administrators FOR EACH ROW EXECUTE FUNCTION note_credential_change();
CREATE TRIGGER administrators_note_truncation AFTER TRUNCATE ON administrators FOR EACH STATEMENT EXECUTE FUNCTION note_credential_change();
CREATE TRIGGER api_tokens_note_change AFTER DELETE OR UPDATE ON api_tokens FOR EACH ROW EXECUTE FUNCTION note_credential_change();
CREATE TRIGGER api_tokens_note_truncation AFTER TRUNCATE ON api_tokens FOR EACH STATEMENT EXECUTE FUNCTION note_credential_change();
CREATE TRIGGER audit_is_not_emptied BEFORE TRUNCATE ON audit FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();
CREATE TRIGGER audit_only_grows BEFORE DELETE OR UPDATE ON audit FOR EACH ROW EXECUTE FUNCTION refuse_audit_change();
CREATE TRIGGER audit_checkpoints_are_not_emptied BEFORE TRUNCATE ON audit_checkpoints FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change();
CREATE TRIGGER audit_checkpoints_only_grow BEFORE DELETE OR UPDATE ON audit_checkpoints FOR EACH ROW EXECUTE FUNCTION refuse_audit_change();
CREATE TRIGGER challenges_closed_for_ever BEFORE UPDATE ON challenges FOR EACH ROW WHEN (old.closed_by IS NOT NULL AND (old.closed_by IS DISTINCT FROM 'declined'::text OR new.closed_by IS DISTINCT FROM 'reported'::text)) EXECUTE FUNCTION refuse_change_of_closed_challenge();
CREATE TRIGGER configuration_note_change AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON configuration FOR EACH STATEMENT EXECUTE FUNCTION note_configuration_change();
CREATE TRIGGER configuration_sealing_key_insert BEFORE INSERT ON configuration FOR EACH ROW EXECUTE FUNCTION hold_sealing_key_of_secret();
CREATE TRIGGER configuration_sealing_key_update BEFORE UPDATE OF secret ON configuration FOR EACH ROW EXECUTE FUNCTION hold_sealing_key_of_secret();
CREATE TRIGGER imported_tokens_note_removal AFTER DELETE ON imported_tokens FOR EACH ROW EXECUTE FUNCTION note_removed_imported_token();
CREATE TRIGGER imported_tokens_sealing_key_insert BEFORE INSERT ON imported_tokens FOR EACH ROW WHEN (new.so_pin IS NOT NULL) EXECUTE FUNCTION hold_sealing_key_of_so_pin();
CREATE TRIGGER imported_tokens_sealing_key_update BEFORE UPDATE OF so_pin ON imported_tokens FOR EACH ROW EXECUTE FUNCTION hold_sealing_key_of_so_pin();
CREATE TRIGGER policies_note_change AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON policies FOR EACH STATEMENT EXECUTE FUNCTION note_configuration_change();
CREATE TRIGGER realm_resolvers_note_change AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON realm_resolvers FOR EACH STATEMENT EXECUTE FUNCTION note_configuration_change();
CREATE TRIGGER realm_sets_note_change AFTER UPDATE ON realm_sets FOR EACH STATEMENT EXECUTE FUNCTION note_realm_set_change();
CREATE TRIGGER realms_note_change AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON realms FOR EACH STATEMENT EXECUTE FUNCTION note_configuration_change();
CREATE TRIGGER resolvers_note_change AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON resolvers FOR EACH STATEMENT EXECUTE FUNCTION note_configuration_change();
CREATE TRIGGER resolvers_sealing_key_insert BEFORE INSERT ON resolvers FOR EACH ROW EXECUTE FUNCTION hold_sealing_key_of_secret();
CREATE TRIGGER resolvers_sealing_key_update BEFORE UPDATE OF secret ON resolvers FOR EACH ROW EXECUTE FUNCTION hold_sealing_key_of_secret();
CREATE TRIGGER sessions_note_change AFTER UPDATE ON sessions FOR EACH ROW EXECUTE FUNCTION note_credential_change();
CREATE TRIGGER sessions_note_removal AFTER DELETE ON sessions FOR EACH ROW WHEN (old.revoked_at IS NULL AND old.expires_at > now()) EXECUTE FUNCTION note_credential_change();
CREATE TRIGGER sessions_note_truncation AFTER TRUNCATE ON sessions FOR EACH STATEMENT EXECUTE FUNCTION note_credential_change();
CREATE TRIGGER tokens_count_delete AFTER DELETE ON tokens FOR EACH ROW EXECUTE FUNCTION append_token_deltas();
CREATE TRIGGER tokens_count_insert AFTER INSERT ON tokens FOR EACH ROW EXECUTE FUNCTION append_token_deltas();
CREATE TRIGGER tokens_count_locked_delete AFTER DELETE ON tokens FOR EACH ROW WHEN (old.locked) EXECUTE FUNCTION append_locked_token_deltas();
CREATE TRIGGER tokens_count_locked_insert AFTER INSERT ON tokens FOR EACH ROW WHEN (new.locked) EXECUTE FUNCTION append_locked_token_deltas();
CREATE TRIGGER tokens_count_locked_update AFTER UPDATE OF fail_count, max_fail, realm_set_id ON tokens FOR EACH ROW WHEN (old.locked <> new.locked OR old.locked AND old.realm_set_id <> new.realm_set_id) EXECUTE FUNCTION append_locked_token_deltas();
CREATE TRIGGER tokens_count_truncate AFTER TRUNCATE ON tokens FOR EACH STATEMENT EXECUTE FUNCTION empty_token_counts();
CREATE TRIGGER tokens_count_update AFTER UPDATE OF active, realm_set_id, owner_resolver_id, owner_user_id ON tokens FOR EACH ROW WHEN (old.active IS DISTINCT FROM new.active OR old.realm_set_id IS DISTINCT FROM new.realm_set_id OR old.owner_resolver_id IS DISTINCT FROM new.owner_resolver_id OR old.owner_user_id IS DISTINCT FROM new.owner_user_id) EXECUTE FUNCTION append_token_deltas();
CREATE TRIGGER tokens_count_version BEFORE UPDATE ON tokens FOR EACH ROW EXECUTE FUNCTION count_token_version();
ALTER TABLE tokens ENABLE ALWAYS TRIGGER tokens_count_version;
CREATE TRIGGER tokens_sealing_key_insert BEFORE INSERT ON tokens FOR EACH ROW EXECUTE FUNCTION hold_sealing_keys_of_token();
CREATE TRIGGER tokens_sealing_key_update BEFORE UPDATE OF seed, shared_secret, nonce, pin, ocra_pin ON tokens FOR EACH ROW EXECUTE FUNCTION hold_sealing_keys_of_token();
CREATE TRIGGER users_count_delete AFTER DELETE ON users FOR EACH ROW EXECUTE FUNCTION append_user_deltas();
CREATE TRIGGER users_count_insert AFTER INSERT ON users FOR EACH ROW EXECUTE FUNCTION append_user_deltas();
CREATE TRIGGER users_count_truncate AFTER TRUNCATE ON users FOR EACH STATEMENT EXECUTE FUNCTION empty_user_counts();
CREATE TRIGGER users_count_update AFTER UPDATE OF resolver_id ON users FOR EACH ROW WHEN (old.resolver_id IS DISTINCT FROM new.resolver_id) EXECUTE FUNCTION append_user_deltas();
CREATE TRIGGER webhooks_note_change AFTER INSERT OR DELETE OR UPDATE OR TRUNCATE ON webhooks FOR EACH STATEMENT EXECUTE FUNCTION note_configuration_change();
CREATE TRIGGER webhooks_sealing_key_insert BEFORE INSERT ON webhooks FOR EACH ROW EXECUTE FUNCTION hold_sealing_keys_of_webhook();
CREATE TRIGGER webhooks_sealing_key_update BEFORE UPDATE OF secret, previous_secret ON webhooks FOR EACH ROW EXECUTE FUNCTION hold_sealing_keys_of_webhook();
