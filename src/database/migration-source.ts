import type { Knex } from 'knex';

import { packageVersion } from '../kernel/package-version.ts';
import { migrationChecksums } from './migration-checksums.ts';
import * as realmsAndUsers from './migrations/001-realms-and-users.ts';
import * as tokensAndChallenges from './migrations/002-tokens-and-challenges.ts';
import * as configuration from './migrations/003-configuration.ts';
import * as administrators from './migrations/004-administrators.ts';
import * as encryptionKeys from './migrations/005-encryption-keys.ts';
import * as audit from './migrations/006-audit.ts';
import * as counts from './migrations/007-counts.ts';
import * as rateLimits from './migrations/008-rate-limits.ts';
import * as linotpImport from './migrations/009-linotp-import.ts';
import * as webhooks from './migrations/010-webhooks.ts';
import * as observations from './migrations/011-observations.ts';
import * as questions from './migrations/012-questions.ts';
import * as oneClock from './migrations/013-one-clock.ts';
import * as usedSignOns from './migrations/014-used-sign-ons.ts';
import * as tokenUse from './migrations/015-token-use.ts';
import * as declines from './migrations/016-declines.ts';
import * as selfService from './migrations/017-self-service.ts';
import * as phoneNumbers from './migrations/018-phone-numbers.ts';
import * as boundSecondFactors from './migrations/020-bound-second-factors.ts';
import * as selfEnrolled from './migrations/021-self-enrolled.ts';
import * as challengeEnds from './migrations/022-challenge-ends.ts';
import * as wordsOfNames from './migrations/023-words-of-names.ts';
import * as unwatchedChallenges from './migrations/024-unwatched-challenges.ts';
import * as plainCredentialNotices from './migrations/025-plain-credential-notices.ts';
import * as auditCheckpoints from './migrations/026-audit-checkpoints.ts';
import * as timeWindows from './migrations/027-time-windows.ts';
import * as hashedTexts from './migrations/028-hashed-texts.ts';

/**
 * All migrations, in the order in which they are applied. Their names carry no file ending: sources and build name them
 * the same. Append only: none that landed is edited. `npm run schema` writes their checksums.
 */
export const MIGRATIONS: readonly (readonly [name: string, migration: Knex.Migration])[] = [
  ['001-realms-and-users', realmsAndUsers],
  ['002-tokens-and-challenges', tokensAndChallenges],
  ['003-configuration', configuration],
  ['004-administrators', administrators],
  ['005-encryption-keys', encryptionKeys],
  ['006-audit', audit],
  ['007-counts', counts],
  ['008-rate-limits', rateLimits],
  ['009-linotp-import', linotpImport],
  ['010-webhooks', webhooks],
  ['011-observations', observations],
  ['012-questions', questions],
  ['013-one-clock', oneClock],
  ['014-used-sign-ons', usedSignOns],
  ['015-token-use', tokenUse],
  ['016-declines', declines],
  ['017-self-service', selfService],
  ['018-phone-numbers', phoneNumbers],
  ['020-bound-second-factors', boundSecondFactors],
  ['021-self-enrolled', selfEnrolled],
  ['022-challenge-ends', challengeEnds],
  ['023-words-of-names', wordsOfNames],
  ['024-unwatched-challenges', unwatchedChallenges],
  ['025-plain-credential-notices', plainCredentialNotices],
  ['026-audit-checkpoints', auditCheckpoints],
  ['027-time-windows', timeWindows],
  ['028-hashed-texts', hashedTexts],
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
    down: async (knex) => {
      await migration.down?.(knex);
      await (isFirst
        ? knex.raw('DROP TABLE knex_migration_checksums')
        : knex('knex_migration_checksums').where({ name }).delete());
    },
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
