import { createRequire } from 'node:module';
import { cpus } from 'node:os';
import type pg from 'pg';

/** The conditions of the figures besides the code. */
export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly node: string;
  readonly postgres: string;
  /** Settings of PostgreSQL by name. */
  readonly settings: Readonly<Record<string, string>>;
  readonly libraries: Readonly<Record<string, string>>;
}

const SETTINGS = ['fsync', 'synchronous_commit', 'shared_buffers', 'max_connections'];
const LIBRARIES = ['express', 'pg', 'undici'];

/** @param client on the database that is measured */
export async function describeMachine(client: pg.Client): Promise<Machine> {
  const { rows } = await client.query<{ name: string; setting: string }>(
    'SELECT name, current_setting(name) AS setting FROM pg_settings WHERE name = ANY ($1)',
    [['server_version', ...SETTINGS]],
  );
  const settingOf = (name: string): string => rows.find((row) => row.name === name)?.setting ?? '';
  return {
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: cpus().length,
    node: process.versions.node,
    postgres: settingOf('server_version').replace(/ .*/, ''),
    settings: Object.fromEntries(SETTINGS.map((name) => [name, settingOf(name)])),
    libraries: Object.fromEntries(LIBRARIES.map((name) => [name, installedVersion(name)])),
  };
}

/** @returns one line of markdown */
export function machineLine({ cpu, settings, libraries }: Machine): string {
  const pairs = (record: Readonly<Record<string, string>>): string =>
    Object.entries(record)
      .map(([name, value]) => `${name} ${value}`)
      .join(', ');
  return `PostgreSQL, servers and load client on one ${cpu}: ${pairs(settings)}, ${pairs(libraries)}.`;
}

function installedVersion(library: string): string {
  return (createRequire(import.meta.url)(`${library}/package.json`) as { version: string }).version;
}
