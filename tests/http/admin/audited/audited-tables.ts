import type pg from 'pg';

/** Columns that requests change which do nothing: a write of a token is another version, and a session lives on. */
const PASSING: Readonly<Record<string, string>> = {
  tokens: '{version,revision,changed_by}',
  user_sessions: '{expires_at}',
};

export type Observer = Pick<pg.Client, 'query'>;

/** @returns a query for a hash of all that is stored, but for the audit itself, what limits count, and what was seen of the clock */
export async function hashOfAllTables(observer: Observer): Promise<string> {
  const { rows } = await observer.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace
       AND relname !~ '^(audit|rate_limits|clock_state)' ORDER BY relname`,
  );
  const hashes = rows.map(
    ({ name }) => `(SELECT md5(string_agg(t.text, '|' ORDER BY t.text))
      FROM (SELECT (to_jsonb(${name}) - '${PASSING[name] ?? '{}'}'::text[])::text AS text FROM ${name}) AS t)`,
  );
  return `SELECT concat_ws(' ', ${hashes.join(', ')}) AS hash`;
}

/** While it runs, no audit row can be stored. */
export async function withoutAudit(observer: Observer, work: () => Promise<void>): Promise<void> {
  await observer.query(
    `CREATE FUNCTION no_audit() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'no audit'; END $$`,
  );
  await observer.query(
    'CREATE TRIGGER no_audit BEFORE INSERT ON audit FOR EACH ROW EXECUTE FUNCTION no_audit()',
  );
  try {
    await work();
  } finally {
    await observer.query('DROP FUNCTION no_audit() CASCADE');
  }
}
