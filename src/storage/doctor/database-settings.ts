import type { Knex } from 'knex';

import type { DatabaseFacts } from '../../doctor/ports.ts';

/** The settings that are examined. */
const SETTINGS = [
  'autovacuum',
  'fsync',
  'full_page_writes',
  'idle_in_transaction_session_timeout',
  'server_encoding',
  'statement_timeout',
  'track_counts',
];
/** Those of sessions from another machine, or through TCP: on a socket of the machine they are always 0. */
const TCP_SETTINGS = ['tcp_keepalives_idle', 'tcp_user_timeout'];

/** @returns the version and the settings of the database */
export async function readDatabaseFacts(connection: Knex): Promise<DatabaseFacts> {
  const { rows } = await connection.raw<{
    rows: { version: number; read_only: boolean; settings: Readonly<Record<string, string>> }[];
  }>(
    `SELECT current_setting('server_version_num')::integer AS version,
       pg_is_in_recovery() OR current_setting('transaction_read_only')::boolean AS read_only,
       (SELECT json_object_agg(name, current_setting(name, true)) FROM unnest(?::text[] || CASE WHEN inet_client_addr() IS NULL THEN '{}' ELSE ?::text[] END) AS name) AS settings`,
    [SETTINGS, TCP_SETTINGS],
  );
  const [row] = rows;
  return {
    version: row?.version ?? 0,
    settings: new Map(Object.entries(row?.settings ?? {})),
    isReadOnly: row?.read_only === true,
  };
}
