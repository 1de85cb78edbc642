import type { Knex } from 'knex';

/**
 * A second factor is a token, not a serial: one that is removed, or has a new key, is no factor any more. The account
 * keeps the serial and takes no sign-in until another factor is set.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    LOCK TABLE tokens, administrators, sessions, sign_in_attempts IN SHARE ROW EXCLUSIVE MODE;
    ALTER TABLE administrators ADD second_factor_token_id bigint
      CONSTRAINT administrators_second_factor_token_fkey REFERENCES tokens ON DELETE SET NULL;
    COMMENT ON COLUMN administrators.second_factor_token_id IS
      'The token with the key that was there when it was set. NULL beside a serial: it is gone, or has another key.';
    UPDATE administrators SET second_factor_token_id = tokens.id FROM tokens
      WHERE tokens.serial = administrators.second_factor_serial;
    CREATE INDEX administrators_second_factor_token_idx ON administrators (second_factor_token_id);
    DROP INDEX administrators_second_factor_idx;
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
    -- The version before, while it still runs, knows no ids. A new key comes with a suite; one that is sealed anew does
    -- not. At the commit: this version has named what is lost by then.
    CREATE FUNCTION lose_factor_of_new_key() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
      BEGIN
        UPDATE administrators SET second_factor_token_id = NULL WHERE second_factor_token_id = NEW.id;
        RETURN NULL;
      END
    $$;
    CREATE CONSTRAINT TRIGGER tokens_lose_factor AFTER UPDATE OF ocra_suite ON tokens
      DEFERRABLE INITIALLY DEFERRED
      FOR EACH ROW WHEN (OLD.seed IS DISTINCT FROM NEW.seed OR OLD.shared_secret IS DISTINCT FROM NEW.shared_secret)
      EXECUTE FUNCTION lose_factor_of_new_key();
    CREATE FUNCTION bind_factor_of_serial() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
      BEGIN
        NEW.second_factor_token_id :=
          (SELECT id FROM tokens WHERE serial = NEW.second_factor_serial AND NEW.second_factor = 'token');
        RETURN NEW;
      END
    $$;
    CREATE TRIGGER administrators_bind_factor BEFORE UPDATE OF second_factor, second_factor_serial ON administrators
      FOR EACH ROW WHEN (OLD.second_factor_token_id IS NOT DISTINCT FROM NEW.second_factor_token_id
        AND (OLD.second_factor IS DISTINCT FROM NEW.second_factor
          OR OLD.second_factor_serial IS DISTINCT FROM NEW.second_factor_serial))
      EXECUTE FUNCTION bind_factor_of_serial();
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TRIGGER administrators_bind_factor ON administrators;
    DROP TRIGGER tokens_lose_factor ON tokens;
    DROP TRIGGER administrators_lose_factor ON administrators;
    DROP FUNCTION bind_factor_of_serial();
    DROP FUNCTION lose_factor_of_new_key();
    DROP FUNCTION end_sign_ins_of_lost_factor();
    -- A lost factor stays lost: no token has an empty serial.
    UPDATE administrators SET second_factor_serial = '' WHERE second_factor = 'token' AND second_factor_token_id IS NULL;
    ALTER TABLE administrators DROP COLUMN second_factor_token_id;
    CREATE INDEX administrators_second_factor_idx ON administrators (second_factor_serial)
      WHERE second_factor_serial IS NOT NULL;
  `);
}
