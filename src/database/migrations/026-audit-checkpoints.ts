import type { Knex } from 'knex';

/**
 * Rows of the audit get their ids here, and checkpoints seal them afterwards (docs/adr/0013-audit-chains.md). The
 * version before still signs each row, names a writer in it and keeps `audit_journal`: its rows get an id of the
 * sequence, too, so that none of them comes behind a checkpoint.
 */
export async function up(knex: Knex): Promise<void> {
  await knex.raw(UP);
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(DOWN);
}

const UP = `
  CREATE SEQUENCE audit_id_seq OWNED BY audit.id;
  SELECT setval('audit_id_seq', max(id)) FROM audit HAVING max(id) > 0;
  ALTER TABLE audit
    -- In this order: a transaction with an id has a number by which others see whether it has ended.
    ALTER COLUMN id SET DEFAULT CASE WHEN pg_current_xact_id() IS NOT NULL THEN nextval('audit_id_seq') END,
    ALTER COLUMN writer DROP NOT NULL,
    ALTER COLUMN lane DROP NOT NULL,
    ALTER COLUMN seq DROP NOT NULL,
    ALTER COLUMN prev_hash DROP NOT NULL,
    ALTER COLUMN hash DROP NOT NULL,
    ALTER COLUMN signature DROP NOT NULL;
  DROP INDEX audit_place_idx;
  COMMENT ON TABLE audit IS
    'One row for each administrative act and each decision on a response, written in its transaction. Rows are only added; whole months are pruned. No secrets. writer, lane, seq, prev_hash, hash and signature are written by the version before alone.';
  COMMENT ON TABLE audit_journal IS 'Written by the version before alone.';

  CREATE TABLE audit_checkpoints (
    number bigint NOT NULL CONSTRAINT audit_checkpoints_pkey PRIMARY KEY,
    at timestamptz NOT NULL,
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
    signature bytea NOT NULL
  );
  CREATE INDEX audit_checkpoints_prunes_idx ON audit_checkpoints (number) WHERE prunes <> '';
  COMMENT ON TABLE audit_checkpoints IS
    'What the audit is verified by: one signed chain. A checkpoint covers the rows with ids from after after_id up to last_id, all of one month. Appended to under an advisory lock.';
  COMMENT ON COLUMN audit_checkpoints.leaves IS 'Id (8 bytes) and SHA-256 of each row; empty once its month was pruned.';
  COMMENT ON COLUMN audit_checkpoints.prunes IS 'Not empty: months before this one (2026-01) were removed.';
  COMMENT ON COLUMN audit_checkpoints.vouches IS
    'The checkpoint before was signed by a key of the installation, which may have been retired since.';

  CREATE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF current_setting('tankeeper.audit', true) = 'open' THEN
        RETURN coalesce(NEW, OLD);
      END IF;
      RAISE EXCEPTION 'rows of % are only added', TG_TABLE_NAME;
    END
  $$;
  COMMENT ON FUNCTION refuse_audit_change IS
    'Keeps mistakes from changing the audit. Pruning, moving rows to their month and restoring set tankeeper.audit.';
  CREATE TRIGGER audit_only_grows BEFORE UPDATE OR DELETE ON audit FOR EACH ROW EXECUTE FUNCTION refuse_audit_change();
  CREATE TRIGGER audit_is_not_emptied BEFORE TRUNCATE ON audit EXECUTE FUNCTION refuse_audit_change();
  CREATE TRIGGER audit_checkpoints_only_grow BEFORE UPDATE OR DELETE ON audit_checkpoints
    FOR EACH ROW EXECUTE FUNCTION refuse_audit_change();
  CREATE TRIGGER audit_checkpoints_are_not_emptied BEFORE TRUNCATE ON audit_checkpoints
    EXECUTE FUNCTION refuse_audit_change();

  CREATE FUNCTION renumber_audit_row() RETURNS trigger LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
    BEGIN
      IF current_setting('tankeeper.audit', true) IS DISTINCT FROM 'open' THEN
        NEW.id := CASE WHEN pg_current_xact_id() IS NOT NULL THEN nextval('audit_id_seq') END;
      END IF;
      RETURN NEW;
    END
  $$;
  COMMENT ON FUNCTION renumber_audit_row IS 'Rows of the version before have ids of their own.';
  CREATE TRIGGER audit_renumber BEFORE INSERT ON audit FOR EACH ROW WHEN (NEW.writer IS NOT NULL)
    EXECUTE FUNCTION renumber_audit_row();

  CREATE OR REPLACE FUNCTION add_audit_month(month timestamptz) RETURNS boolean LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
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
  $$;
`;

const DOWN = `
  DROP TRIGGER audit_only_grows ON audit;
  DROP TRIGGER audit_is_not_emptied ON audit;
  DROP TRIGGER audit_renumber ON audit;
  DROP FUNCTION renumber_audit_row();
  DROP TABLE audit_checkpoints;
  DROP FUNCTION refuse_audit_change();
  CREATE OR REPLACE FUNCTION add_audit_month(month timestamptz) RETURNS boolean LANGUAGE plpgsql SET search_path FROM CURRENT AS $$
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
  -- Rows of the newer version have no signature, and no place among the signed ones.
  UPDATE audit SET writer = 0, lane = 0, seq = id, prev_hash = '', hash = '', signature = '' WHERE writer IS NULL;
  ALTER TABLE audit
    ALTER COLUMN id DROP DEFAULT,
    ALTER COLUMN writer SET NOT NULL,
    ALTER COLUMN lane SET NOT NULL,
    ALTER COLUMN seq SET NOT NULL,
    ALTER COLUMN prev_hash SET NOT NULL,
    ALTER COLUMN hash SET NOT NULL,
    ALTER COLUMN signature SET NOT NULL;
  DROP SEQUENCE audit_id_seq;
  CREATE INDEX audit_place_idx ON audit (writer, lane, seq, id);
  COMMENT ON TABLE audit IS
    'One row for each administrative act and each decision on a response, written in its transaction and signed by its writer. The signature covers the id, so the writer gives it: its number * 2^32 + 1, 2, ... No secrets.';
  COMMENT ON TABLE audit_journal IS
    'The records that the audit trail is verified by, one signed chain: writers, keys, checkpoints, cuts. Appended to under an advisory lock: its numbers have no gaps but those that a cut names.';
`;
