import { setTimeout as sleep } from 'node:timers/promises';
import type { Act } from '../policy/caller.ts';
import type { KeyService } from '../keys/key-service.ts';
import type { Config } from '../config/config.ts';
import { systemClock, systemRandom } from '../kernel/clock.ts';
import { ServiceError } from '../kernel/errors.ts';
import { describeFault } from '../kernel/fault.ts';
import type { Log } from '../kernel/log.ts';
import { unlessAborted } from '../kernel/stop-request.ts';
import { decimalTransactionIds, hexTransactionIds } from '../challenges/challenge-factory.ts';
import { Argon2PasswordHasher } from '../security/passwords/password-hash.ts';
import { VaultAuditAuthority } from '../security/vault/vault-audit-authority.ts';
import {
  CONFIGURATION_WINDOW_MS,
  ConfigurationFollower,
} from '../storage/configuration/configuration-follower.ts';
import type { Database } from '../storage/database/database.ts';
import { SqlKeyRegistry } from '../storage/keys/key-registry.ts';
import { migrateToLatest, pendingMigrations } from '../storage/database/migrate.ts';
import { migrationNames } from '../storage/database/migration-source.ts';
import { buildServices, type ServiceMeasures, type Services } from './build-services.ts';
import { connectDatabase, type ConnectedDatabase, type OpenDatabase, type Role } from './connect-database.ts';
import { followKeys, keyService, openKeys } from './open-keys.ts';
import { openLicenceKey } from './licence-key.ts';
import { noKey, noTables } from './no-installation.ts';
import { noteMigrations, SERVER_MIGRATES } from './note-migrations.ts';

/** How long closing waits for resolvers, in milliseconds. */
const SOURCES_TIMEOUT_MS = 1_000;
/** How long after its time-out in the database a statement may still be waited for, in milliseconds. */
const ANSWER_TIMEOUT_MS = 2_000;

/** An installation that is ready for use. */
export interface Installation extends OpenDatabase {
  readonly services: Services & { readonly keys: KeyService };
}

/** What else opening an installation takes. */
interface OpeningOptions {
  readonly metrics?: ServiceMeasures | undefined;
  /** Gives opening up when it is aborted. */
  readonly giveUp?: AbortSignal | undefined;
}

/**
 * Opens database, schema and keys, and builds the services. A server makes what is missing of these, a command nothing.
 * @throws ServiceError 'database.unavailable', 'data-folder.in-use', 'configuration.invalid', 'key.unavailable',
 *   'security-module.unavailable', 'installation.missing'; the reason of `giveUp`
 */
export async function openInstallation(
  config: Config,
  role: Role,
  log: Log,
  { metrics, giveUp }: OpeningOptions = {},
): Promise<Installation> {
  const licenceSignature = openLicenceKey(config);
  const connected = await connectDatabase(config, { role, create: role === 'server', log, giveUp });
  const { database, limitStatements, close } = connected;
  const prepare = async (): Promise<Installation> => {
    const migrated = await prepareSchema(config, database, role, log);
    const keys = await openKeys(config, database, log);
    const unfollowKeys = role === 'server' ? await followKeys(database, keys, log) : undefined;
    const services = buildServices({
      database,
      vault: keys.vault,
      securityModule: keys.securityModule,
      hasher: new Argon2PasswordHasher(),
      clock: systemClock,
      random: systemRandom,
      log,
      transactionIds: config.dialect === 'linotp' ? decimalTransactionIds : hexTransactionIds,
      sessionLifetime: config.sessionLifetime,
      passwordsAtOnce: config.limits.loginsAtOnce,
      licenceSignature,
      resolverTimeout: config.resolverTimeout,
      resolverFileDirs: config.resolverFileDirs,
      challengeRetention: config.challengeRetention,
      auditRetention: config.auditRetention === 'off' ? undefined : config.auditRetention,
      metrics,
      configurationWindow: role === 'server' ? CONFIGURATION_WINDOW_MS : 0,
    });
    if (role === 'server') {
      // From its first key on, an installation has a journal: without one, its trail was emptied.
      await database.audit.open();
      await noteMigrations(database, SERVER_MIGRATES, migrated);
      // Only now: migrations may take long.
      limitStatements(config.databaseStatementTimeout * 1000 + ANSWER_TIMEOUT_MS);
    }
    giveUp?.throwIfAborted();
    const unfollow = role === 'server' ? followConfiguration(services, connected, log) : undefined;
    return {
      database,
      services: { ...services, keys: keyService(database, keys) },
      close: async () => {
        await Promise.all([unfollow?.(), unfollowKeys?.()]);
        await Promise.race([services.closeSources(), sleep(SOURCES_TIMEOUT_MS, undefined, { ref: false })]);
        await close();
      },
    };
  };
  try {
    return await unlessAborted(prepare(), giveUp);
  } catch (error) {
    await close();
    throw error;
  }
}

/** A command is over before anybody changes anything; a server stays in step. @returns what ends that */
function followConfiguration(
  services: Services,
  { options }: ConnectedDatabase,
  log: Log,
): () => Promise<void> {
  const database = { ...options, applicationName: 'tankeeper listener' };
  const follower = new ConfigurationFollower({ kept: services.configuration, database, log });
  follower.start();
  return () => follower.stop();
}

/**
 * Brings the schema up to date, also of a database that a server works on. Makes an embedded installation where there is none.
 * @param act for the audit, which has its row where there are keys here to sign it; migrating needs none
 * @param giveUp gives it up when it is aborted
 * @returns the names of the migrations that were applied now, in order
 * @throws ServiceError; the reason of `giveUp`
 */
export async function migrate(
  config: Config,
  log: Log,
  act: Act,
  giveUp?: AbortSignal,
): Promise<readonly string[]> {
  const { database, close } = await connectDatabase(config, { role: 'guest', create: true, log, giveUp });
  try {
    return await unlessAborted(migrateDatabase(config, database, log, act), giveUp);
  } finally {
    await close();
  }
}

async function migrateDatabase(
  config: Config,
  database: Database,
  log: Log,
  act: Act,
): Promise<readonly string[]> {
  const applied = await migrateToLatest(database);
  const hasKeys = await hasRegisteredKeys(database);
  if (!hasKeys && config.databaseUrl === undefined) {
    // Commands may come before the first server. Elsewhere that server makes the key: one made here it might not have.
    const { vault } = await openKeys(config, database, log);
    database.audit.certifyBy(new VaultAuditAuthority({ vault }));
    await database.audit.open();
  } else if (hasKeys && applied.length > 0) {
    await signedNote(config, database, log, act, applied);
  }
  return applied;
}

async function hasRegisteredKeys(database: Database): Promise<boolean> {
  return (await new SqlKeyRegistry({ database }).registered()).length > 0;
}

async function signedNote(
  config: Config,
  database: Database,
  log: Log,
  act: Act,
  applied: readonly string[],
): Promise<void> {
  try {
    const { vault } = await openKeys(config, database, log);
    database.audit.certifyBy(new VaultAuditAuthority({ vault }));
  } catch (error) {
    log.warn('The audit has no row of these migrations: the keys that sign it cannot be opened here', {
      component: 'audit',
      ...describeFault(error),
    });
    return;
  }
  await noteMigrations(database, act, applied);
}

/**
 * A server brings the schema up to date; a command changes nothing of it.
 * @returns the names of the migrations that were applied now, in order
 * @throws ServiceError 'installation.missing', 'configuration.invalid' for a command whose database is not ready for it
 */
async function prepareSchema(
  config: Config,
  database: Database,
  role: Role,
  log: Log,
): Promise<readonly string[]> {
  const pending = await pendingMigrations(database);
  if (role === 'guest') {
    await assertReady(config, database, pending);
  } else if (pending.length > 0) {
    const applied = await migrateToLatest(database);
    log.info(`Brought the database schema up to date: ${applied.length} migrations`);
    return applied;
  }
  return [];
}

async function assertReady(config: Config, database: Database, pending: readonly string[]): Promise<void> {
  if (pending.length === migrationNames.length) {
    throw noTables(config);
  }
  if (pending.length > 0) {
    throw new ServiceError(
      'configuration.invalid',
      'the database is older than this program: run `tankeeper migrate`, or start the server, which does so itself',
    );
  }
  if (!(await hasRegisteredKeys(database))) {
    throw noKey(config);
  }
}
