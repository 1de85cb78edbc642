import { createRequire } from 'node:module';
import { cpus } from 'node:os';
import type pg from 'pg';

const SETTINGS = ['fsync', 'synchronous_commit', 'shared_buffers', 'max_connections'];
const LIBRARIES = ['express', 'pg', 'undici'];

/**
 * @param client on the database that is measured
 * @returns the conditions of the figures besides the code, as a line of markdown
 */
export async function machineLine(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ pair: string }>(
    "SELECT name || ' ' || current_setting(name) AS pair FROM unnest($1::text[]) AS name",
    [SETTINGS],
  );
  const pairs = [
    ...rows.map(({ pair }) => pair),
    ...LIBRARIES.map((name) => `${name} ${installedVersion(name)}`),
  ];
  return `PostgreSQL, servers and load client on one ${cpus()[0]?.model.trim() ?? 'unknown'}: ${pairs.join(', ')}.`;
}

function installedVersion(library: string): string {
  return (createRequire(import.meta.url)(`${library}/package.json`) as { version: string }).version;
}
