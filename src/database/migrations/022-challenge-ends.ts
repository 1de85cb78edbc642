import type { Knex } from 'knex';

/**
 * Stores with each challenge its end, which the setting told until now, and whether it was issued to a PIN, which the
 * form of its id told. A trigger adds both to those of the version before. Without a rewrite of the table: closed
 * challenges from before have the end of this moment.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(`
    ALTER TABLE challenges ADD open_until timestamptz NOT NULL DEFAULT now(),
      ADD is_triggered boolean NOT NULL DEFAULT false, DISABLE TRIGGER challenges_closed_for_ever;
    COMMENT ON COLUMN challenges.open_until IS 'From then on it takes no responses.';
    COMMENT ON COLUMN challenges.is_triggered IS 'Issued to a PIN or password: the response alone answers it.';

    -- At most 7000 years: the latest time that PostgreSQL knows is not far beyond.
    CREATE FUNCTION challenge_lifetime() RETURNS interval LANGUAGE sql STABLE SET search_path FROM CURRENT AS $$
      SELECT make_interval(secs => least(2.2e11, coalesce(substring(value FROM '([0-9]+)D')::float8, 0) * 86400
        + coalesce(substring(value FROM '([0-9]+)H')::float8, 0) * 3600
        + coalesce(substring(value FROM '([0-9]+)M')::float8, 0) * 60
        + coalesce(substring(value FROM '([0-9]+)S{0,1} *$')::float8, 0)))
      FROM (SELECT upper(coalesce((SELECT value FROM configuration WHERE key = 'OcraChallengeTimeout'), '20M')) AS value)
        AS setting
    $$;
    UPDATE challenges SET open_until = issued_at + (SELECT challenge_lifetime()),
        is_triggered = transaction_id ~ '^([0-9a-f]{24}|[0-9]{17})$'
      WHERE closed_by IS NULL OR transaction_id ~ '^([0-9a-f]{24}|[0-9]{17})$';

    CREATE FUNCTION complete_challenge() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
      BEGIN
        NEW.open_until := NEW.issued_at + challenge_lifetime();
        NEW.is_triggered := NEW.transaction_id ~ '^([0-9a-f]{24}|[0-9]{17})$';
        RETURN NEW;
      END
    $$;
    CREATE TRIGGER challenges_complete BEFORE INSERT ON challenges
      FOR EACH ROW WHEN (NEW.open_until IS NULL) EXECUTE FUNCTION complete_challenge();
    ALTER TABLE challenges ALTER open_until DROP DEFAULT, ENABLE TRIGGER challenges_closed_for_ever;

    DROP INDEX challenges_open_issued_idx, challenges_closed_issued_idx;
    CREATE INDEX challenges_open_until_idx ON challenges (open_until) WHERE closed_by IS NULL;
    CREATE INDEX challenges_closed_until_idx ON challenges (open_until) WHERE closed_by IS NOT NULL;
  `);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DROP TRIGGER challenges_complete ON challenges;
    DROP FUNCTION complete_challenge();
    DROP FUNCTION challenge_lifetime();
    ALTER TABLE challenges DROP open_until, DROP is_triggered;
    CREATE INDEX challenges_open_issued_idx ON challenges (issued_at) WHERE closed_by IS NULL;
    CREATE INDEX challenges_closed_issued_idx ON challenges (issued_at) WHERE closed_by IS NOT NULL;
  `);
}
