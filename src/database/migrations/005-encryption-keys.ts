import type { Knex } from 'knex';

/**
 * The ids of the keys that seal secrets, and the servers that hold them. A retired key seals nothing: the triggers
 * refuse it, and the retirement of a key waits until all secrets sealed with it can be counted.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(UP);
}

/** Fails while there are keys that a security module encrypted: this may be their only copy. */
export async function down(knex: Knex): Promise<void> {
  await knex.raw(DOWN);
}

const UP = `
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

  CREATE TABLE key_holders (
    id text NOT NULL CONSTRAINT key_holders_pkey PRIMARY KEY,
    place text NOT NULL,
    key_ids text[] NOT NULL,
    sealing_key text NOT NULL,
    seen_at timestamptz NOT NULL DEFAULT clock_timestamp()
  );
  COMMENT ON TABLE key_holders IS
    'The running servers and the keys of each. A key must be on every server before it seals.';

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
`;

const DOWN = `
  DO $$ BEGIN
    IF EXISTS (SELECT FROM encryption_keys WHERE wrapped IS NOT NULL) THEN
      RAISE EXCEPTION 'encryption_keys holds keys that a security module encrypted: without them no secret can be read';
    END IF;
  END $$;
  DROP FUNCTION hold_sealing_keys_of_token() CASCADE;
  DROP FUNCTION hold_sealing_key_of_secret() CASCADE;
  DROP FUNCTION hold_sealing_key(bytea);
  DROP TABLE key_holders;
  DROP TABLE encryption_keys;
`;
