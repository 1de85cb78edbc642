import { setTimeout as sleep } from 'node:timers/promises';
import type { Config } from '../config/config.ts';
import { isServiceError, ServiceError } from '../kernel/errors.ts';
import type { Log } from '../kernel/log.ts';
import { unlessAborted } from '../kernel/stop-request.ts';
import { ConnectionGate } from '../database/connection-gate.ts';
import { type Database, type DatabaseOptions, openDatabase } from '../database/database.ts';
import { UNSHARED } from '../database/prepared-statements.ts';
import { describeDatabaseFault, isPassing } from '../database/database-faults.ts';
import { type DatabaseClock, readDatabaseTime } from '../database/database-clock.ts';
import { DatabaseWatch } from '../database/database-watch.ts';
import type { EmbeddedPostgres } from '../embedded-postgres/embedded-postgres.ts';
import { noCluster } from './no-installation.ts';

/** Longest wait for running statements when the database closes. */
const POOL_TIMEOUT_MS = 1_000;
/** Milliseconds between two attempts to open an absent database, and between two lines about it. */
const RETRY_MS = 1_000;
const TELL_MS = 60_000;

/** `server` for the one server of a data folder; `guest` for commands, which may run beside it. */
export type Role = 'server' | 'guest';

/** An open database. */
export interface OpenDatabase {
  readonly database: Database;
  readonly close: () => Promise<void>;
}

/** An open database, with the options for further connections to it. */
export interface ConnectedDatabase extends OpenDatabase {
  readonly options: DatabaseOptions;
  readonly limitStatements: (milliseconds: number) => void;
}

interface ConnectOptions {
  readonly role: Role;
  /** Creates a missing embedded database. */
  readonly create: boolean;
  /** Joins an embedded database only if it runs. */
  readonly joinsOnly?: boolean | undefined;
  readonly log: Log;
  /** Is set to the time of the database, and a server keeps it there. */
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
      ? { poolSize: config.databasePoolSize, lockTimeoutMs: config.databaseLockTimeout * 1000 }
      : { poolSize: 4 }),
    keepsStatements: config.databasePreparedStatements === 'on',
    ...(config.databaseSharedStatements === 'off' && { sharing: UNSHARED }),
    applicationName: `tankeeper ${role}`,
    clock,
    log,
  };
  const gate = new ConnectionGate();
  const database = openDatabase({ ...options, gate });
  const watch = role === 'server' ? watchDatabase(options, { gate, clock, log }) : undefined;
  const leave = async (): Promise<void> => {
    await watch?.stop();
    // A statement that hangs must not keep the process; stopping the embedded database ends it.
    await Promise.race([database.close(), sleep(POOL_TIMEOUT_MS, undefined, { ref: false })]);
    await embedded?.close();
  };
  let leaving: Promise<void> | undefined;
  const close = (): Promise<void> => (leaving ??= leave());
  try {
    await unlessAborted(answer(database, url), giveUp);
    await unlessAborted(readTime(database, clock), giveUp);
    watch?.start();
  } catch (error) {
    await close();
    throw error;
  }
  const limitStatements = (milliseconds: number): void => {
    gate.limitStatements(milliseconds);
  };
  return { database, options, limitStatements, close };
}

/**
 * Opens what needs the database, again as long as the database is away: it may start after this server.
 * @throws ServiceError as `open` does where waiting does not help; the reason of `giveUp`
 */
export async function whenAvailable<T>(
  open: () => Promise<T>,
  log: Log,
  giveUp: AbortSignal | undefined,
): Promise<T> {
  for (let toldAt = -Infinity; ;) {
    try {
      return await open();
    } catch (error) {
      giveUp?.throwIfAborted();
      if (!isServiceError(error, 'database.unavailable') || !isPassing(error)) {
        throw error;
      }
      if (performance.now() - toldAt >= TELL_MS) {
        toldAt = performance.now();
        log.warn('The server waits for its database', {
          component: 'database',
          faultDetail: error.message,
        });
      }
    }
    await unlessAborted(sleep(RETRY_MS), giveUp);
  }
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

/** Watches the database's availability and its clock. Only a server needs this; a command ends soon. */
function watchDatabase(
  options: DatabaseOptions,
  parts: { readonly gate: ConnectionGate; readonly clock: DatabaseClock; readonly log: Log },
): DatabaseWatch {
  const database = { ...options, applicationName: 'tankeeper watch' };
  return new DatabaseWatch({ database, ...parts });
}
