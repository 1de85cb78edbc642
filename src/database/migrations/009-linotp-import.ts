import type { Knex } from 'knex';

/** The traces of an import from LinOTP, so that a later one takes only what has changed since. */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(UP);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(DOWN);
}

const UP = `
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
`;

const DOWN = `
  DROP TABLE imported_tokens;
  DROP FUNCTION hold_sealing_key_of_so_pin();
  DROP FUNCTION note_removed_imported_token();
  DROP TABLE imported_entries;
`;
