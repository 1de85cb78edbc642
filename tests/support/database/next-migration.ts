import type { Knex } from 'knex';
import { migrationChecksums } from '../../../src/database/migration-checksums.ts';
import { MIGRATIONS, migrationNames } from '../../../src/database/migration-source.ts';

/** The name of a migration that the next version may have. */
export const NEXT = '999-next';

const next: Knex.Migration = {
  up: (knex) => knex.raw('ALTER TABLE tokens ADD COLUMN IF NOT EXISTS of_next_version text'),
};

/** Makes the program of this process the next version. @returns what makes it this one again */
export function becomeNextVersion(): () => void {
  const migrations = MIGRATIONS as (readonly [string, Knex.Migration])[];
  const names = migrationNames as string[];
  const checksums = migrationChecksums as Record<string, string>;
  migrations.push([NEXT, next]);
  names.push(NEXT);
  checksums[NEXT] = 'f00d';
  return () => {
    migrations.pop();
    names.pop();
    Reflect.deleteProperty(checksums, NEXT);
  };
}
