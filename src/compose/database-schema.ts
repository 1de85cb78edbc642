import type { Config } from '../config/config.ts';
import { ServiceError } from '../kernel/errors.ts';
import { describeFault } from '../kernel/fault.ts';
import type { Log } from '../kernel/log.ts';
import { unlessAborted } from '../kernel/stop-request.ts';
import type { Act } from '../policy/caller.ts';
import { VaultAuditAuthority } from '../keys/vault-audit-authority.ts';
import type { Database } from '../database/database.ts';
import { DatabaseClock } from '../database/database-clock.ts';
import { migrateToLatest, pendingMigrations } from '../database/migrate.ts';
import { migrationNames } from '../database/migration-source.ts';
import { KeyRegistryStore } from '../keys/key-registry-store.ts';
import { connectDatabase, type Role } from './connect-database.ts';
import { noKey, noTables } from './no-installation.ts';
import { openKeys } from '../keys/open-keys.ts';

/** The act of a server that brings the schema up to date when it starts. */
export const SERVER_MIGRATES: Act = { actor: 'server', action: 'migrate', client: '', requestId: '' };

/**
 * Brings the schema up to date, also of a database that a server uses. Creates a missing embedded installation.
 * @param act for the audit row, which is written if the keys to sign it are available; migrating needs no keys
 * @param giveUp aborts the work
 * @returns the names of the migrations that were applied, in order
 * @throws ServiceError; the reason of `giveUp`
 */
export async function migrate(
  config: Config,
  log: Log,
  act: Act,
  giveUp?: AbortSignal,
): Promise<readonly string[]> {
  const opening = { role: 'guest', create: true, log, clock: new DatabaseClock(), giveUp } as const;
  const { database, close } = await connectDatabase(config, opening);
  try {
    return await unlessAborted(migrateDatabase(config, database, log, act, giveUp), giveUp);
  } finally {
    await close();
  }
}

async function migrateDatabase(
  config: Config,
  database: Database,
  log: Log,
  act: Act,
  giveUp?: AbortSignal,
): Promise<readonly string[]> {
  const applied = await migrateToLatest(database, log, giveUp);
  const hasKeys = await hasRegisteredKeys(database);
  if (!hasKeys && config.databaseUrl === undefined) {
    // With DATABASE_URL, only the server makes the key: it may run on another machine, without access to a key made
    // here.
    const { vault } = await openKeys(config, new KeyRegistryStore({ database }), log);
    database.audit.certifyBy(new VaultAuditAuthority({ vault }));
    await database.audit.open();
  } else if (hasKeys && applied.length > 0) {
    await signedNote(config, database, log, act, applied);
  }
  return applied;
}

async function hasRegisteredKeys(database: Database): Promise<boolean> {
  return (await new KeyRegistryStore({ database }).registered()).length > 0;
}

async function signedNote(
  config: Config,
  database: Database,
  log: Log,
  act: Act,
  applied: readonly string[],
): Promise<void> {
  try {
    const { vault } = await openKeys(config, new KeyRegistryStore({ database }), log);
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
 * Brings the schema up to date for a server; for a command, checks it without a change.
 * @returns the names of the migrations that were applied, in order
 * @throws ServiceError 'installation.missing', 'configuration.invalid' for a command whose database is not ready for it
 */
export async function prepareSchema(
  config: Config,
  database: Database,
  role: Role,
  log: Log,
  giveUp?: AbortSignal,
): Promise<readonly string[]> {
  const pending = await pendingMigrations(database);
  if (role !== 'server') {
    await assertReady(config, database, pending);
  } else if (pending.length > 0) {
    const applied = await migrateToLatest(database, log, giveUp);
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

/**
 * Writes an audit row for migrations of a database that was in use. It follows them and is not in their transaction,
 * because before them the trail and the keys that sign it may not exist. A new database gets no row.
 * @param applied their names, in order
 */
export async function noteMigrations(
  database: Database,
  act: Act,
  applied: readonly string[],
): Promise<void> {
  const last = applied.at(-1);
  if (last !== undefined && applied.length < migrationNames.length) {
    await database.autocommit.audit.write(act, 'schema', `migrated ${applied.length}, up to ${last}`);
  }
}
