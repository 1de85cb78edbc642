import type { Knex } from 'knex';

/**
 * Administrators, and their API tokens and sessions, which are kept as hashes only; their second factors, and the
 * sign-ins that are under way; and the revision by which every server notices that a credential may have been revoked.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(UP);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(DOWN);
}

const UP = `
  CREATE TABLE administrators (
    id bigint GENERATED ALWAYS AS IDENTITY CONSTRAINT administrators_pkey PRIMARY KEY,
    name text COLLATE "C" NOT NULL CONSTRAINT administrators_name_key UNIQUE
      CONSTRAINT administrators_name_given CHECK (name <> ''),
    password_hash text NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    second_factor text CONSTRAINT administrators_second_factor_known CHECK (second_factor IN ('token', 'passkey')),
    second_factor_serial text COLLATE "C",
    CONSTRAINT administrators_second_factor_whole
      CHECK ((second_factor_serial IS NOT NULL) = (second_factor IS NOT DISTINCT FROM 'token'))
  );
  CREATE UNIQUE INDEX administrators_name_caseless ON administrators (lower(name COLLATE "default"));

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
  COMMENT ON COLUMN sessions.confirmed_until IS 'Until then the owner has just given password and second factor again.';
  COMMENT ON COLUMN sessions.person IS 'Signed in by single sign-on: has no row in administrators.';
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

  CREATE TABLE credential_state (
    singleton boolean NOT NULL DEFAULT true CONSTRAINT credential_state_pkey PRIMARY KEY
      CONSTRAINT credential_state_single CHECK (singleton),
    revision uuid NOT NULL
  );
  COMMENT ON COLUMN credential_state.revision IS
    'Random, so that it never returns, not even after a restored backup or the promotion of a standby that lagged.';
  INSERT INTO credential_state (revision) VALUES (gen_random_uuid());

  CREATE FUNCTION note_credential_change() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
    BEGIN
      -- Once in a transaction, however many rows it changes.
      IF current_setting('tankeeper.credential_change', true) IS DISTINCT FROM TG_TABLE_SCHEMA THEN
        PERFORM set_config('tankeeper.credential_change', TG_TABLE_SCHEMA, true);
        UPDATE credential_state SET revision = gen_random_uuid();
        PERFORM pg_notify('tankeeper_configuration', TG_TABLE_SCHEMA);
      END IF;
      RETURN NULL;
    END
  $$;
  COMMENT ON FUNCTION note_credential_change IS
    'Changes the revision by which every server notices that a credential may have been revoked, also one by hand. '
    'Deferred to the commit, so that its lock is the last one of a transaction and held for a moment.';
  CREATE CONSTRAINT TRIGGER administrators_note_change AFTER UPDATE OR DELETE ON administrators
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION note_credential_change();
  CREATE CONSTRAINT TRIGGER api_tokens_note_change AFTER UPDATE OR DELETE ON api_tokens
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION note_credential_change();
  CREATE CONSTRAINT TRIGGER sessions_note_change AFTER UPDATE ON sessions
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION note_credential_change();
  -- Housekeeping removes sessions that have ended, which revokes nothing.
  CREATE CONSTRAINT TRIGGER sessions_note_removal AFTER DELETE ON sessions
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (OLD.revoked_at IS NULL AND OLD.expires_at > now())
    EXECUTE FUNCTION note_credential_change();
  CREATE TRIGGER administrators_note_truncation AFTER TRUNCATE ON administrators
    FOR EACH STATEMENT EXECUTE FUNCTION note_credential_change();
  CREATE TRIGGER api_tokens_note_truncation AFTER TRUNCATE ON api_tokens
    FOR EACH STATEMENT EXECUTE FUNCTION note_credential_change();
  CREATE TRIGGER sessions_note_truncation AFTER TRUNCATE ON sessions
    FOR EACH STATEMENT EXECUTE FUNCTION note_credential_change();
`;

const DOWN = `
  DROP FUNCTION note_credential_change() CASCADE;
  DROP TABLE credential_state;
  DROP TABLE sign_in_attempts;
  DROP TABLE passkeys;
  DROP TABLE sessions;
  DROP TABLE api_tokens;
  DROP TABLE administrators;
`;
