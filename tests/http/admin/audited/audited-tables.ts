import type pg from 'pg';

/** Columns that requests change which do nothing: a write of a token is another version, and a session lives on. */
const PASSING: Readonly<Record<string, string>> = {
  tokens: '{version,revision,changed_by}',
  user_sessions: '{expires_at}',
};

export type Observer = Pick<pg.Client, 'query'>;

/**
 * @param passing columns by table that do not count
 * @returns a query for a hash of all that is stored, but for the audit itself, what limits count, and what was seen of the
 *   clock
 */
export async function hashOfAllTables(observer: Observer, passing = PASSING): Promise<string> {
  const { rows } = await observer.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace
       AND relname !~ '^(audit|rate_limits|clock_state)' ORDER BY relname`,
  );
  const hashes = rows.map(
    ({ name }) => `(SELECT md5(string_agg(t.text, '|' ORDER BY t.text))
      FROM (SELECT (to_jsonb(${name}) - '${passing[name] ?? '{}'}'::text[])::text AS text FROM ${name}) AS t)`,
  );
  return `SELECT concat_ws(' ', ${hashes.join(', ')}) AS hash`;
}

const prepared = new WeakSet<Observer>();

/** While it runs, no audit row can be stored. */
export async function withoutAudit(observer: Observer, work: () => Promise<void>): Promise<void> {
  if (!prepared.has(observer)) {
    prepared.add(observer);
    // It stays: a trigger that came and went each time would make every connection plan its statements anew.
    await observer.query(
      `CREATE TABLE audit_refusals (yes boolean);
       CREATE FUNCTION no_audit() RETURNS trigger LANGUAGE plpgsql AS $$
       BEGIN IF EXISTS (SELECT FROM audit_refusals) THEN RAISE EXCEPTION 'no audit'; END IF; RETURN NEW; END $$;
       CREATE TRIGGER no_audit BEFORE INSERT ON audit FOR EACH ROW EXECUTE FUNCTION no_audit()`,
    );
  }
  await observer.query('INSERT INTO audit_refusals VALUES (true)');
  try {
    await work();
  } finally {
    await observer.query('DELETE FROM audit_refusals');
  }
}
