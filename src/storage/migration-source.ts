import type { Knex } from 'knex';

import * as realms from './migrations/20261120-01-realms.ts';
import * as users from './migrations/20261120-02-users.ts';
import * as tokens from './migrations/20261120-03-tokens.ts';
import * as configuration from './migrations/20261120-04-configuration.ts';
import * as administrators from './migrations/20261120-05-administrators.ts';
import * as audit from './migrations/20261120-06-audit.ts';
import * as tokenSynchronisation from './migrations/20261120-07-token-synchronisation.ts';
import * as counts from './migrations/20261121-01-counts.ts';
import * as resolverKinds from './migrations/20261121-02-resolver-kinds.ts';
import * as licence from './migrations/20261121-03-licence.ts';
import * as configurationNotice from './migrations/20261121-04-configuration-notice.ts';
import * as wrappedKeys from './migrations/20261121-05-wrapped-keys.ts';
import * as resolverUserCounts from './migrations/20261121-06-resolver-user-counts.ts';
import * as countFunctions from './migrations/20261121-07-count-functions.ts';
import * as countPlans from './migrations/20261121-08-count-plans.ts';
import * as realmSetChanges from './migrations/20261121-09-realm-set-changes.ts';
import * as auditChain from './migrations/20261121-10-audit-chain.ts';
import * as rateLimits from './migrations/20261121-11-rate-limits.ts';
import * as housekeeping from './migrations/20261121-12-housekeeping.ts';
import * as keyRotation from './migrations/20261121-13-key-rotation.ts';
import * as boundedResolvers from './migrations/20261122-01-bounded-resolvers.ts';

/**
 * All migrations, in the order in which they are applied. Their names carry no file ending, so that a database migrated
 * by the sources and one migrated by the build are the same to both. Append only: a released one never changes.
 */
const MIGRATIONS: readonly (readonly [name: string, migration: Knex.Migration])[] = [
  ['20261120-01-realms', realms],
  ['20261120-02-users', users],
  ['20261120-03-tokens', tokens],
  ['20261120-04-configuration', configuration],
  ['20261120-05-administrators', administrators],
  ['20261120-06-audit', audit],
  ['20261120-07-token-synchronisation', tokenSynchronisation],
  ['20261121-01-counts', counts],
  ['20261121-02-resolver-kinds', resolverKinds],
  ['20261121-03-licence', licence],
  ['20261121-04-configuration-notice', configurationNotice],
  ['20261121-05-wrapped-keys', wrappedKeys],
  ['20261121-06-resolver-user-counts', resolverUserCounts],
  ['20261121-07-count-functions', countFunctions],
  ['20261121-08-count-plans', countPlans],
  ['20261121-09-realm-set-changes', realmSetChanges],
  ['20261121-10-audit-chain', auditChain],
  ['20261121-11-rate-limits', rateLimits],
  ['20261121-12-housekeeping', housekeeping],
  ['20261121-13-key-rotation', keyRotation],
  ['20261122-01-bounded-resolvers', boundedResolvers],
];

/** The names of all migrations, in order. */
export const migrationNames: readonly string[] = MIGRATIONS.map(([name]) => name);

/** The migrations for Knex, whose `migrate:list` prints the field `file`. */
export const migrationSource: Knex.MigrationSource<{ readonly file: string }> = {
  getMigrations: () => Promise.resolve(migrationNames.map((file) => ({ file }))),
  getMigrationName: ({ file }) => file,
  getMigration: ({ file }) => {
    const found = MIGRATIONS.find(([name]) => name === file);
    return found === undefined
      ? Promise.reject(new Error(`No migration is called ${file}`))
      : Promise.resolve(found[1]);
  },
};
