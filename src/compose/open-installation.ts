import { setTimeout as sleep } from 'node:timers/promises';
import type { Act } from '../accounts/caller.ts';
import type { KeyService } from '../accounts/key-service.ts';
import type { Config } from '../config/config.ts';
import { systemClock, systemRandom } from '../kernel/clock.ts';
import { ServiceError } from '../kernel/errors.ts';
import { describeFault } from '../kernel/fault.ts';
import type { Log } from '../kernel/log.ts';
import { decimalTransactionIds, hexTransactionIds } from '../ocra/challenge-factory.ts';
import { Argon2PasswordHasher } from '../security/password-hash.ts';
import { VaultAuditAuthority } from '../security/vault-audit-authority.ts';
import { CONFIGURATION_WINDOW_MS, ConfigurationFollower } from '../storage/configuration-follower.ts';
import { ConnectionGate } from '../storage/connection-gate.ts';
import { type Database, type DatabaseOptions, openDatabase } from '../storage/database.ts';
import { describeDatabaseFault } from '../storage/database-faults.ts';
import { DatabaseWatch } from '../storage/database-watch.ts';
import { openEmbeddedPostgres } from '../storage/embedded-postgres.ts';
import { SqlKeyRegistry } from '../storage/key-registry.ts';
import { migrateToLatest, pendingMigrations } from '../storage/migrate.ts';
import { migrationNames } from '../storage/migration-source.ts';
import { buildServices, type ServiceMeasures, type Services } from './build-services.ts';
import { followKeys, keyService, openKeys } from './open-keys.ts';
import { openLicenceKey } from './licence-key.ts';
import { noteMigrations, SERVER_MIGRATES } from './note-migrations.ts';

/** How long closing waits for statements that still run, in milliseconds. */
const POOL_PATIENCE = 1_000;
/** How long after its time-out in the database a statement may still be waited for, in milliseconds. */
const ANSWER_PATIENCE = 2_000;

/** `server` for the one server of a data folder, `guest` for commands, also while a server runs. */
type Role = 'server' | 'guest';

/** An open database, and how to leave it. */
interface OpenDatabase {
  readonly database: Database;
  readonly close: () => Promise<void>;
}

/** An open database that further connections can be made to. */
interface ConnectedDatabase extends OpenDatabase {
  readonly options: DatabaseOptions;
  readonly limitStatements: (milliseconds: number) => void;
}

/** An installation that is ready for use. */
export interface Installation extends OpenDatabase {
  readonly services: Services & { readonly keys: KeyService };
}

/**
 * Opens the database: that of DATABASE_URL, else the embedded one in the data folder, which is started or joined.
 * @throws ServiceError 'database.unavailable', 'data-folder.in-use'
 */
async function connect(config: Config, role: Role, log: Log): Promise<ConnectedDatabase> {
  const url = config.databaseUrl;
  const embedded =
    url === undefined ? await openEmbeddedPostgres({ dataDir: config.dataDir, log, role }) : undefined;
  const options: DatabaseOptions = {
    connection: embedded?.connection ?? url ?? '',
    statementTimeoutMs: config.databaseStatementTimeout * 1000,
    // Commands may wait for locks as long as the operator does.
    ...(role === 'server'
      ? { poolSize: config.databasePoolSize, lockTimeoutMs: config.databaseLockTimeout * 1000 }
      : { poolSize: 4 }),
    applicationName: `tankeeper ${role}`,
    log,
  };
  const gate = new ConnectionGate();
  const database = openDatabase({ ...options, gate });
  const watch = role === 'server' ? watchDatabase(options, gate, log) : undefined;
  const close = async (): Promise<void> => {
    await watch?.stop();
    // A statement that hangs must not keep the process: stopping the embedded database ends it.
    await Promise.race([database.close(), sleep(POOL_PATIENCE, undefined, { ref: false })]);
    await embedded?.close();
  };
  try {
    await database.ready();
    watch?.start();
  } catch (error) {
    await close();
    throw url === undefined
      ? error
      : new ServiceError('database.unavailable', describeDatabaseFault(error, url), { cause: error });
  }
  const limitStatements = (milliseconds: number): void => {
    gate.limitStatements(milliseconds);
  };
  return { database, options, limitStatements, close };
}

/** A command is over soon, one way or the other; a server has to know at any time whether the database is there. */
function watchDatabase(options: DatabaseOptions, gate: ConnectionGate, log: Log): DatabaseWatch {
  const database = { ...options, applicationName: 'tankeeper watch' };
  return new DatabaseWatch({ database, gate, log });
}

/**
 * Opens database, schema and keys, and builds the services.
 * @throws ServiceError 'database.unavailable', 'data-folder.in-use', 'configuration.invalid', 'key.unavailable',
 *   'security-module.unavailable'
 */
export async function openInstallation(
  config: Config,
  role: Role,
  log: Log,
  metrics?: ServiceMeasures,
): Promise<Installation> {
  const licenceSignature = openLicenceKey(config);
  const { database, options, limitStatements, close } = await connect(config, role, log);
  try {
    const migrated = await prepareSchema(database, role, log);
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
      challengeRetention: config.challengeRetention,
      auditRetention: config.auditRetention === 'off' ? undefined : config.auditRetention,
      metrics,
      configurationWindow: role === 'server' ? CONFIGURATION_WINDOW_MS : 0,
    });
    if (role === 'server') {
      await database.audit.open();
      await noteMigrations(database, SERVER_MIGRATES, migrated);
      // Only now: migrations may take long.
      limitStatements(config.databaseStatementTimeout * 1000 + ANSWER_PATIENCE);
    }
    const unfollow = role === 'server' ? followConfiguration(services, options, log) : undefined;
    return {
      database,
      services: { ...services, keys: keyService(database, keys) },
      close: async () => {
        await Promise.all([unfollow?.(), unfollowKeys?.()]);
        await Promise.race([services.closeSources(), sleep(POOL_PATIENCE, undefined, { ref: false })]);
        await close();
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** A command is over before anybody changes anything; a server stays in step. @returns what ends that */
function followConfiguration(services: Services, options: DatabaseOptions, log: Log): () => Promise<void> {
  const database = { ...options, applicationName: 'tankeeper listener' };
  const follower = new ConfigurationFollower({ kept: services.setup, database, log });
  follower.start();
  return () => follower.stop();
}

/**
 * Brings the schema up to date, also of a database that a server works on.
 * @param act for the audit, which has its row where there are keys here to sign it; migrating needs none
 * @returns the names of the migrations that were applied now, in order
 */
export async function migrate(config: Config, log: Log, act: Act): Promise<readonly string[]> {
  const { database, close } = await connect(config, 'guest', log);
  try {
    const applied = await migrateToLatest(database);
    // Never the first to open a new database's keys: with no key file here, one would be made that no server has.
    if (applied.length > 0 && (await new SqlKeyRegistry({ database }).registered()).length > 0) {
      await signedNote(config, database, log, act, applied);
    }
    return applied;
  } finally {
    await close();
  }
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
 * A server brings the schema up to date; a command only makes a new one, never changes one that a server works on.
 * @returns the names of the migrations that were applied now, in order
 */
async function prepareSchema(database: Database, role: Role, log: Log): Promise<readonly string[]> {
  const pending = await pendingMigrations(database);
  if (role === 'guest' && pending.length > 0 && pending.length < migrationNames.length) {
    throw new ServiceError(
      'configuration.invalid',
      'the database is older than this program: run `tankeeper migrate`, or start the server, which does so itself',
    );
  }
  if (pending.length === 0) {
    return [];
  }
  const applied = await migrateToLatest(database);
  log.info(`Brought the database schema up to date: ${applied.length} migrations`);
  return applied;
}
