import type { TestDatabase } from '../../../support/database/test-database.ts';

/** Columns that requests change which do nothing: a write of a token is another version, and a session lives on. */
const PASSING: Readonly<Record<string, string>> = {
  tokens: '{version,revision,changed_by}',
  user_sessions: '{expires_at}',
};

/** Runs a statement on the database that is looked at. @returns its rows */
type Rows = TestDatabase['rows'];

/**
 * @param passing columns by table that do not count
 * @returns a query for a hash of all that is stored, but for the audit itself, what limits count, and what was seen of the
 *   clock
 */
export async function hashOfAllTables(rows: Rows, passing = PASSING): Promise<string> {
  const tables = await rows<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace
       AND relname !~ '^(audit|rate_limits|clock_state)' ORDER BY relname`,
  );
  const hashes = tables.map(({ name }) => {
    const columns = passing[name];
    const row = columns === undefined ? name : `(to_jsonb(${name}) - '${columns}'::text[])`;
    return `(SELECT sum(hashtextextended(${row}::text, 0)) FROM ${name})`;
  });
  return `SELECT concat_ws(' ', ${hashes.join(', ')}) AS hash`;
}

const prepared = new WeakSet<Rows>();

/** While it runs, no audit row can be stored. */
export async function withoutAudit(rows: Rows, work: () => Promise<void>): Promise<void> {
  if (!prepared.has(rows)) {
    prepared.add(rows);
    // It stays: a trigger that came and went each time would make every connection plan its statements anew.
    await rows(
      `CREATE TABLE audit_refusals (yes boolean);
       CREATE FUNCTION no_audit() RETURNS trigger LANGUAGE plpgsql AS $$
       BEGIN IF EXISTS (SELECT FROM audit_refusals) THEN RAISE EXCEPTION 'no audit'; END IF; RETURN NEW; END $$;
       CREATE TRIGGER no_audit BEFORE INSERT ON audit FOR EACH ROW EXECUTE FUNCTION no_audit()`,
    );
  }
  await rows('INSERT INTO audit_refusals VALUES (true)');
  try {
    await work();
  } finally {
    await rows('DELETE FROM audit_refusals');
  }
}
