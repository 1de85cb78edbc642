import type { Knex } from 'knex';

/**
 * Which key seals, which are retired, and which servers have which keys. A retired key seals nothing any more: the
 * triggers refuse it, and let whoever retires one wait until what was sealed with it is there to be counted.
 */
export async function up(knex: Knex): Promise<void> {
  await addStates(knex);
  await guardSecrets(knex);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TRIGGER tokens_sealing_key_insert ON tokens;
    DROP TRIGGER tokens_sealing_key_update ON tokens;
    DROP TRIGGER resolvers_sealing_key_insert ON resolvers;
    DROP TRIGGER resolvers_sealing_key_update ON resolvers;
    DROP TRIGGER configuration_sealing_key_insert ON configuration;
    DROP TRIGGER configuration_sealing_key_update ON configuration;
    DROP FUNCTION hold_sealing_keys_of_token();
    DROP FUNCTION hold_sealing_key_of_secret();
    DROP FUNCTION hold_sealing_key(bytea);
    DROP TABLE key_holders;
    DROP INDEX encryption_keys_one_current;
    -- Nothing is sealed with a retired key; a server that knows no retired ones would ask for it all the same.
    DELETE FROM encryption_keys WHERE retired_at IS NOT NULL AND wrapped IS NULL;
    ALTER TABLE encryption_keys
      DROP CONSTRAINT encryption_keys_retired_not_current,
      DROP COLUMN retired_at, DROP COLUMN current_since, DROP COLUMN is_current;
  `);
}

async function addStates(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE encryption_keys
      ADD COLUMN is_current boolean NOT NULL DEFAULT false,
      ADD COLUMN current_since timestamptz,
      ADD COLUMN retired_at timestamptz,
      ADD CONSTRAINT encryption_keys_retired_not_current CHECK (NOT (is_current AND retired_at IS NOT NULL));
    CREATE UNIQUE INDEX encryption_keys_one_current ON encryption_keys (is_current) WHERE is_current;
    -- Until now the key that was registered last sealed; none of the others waits for its turn.
    UPDATE encryption_keys SET current_since = created_at;
    UPDATE encryption_keys SET is_current = true
      WHERE key_id = (SELECT key_id FROM encryption_keys ORDER BY created_at DESC, key_id DESC LIMIT 1);

    CREATE TABLE key_holders (
      id text NOT NULL CONSTRAINT key_holders_pkey PRIMARY KEY,
      place text NOT NULL,
      key_ids text[] NOT NULL,
      sealing_key text NOT NULL,
      seen_at timestamptz NOT NULL DEFAULT clock_timestamp()
    );
    COMMENT ON TABLE key_holders IS 'The servers that run, and which keys each of them has: a key must be everywhere before it seals.';
  `);
}

async function guardSecrets(knex: Knex): Promise<void> {
  await knex.raw(`
    CREATE FUNCTION hold_sealing_key(sealed bytea) RETURNS void LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
      DECLARE
        sealing_key text := encode(substr(sealed, 2, 8), 'hex');
      BEGIN
        -- "keys". Whoever retires the key takes this lock alone, and then sees what was sealed with it.
        PERFORM pg_advisory_xact_lock_shared(1801812339, hashtext(sealing_key));
        IF EXISTS (SELECT FROM encryption_keys WHERE key_id = sealing_key AND retired_at IS NOT NULL) THEN
          RAISE EXCEPTION 'the encryption key % is retired', sealing_key USING ERRCODE = 'TK001';
        END IF;
      END
    $$;
    COMMENT ON FUNCTION hold_sealing_key IS 'Refuses a secret that a retired key sealed, and keeps the key from being retired until the transaction ends.';

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
  `);
}
