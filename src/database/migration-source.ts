import type { Knex } from 'knex';

import { packageVersion } from '../kernel/package-version.ts';
import { migrationChecksums } from './migration-checksums.ts';
import * as baseline from './migrations/001-baseline.ts';

/**
 * All migrations, in the order in which they are applied. Their names carry no file ending: sources and build name them
 * the same. Append only: none that landed is edited. `npm run schema` writes their checksums.
 */
export const MIGRATIONS: readonly (readonly [name: string, migration: Knex.Migration])[] = [
  ['001-baseline', baseline],
];

/** The names of all migrations, in order. */
export const migrationNames: readonly string[] = MIGRATIONS.map(([name]) => name);

/** The migrations for Knex, whose `migrate:list` prints the field `file`. */
export const migrationSource = migrationSourceOf(migrationNames);

/** @returns the named migrations for Knex */
export function migrationSourceOf(names: readonly string[]): Knex.MigrationSource<{ readonly file: string }> {
  return {
    getMigrations: () => Promise.resolve(names.map((file) => ({ file }))),
    getMigrationName: ({ file }) => file,
    getMigration: ({ file }) => {
      const found = MIGRATIONS.find(([name]) => name === file);
      return found === undefined
        ? Promise.reject(new Error(`No migration is called ${file}`))
        : Promise.resolve(recorded(...found));
    },
  };
}

/** @returns the migration, which notes as it is applied its checksum and the version of the program */
function recorded(name: string, migration: Knex.Migration): Knex.Migration {
  const isFirst = name === migrationNames[0];
  return {
    ...migration,
    up: async (knex) => {
      await migration.up(knex);
      if (isFirst) {
        await knex.raw(RECORDS);
      }
      const row = { name, checksum: migrationChecksums[name] ?? '', version: packageVersion() };
      await knex('knex_migration_checksums').insert(row);
    },
    down: () =>
      Promise.reject(new Error('No migration is taken back: restore a backup that was made before it')),
  };
}

const RECORDS = `
  CREATE TABLE knex_migration_checksums (
    name text COLLATE "C" NOT NULL CONSTRAINT knex_migration_checksums_pkey PRIMARY KEY,
    checksum text NOT NULL,
    version text NOT NULL
  );
  COMMENT ON TABLE knex_migration_checksums IS
    'For each migration the SHA-256 of its statements, and the version of tankeeper that applied it.'`;
