import type { Knex } from 'knex';

/**
 * The audit trail in signed chains, by months (docs/adr/0013-audit-chains.md). A row names its writer by number and
 * without a foreign key: with one, each insert would lock the writer's row. The signatures guarantee more than a
 * foreign key.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(UP);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(DOWN);
}

const UP = `
  CREATE TABLE audit (
    id bigint NOT NULL,
    at timestamptz NOT NULL,
    actor text NOT NULL,
    action text NOT NULL,
    subject text NOT NULL,
    realm text NOT NULL,
    outcome text NOT NULL,
    client text NOT NULL,
    request_id text NOT NULL,
    transaction_id text NOT NULL,
    writer bigint NOT NULL,
    lane integer NOT NULL,
    seq bigint NOT NULL,
    prev_hash bytea NOT NULL,
    hash bytea NOT NULL,
    signature bytea NOT NULL,
    CONSTRAINT audit_pkey PRIMARY KEY (id, at)
  ) PARTITION BY RANGE (at);
  CREATE INDEX audit_at_idx ON audit (at, id);
  CREATE INDEX audit_subject_idx ON audit (subject, at);
  CREATE INDEX audit_actor_idx ON audit (actor, at);
  CREATE INDEX audit_transaction_idx ON audit (transaction_id) WHERE transaction_id <> '';
  CREATE INDEX audit_place_idx ON audit (writer, lane, seq, id);
  -- For the age of the last backup, which metrics show.
  CREATE INDEX audit_exports_idx ON audit (at) WHERE action = 'backup/export';
  -- For the explanation of a refusal, which lists the changes since.
  CREATE INDEX audit_policies_idx ON audit (at, id) WHERE action IN ('policy/set', 'policy/remove');
  COMMENT ON TABLE audit IS
    'One row for each administrative act and each decision on a response, written in its transaction and signed by its writer. The signature covers the id, so the writer gives it: its number * 2^32 + 1, 2, ... No secrets.';

  CREATE TABLE audit_default PARTITION OF audit DEFAULT;
  COMMENT ON TABLE audit_default IS
    'Rows of months that have no partition, so that no act fails for want of one.';

  CREATE TABLE audit_journal (
    number bigint NOT NULL CONSTRAINT audit_journal_pkey PRIMARY KEY,
    at timestamptz NOT NULL,
    kind text NOT NULL CONSTRAINT audit_journal_kind_known
      CHECK (kind IN ('writer', 'key', 'checkpoint', 'prune')),
    writer bigint NOT NULL,
    key_id text NOT NULL,
    body text NOT NULL,
    prev_hash bytea NOT NULL,
    hash bytea NOT NULL,
    signature bytea NOT NULL
  );
  COMMENT ON TABLE audit_journal IS
    'The records that the audit trail is verified by, one signed chain: writers, keys, checkpoints, cuts. Appended to under an advisory lock: its numbers have no gaps but those that a cut names.';

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

  CREATE FUNCTION add_audit_month(month timestamptz) RETURNS boolean LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
    DECLARE
      name text := 'audit_' || to_char(month AT TIME ZONE 'UTC', 'YYYY_MM');
      next timestamptz := (month AT TIME ZONE 'UTC' + interval '1 month') AT TIME ZONE 'UTC';
    BEGIN
      IF to_regclass(name) IS NOT NULL THEN
        RETURN false;
      END IF;
      -- Built beside the table and then attached, so that writers are held up for an instant only.
      EXECUTE format('CREATE TABLE %I (LIKE audit)', name);
      LOCK TABLE audit_default IN ACCESS EXCLUSIVE MODE;
      EXECUTE format('WITH strays AS (DELETE FROM audit_default WHERE at >= %L AND at < %L RETURNING *)
        INSERT INTO %I SELECT * FROM strays', month, next, name);
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
`;

const DOWN = `
  DROP FUNCTION ensure_audit_months(integer);
  DROP FUNCTION add_audit_month(timestamptz);
  DROP TABLE audit_verifications;
  DROP TABLE audit_journal;
  DROP TABLE audit;
`;
