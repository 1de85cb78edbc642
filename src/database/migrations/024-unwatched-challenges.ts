import type { Knex } from 'knex';

/**
 * Servers look at the challenges that requests wait for: the database no longer tells of their changes. The version
 * before still writes `watched_until`; its waiting requests are answered at the end of their time.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TRIGGER tokens_tell_fail_count ON tokens;
    DROP TRIGGER challenges_tell_change ON challenges;
    DROP TRIGGER challenges_tell_removal ON challenges;
    DROP FUNCTION tell_challenge_change();
    DROP FUNCTION tell_fail_count_change();
    COMMENT ON COLUMN challenges.watched_until IS 'Written by the version before alone.';
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    COMMENT ON COLUMN challenges.watched_until IS
      'Until then, changes of its state are told to all servers: a request waits for one.';
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
    CREATE FUNCTION tell_fail_count_change() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
      BEGIN
        PERFORM pg_notify('tankeeper_challenges', TG_TABLE_SCHEMA || ' ' || id) FROM challenges
        WHERE token_id = NEW.id AND closed_by IS NULL AND watched_until > now();
        RETURN NULL;
      END
    $$;
    CREATE TRIGGER tokens_tell_fail_count AFTER UPDATE OF fail_count ON tokens
      FOR EACH ROW WHEN (OLD.fail_count <> NEW.fail_count) EXECUTE FUNCTION tell_fail_count_change();
  `);
}
