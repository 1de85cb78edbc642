import type { Knex } from 'knex';

/**
 * Servers forget the credentials that they remember when they are told of a change: no revision is kept. The version
 * before still compares the one that is here, and forgets by the notice, too. Nor do servers tell each other of their
 * keys any more.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ${DROP}
    CREATE OR REPLACE FUNCTION note_credential_change() RETURNS trigger LANGUAGE plpgsql AS $$
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
    COMMENT ON TABLE credential_state IS 'Read by the version before alone.';
    COMMENT ON TABLE key_holders IS 'Written and read by the version before alone.';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    ${DROP}
    CREATE OR REPLACE FUNCTION note_credential_change() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
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
    CREATE CONSTRAINT TRIGGER sessions_note_removal AFTER DELETE ON sessions
      DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (OLD.revoked_at IS NULL AND OLD.expires_at > now())
      EXECUTE FUNCTION note_credential_change();
    COMMENT ON TABLE credential_state IS NULL;
    COMMENT ON TABLE key_holders IS
      'The running servers and the keys of each. A key must be on every server before it seals.';
  `);
}

const DROP = `
    DROP TRIGGER administrators_note_change ON administrators;
    DROP TRIGGER api_tokens_note_change ON api_tokens;
    DROP TRIGGER sessions_note_change ON sessions;
    DROP TRIGGER sessions_note_removal ON sessions;`;
