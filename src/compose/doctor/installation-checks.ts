import type { Config } from '../../config/config.ts';
import type { Configuration } from '../../configuration/configuration.ts';
import { checkAudit } from '../../doctor/audit-check.ts';
import { checkBackups } from '../../doctor/backup-check.ts';
import { checkClock, checkJump } from '../../doctor/clock-check.ts';
import { checkConnections } from '../../doctor/connection-check.ts';
import { checkCounts } from '../../doctor/count-check.ts';
import type { Finding } from '../../doctor/finding.ts';
import { checkKeyAges } from '../../doctor/key-check.ts';
import { checkPolicies } from '../../doctor/policy-check.ts';
import { checkRealms } from '../../doctor/realm-check.ts';
import { checkResolvers } from '../../doctor/resolver-check.ts';
import { checkSettings } from '../../doctor/setting-check.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Log } from '../../kernel/log.ts';
import { systemRandom } from '../../kernel/system-random.ts';
import { Argon2PasswordHasher } from '../../security/passwords/password-hash.ts';
import { buildServices } from '../../services.ts';
import { VaultAuditAuthority } from '../../security/vault/vault-audit-authority.ts';
import type { Database } from '../../database/database.ts';
import { readConfiguration } from '../../configuration/configuration-store.ts';
import { AuditStore } from '../../audit/audit-store.ts';
import { readDatabaseTime } from '../../database/database-clock.ts';
import { InstallationStore } from '../../doctor/installation-store.ts';
import type { OpenedKeys } from '../open-keys.ts';

/** The subject of checks that need the database. */
export interface ExaminedDatabase {
  readonly config: Config;
  readonly database: Database;
  /** The clock of the service. */
  readonly clock: Clock;
  readonly machineClock: Clock;
  readonly log: Log;
  /** Milliseconds for each check. */
  readonly timeoutMs: number;
}

/** The subject of checks that need the encryption keys, too. */
export interface ExaminedInstallation extends ExaminedDatabase {
  readonly keys: OpenedKeys;
}

/** Checks by their names, in the order in which they run. */
export type CheckTable<Subject> = Readonly<
  Record<string, (subject: Subject) => Promise<readonly Finding[]> | readonly Finding[]>
>;

/** The share of a check's time that its parts may take, so that the check itself can tell which part was late. */
const PART = 0.8;

async function timeOf({ knex }: ExaminedDatabase['database']): Promise<Date> {
  return new Date(Number(await readDatabaseTime(knex)) / 1_000);
}

/** Checks of any database. */
export const DATABASE_CHECKS: CheckTable<ExaminedDatabase> = {
  clock: ({ machineClock, database }) => checkClock(machineClock, () => timeOf(database)),
};

/** Checks of a database with the tables of this program. */
export const TABLE_CHECKS: CheckTable<ExaminedDatabase> = {
  jump: async ({ config, database }) =>
    checkJump(
      await new InstallationStore({ database }).clockState(),
      await timeOf(database),
      config.auditRetention !== 'off',
    ),
  connections: async ({ config, database }) =>
    checkConnections(config.databasePoolSize, await new InstallationStore({ database }).connections()),
  rotation: async ({ database, clock }) =>
    checkKeyAges(await new InstallationStore({ database }).keyAges(), clock.now()),
  realms: async (subject) =>
    checkRealms(
      await configurationOf(subject),
      await new InstallationStore(subject).realmsOfQrTokens(),
      subject.clock.now(),
    ),
  policies: async (subject) => checkPolicies(await configurationOf(subject)),
  settings: async (subject) => checkSettings(await configurationOf(subject)),
  counters: ({ database }) => checkCounts(() => new InstallationStore({ database }).driftedCounts()),
  backup: async ({ database, clock }) =>
    checkBackups(await new InstallationStore({ database }).backups(), clock.now()),
};

/** Checks that need the encryption keys. */
export const KEY_CHECKS: CheckTable<ExaminedInstallation> = {
  resolvers: examineResolvers,
  audit: ({ database, keys: { vault }, clock, timeoutMs }) =>
    checkAudit({
      store: new AuditStore({ database }),
      authority: new VaultAuditAuthority({ vault }),
      trail: () => new InstallationStore({ database }).trail(),
      clock,
      elapsed: () => performance.now(),
      timeoutMs: timeoutMs * PART,
    }),
};

function configurationOf({ database, clock }: ExaminedDatabase): Promise<Configuration> {
  return readConfiguration(database.knex, clock.now());
}

/** Tests resolvers as `tankeeper resolver test` does. */
async function examineResolvers(subject: ExaminedInstallation): Promise<readonly Finding[]> {
  const { config, timeoutMs } = subject;
  const { resolvers, configuration, closeSources } = buildServices({
    ...subject,
    random: systemRandom,
    hasher: new Argon2PasswordHasher(),
    sessionLifetime: config.sessionLifetime,
    resolverTimeout: config.resolverTimeout,
    resolverFileDirs: config.resolverFileDirs,
  });
  try {
    return await checkResolvers(await configuration.current(), {
      test: (name) => resolvers.test(name),
      timeoutMs: timeoutMs * PART,
    });
  } finally {
    await closeSources();
  }
}
