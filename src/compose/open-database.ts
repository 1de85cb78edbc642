import { setTimeout as sleep } from 'node:timers/promises';
import { existsSync } from 'node:fs';
import type { Config } from '../config/config.ts';
import { isServiceError, ServiceError } from '../kernel/errors.ts';
import type { Log } from '../kernel/log.ts';
import { unlessAborted } from '../kernel/stop-request.ts';
import { type Database, type DatabaseOptions, openDatabase } from '../database/database.ts';
import { UNSHARED } from '../database/prepared-statements.ts';
import { describeDatabaseAddress, describeDatabaseFault } from '../database/database-faults.ts';
import { DatabaseClock, readDatabaseTime } from '../database/database-clock.ts';
import type { EmbeddedPostgres } from '../embedded-postgres/embedded-postgres.ts';
import type { Act } from '../policy/caller.ts';
import { migrateToLatest, pendingMigrations } from '../database/migrate.ts';
import { migrationNames } from '../database/migration-source.ts';
import { KeyStore } from '../keys/key-store.ts';
import { openKeys } from '../keys/opened-keys.ts';

/** Longest wait for running statements when the database closes. */
const POOL_TIMEOUT_MS = 1_000;
/** Longest wait of a request for a connection, as while the database is away. */
const ACQUIRE_MS = 2_000;

/** `server` for the one server of a data folder; `command` for commands, which may run beside it. */
export type Role = 'server' | 'command';

/** An open database. */
export interface OpenDatabase {
  readonly database: Database;
  readonly close: () => Promise<void>;
}

/** An open database, with the options for further connections to it. */
export interface ConnectedDatabase extends OpenDatabase {
  readonly options: DatabaseOptions;
}

interface ConnectOptions {
  readonly role: Role;
  /** Creates a missing embedded database. */
  readonly create: boolean;
  readonly log: Log;
  /** Is set to the time of the database. */
  readonly clock: DatabaseClock;
  /** Aborts the opening. */
  readonly giveUp?: AbortSignal | undefined;
}

/**
 * Opens the database: that of DATABASE_URL, else the embedded one in the data folder, which is started or joined.
 * @throws ServiceError 'database.unavailable', 'data-folder.in-use', 'installation.missing'; the reason of `giveUp`
 */
export async function connectDatabase(config: Config, request: ConnectOptions): Promise<ConnectedDatabase> {
  const { role, log, giveUp, clock } = request;
  const url = config.databaseUrl;
  const embedded = url === undefined ? await openEmbedded(config, request) : undefined;
  const options: DatabaseOptions = {
    connection: embedded?.connection ?? url ?? '',
    statementTimeoutMs: config.databaseStatementTimeout * 1000,
    // A command waits for locks without a time-out: the operator can interrupt it.
    ...(role === 'server'
      ? {
          poolSize: config.databasePoolSize,
          lockTimeoutMs: config.databaseLockTimeout * 1000,
          acquireTimeoutMs: ACQUIRE_MS,
          writes: true,
        }
      : { poolSize: 4 }),
    keepsStatements: config.databasePreparedStatements === 'on',
    ...(config.databaseSharedStatements === 'off' && { sharing: UNSHARED }),
    applicationName: `tankeeper ${role}`,
    clock,
    log,
  };
  const database = openDatabase(options);
  const leave = async (): Promise<void> => {
    // A statement that hangs must not keep the process; stopping the embedded database ends it.
    await Promise.race([database.close(), sleep(POOL_TIMEOUT_MS, undefined, { ref: false })]);
    await embedded?.close();
  };
  let leaving: Promise<void> | undefined;
  const close = (): Promise<void> => (leaving ??= leave());
  try {
    await unlessAborted(answer(database, url), giveUp);
    await unlessAborted(readTime(database, clock), giveUp);
  } catch (error) {
    await close();
    throw error;
  }
  return { database, options, close };
}

export interface Waiting {
  /** Aborts the work. */
  readonly giveUp: AbortSignal | undefined;
  /** Is told when it takes its time. */
  readonly delayed: (() => void) | undefined;
}

/** @throws ServiceError 'database.unavailable' with the address of the database */
async function answer(database: Database, url: string | undefined): Promise<void> {
  try {
    await database.ready();
  } catch (error) {
    throw url === undefined || isServiceError(error, 'configuration.invalid')
      ? error
      : new ServiceError(
          'database.unavailable',
          `${describeDatabaseFault(error, url)}. Correct DATABASE_URL or DATABASE_PASSWORD_FILE, or start the database`,
          { cause: error },
        );
  }
}

/** Sets the clock for the first time, before anything is decided by it. */
async function readTime({ knex }: Database, clock: DatabaseClock): Promise<void> {
  const begun = clock.begin();
  clock.note(begun, await readDatabaseTime(knex));
}

async function openEmbedded(config: Config, request: ConnectOptions): Promise<EmbeddedPostgres> {
  const { openEmbeddedPostgres } = await import('../embedded-postgres/embedded-postgres.ts');
  try {
    return await openEmbeddedPostgres({ dataDir: config.dataDir, ...request });
  } catch (error) {
    throw isServiceError(error, 'installation.missing') ? noCluster(config) : error;
  }
}

/**
 * Brings the schema up to date, also of a database that a server uses. Creates a missing embedded installation.
 * @param act for the audit row
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
  const opening = { role: 'command', create: true, log, clock: new DatabaseClock(), giveUp } as const;
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
  if (config.databaseUrl === undefined && !(await hasRegisteredKeys(database))) {
    // With DATABASE_URL, only the server makes the key: it may run on another machine, without access to a key made
    // here.
    await openKeys(config, new KeyStore({ database }), log);
  }
  await noteMigrations(database, act, applied);
  return applied;
}

async function hasRegisteredKeys(database: Database): Promise<boolean> {
  return (await new KeyStore({ database }).registered()).length > 0;
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
  { giveUp, delayed }: Waiting,
): Promise<readonly string[]> {
  const pending = await pendingMigrations(database);
  if (role !== 'server') {
    await assertReady(config, database, pending);
  } else if (pending.length > 0) {
    delayed?.();
    const applied = await migrateToLatest(database, log, giveUp);
    // None where another server was faster.
    if (applied.length > 0) {
      log.info(`Brought the database schema up to date: ${applied.join(', ')}`);
    }
    return applied;
  }
  return [];
}

async function assertReady(config: Config, database: Database, pending: readonly string[]): Promise<void> {
  if (pending.length === migrationNames.length) {
    throw missing(config, 'the database has no tables of tankeeper');
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
 * because before them the trail may not exist. A new database gets no row.
 * @param applied their names, in order
 */
export async function noteMigrations(
  database: Database,
  act: Act,
  applied: readonly string[],
): Promise<void> {
  const last = applied.at(-1);
  if (last !== undefined && applied.length < migrationNames.length) {
    await database.audit.autocommit.write(act, 'schema', `migrated ${applied.length}, up to ${last}`);
  }
}

const MADE_BY = 'A new installation is made by `tankeeper migrate` and by the first start of the server';

/** @returns the error of a command that finds no embedded database in its data folder */
function noCluster(config: Config): ServiceError {
  return missing(config, existsSync(config.dataDir) ? noDatabaseIn(config) : 'the folder does not exist');
}

function noDatabaseIn({ encryptionKeyFile }: Config): string {
  return existsSync(encryptionKeyFile)
    ? `it holds no database. The encryption key ${encryptionKeyFile} is there: the server may use a DATABASE_URL that is not set here`
    : 'it holds no database';
}

/** @returns the error of a command that finds no installation in its place */
function missing(config: Config, lack: string): ServiceError {
  const setting =
    config.databaseUrl === undefined
      ? 'Set DATA_DIR (by default ./data in the current folder) to the data folder of the server, or DATABASE_URL to its database'
      : 'Set DATABASE_URL to the database of the server, or DATA_DIR alone to its data folder';
  return new ServiceError(
    'installation.missing',
    `there is no installation in ${placeOf(config)}: ${lack}. ${setting}. ${MADE_BY}`,
  );
}

/** @returns the error of a command that finds tables, but no key that seals secrets and signs the audit */
function noKey(config: Config): ServiceError {
  return new ServiceError(
    'installation.missing',
    `the installation in ${placeOf(config)} has no encryption key yet: ` +
      'start the server once, which makes the key, or takes the one that ENCRYPTION_KEY_FILE names',
  );
}

function placeOf({ databaseUrl, dataDir }: Config): string {
  return databaseUrl === undefined
    ? `the data folder ${dataDir}`
    : `the database ${describeDatabaseAddress(databaseUrl)}`;
}
