import { type OpenedKeys, openKeysOf } from '../keys/opened-keys.ts';
import { type Config, unknownVariables } from '../config/config.ts';
import { checkAddresses, checkVariables } from '../doctor/environment-check.ts';
import {
  checkClock,
  checkCounts,
  checkDatabase,
  checkMigrations,
  checkTables,
  checkAudit,
} from '../doctor/database-check.ts';
import {
  type Checked,
  type DoctorReport,
  Examination,
  type Finding,
  findingOf,
} from '../doctor/examination.ts';
import {
  checksOf,
  type CheckTable,
  type ExaminedTables,
  namesOf,
  TABLE_CHECKS,
} from '../doctor/health-service.ts';
import { checkKeyFile, checkUnknownKeys, closedKeys, noKeyYet } from '../doctor/key-check.ts';
import { type Clock, systemClock } from '../kernel/clock.ts';
import { isServiceError } from '../kernel/errors.ts';
import type { Log } from '../kernel/log.ts';
import { unlessAborted } from '../kernel/stop-request.ts';
import { readKeyFileAccess } from '../keys/key-file.ts';
import type { Database } from '../database/database.ts';
import { DatabaseClock } from '../database/database-clock.ts';
import { assertServes, pendingMigrations } from '../database/migrate.ts';
import { migrationNames } from '../database/migration-source.ts';
import { InstallationStore } from '../doctor/installation-store.ts';
import { KeyStore } from '../keys/key-store.ts';
import { connectDatabase, type OpenDatabase } from './open-database.ts';
import { checkAnswerAddresses, checkResolvers } from '../doctor/configuration-check.ts';
import { systemRandom } from '../kernel/system-random.ts';
import { Argon2PasswordHasher } from '../users/password-hash.ts';
import { buildServices } from '../services.ts';
import { AuditAuthority } from '../audit/checkpoint.ts';
import { readConfiguration } from '../configuration/configuration-store.ts';
import { AuditStore } from '../audit/audit-store.ts';

/** Milliseconds for each check. */
const CHECK_TIMEOUT_MS = 15_000;
/** Milliseconds to reach the database: the embedded one may have to recover first. */
const OPEN_TIMEOUT_MS = 60_000;
/** Milliseconds to open the keys: a security module takes up to 15 s. */
const KEY_TIMEOUT_MS = 20_000;
/** Seconds for each statement. */
const STATEMENT_LIMIT = 10;

/** Findings are the only report: what else would be logged is in one of them. */
const QUIET: Log = {
  error: () => undefined,
  warn: () => undefined,
  info: () => undefined,
  debug: () => undefined,
};

interface ExaminationOptions {
  /** In place of both the machine's clock and the database's. */
  readonly clock?: Clock;
  /** Aborts the examination. */
  readonly giveUp?: AbortSignal | undefined;
  /** Milliseconds for each check; 15 s by default. */
  readonly timeoutMs?: number;
}

/**
 * Examines the installation of the configuration, with or without a running server. Reads only: it creates nothing, and
 * writes no audit row.
 * @throws the reason of `giveUp`; all else that fails is a finding
 */
export async function examineInstallation(
  config: Config,
  { clock, giveUp, timeoutMs = CHECK_TIMEOUT_MS }: ExaminationOptions = {},
): Promise<DoctorReport> {
  const databaseClock = new DatabaseClock();
  const examination = new Examination({ timeoutMs });
  await examination.run([
    { name: 'variables', find: () => checkVariables(unknownVariables()) },
    { name: 'addresses', find: () => checkAddresses(config) },
  ]);
  const opened = await examination.runFirst(
    'database',
    () => openAndCheck(config, databaseClock, giveUp),
    2 * OPEN_TIMEOUT_MS,
  );
  giveUp?.throwIfAborted();
  if (opened === undefined) {
    await examination.run([{ name: 'key', find: () => checkFileAlone(config) }]);
    examination.skip(
      namesOf(DATABASE_CHECKS, TABLE_CHECKS, COUNT_CHECKS, KEY_CHECKS),
      'the database is not available',
    );
    return examination.report;
  }
  const { database } = opened;
  try {
    const clocks = { clock: clock ?? databaseClock, machineClock: clock ?? systemClock };
    const subject = {
      config,
      settings: config,
      database,
      installation: new InstallationStore({ database }),
      keyAges: new KeyStore({ database }),
      configuration: () => readConfiguration(database.knex, clocks.clock.now()),
      ...clocks,
      log: QUIET,
      timeoutMs,
    };
    await unlessAborted(examineDatabase(examination, subject), giveUp);
  } finally {
    await opened.close();
  }
  return examination.report;
}

async function examineDatabase(examination: Examination, subject: ExaminedDatabase): Promise<void> {
  const { config, database } = subject;
  await examination.run(checksOf(DATABASE_CHECKS, subject));
  const tables = await examination.runFirst('migrations', () =>
    checkMigrations(() => migrationsOf(database)),
  );
  if (tables === undefined) {
    await examination.run([{ name: 'key', find: () => checkFileAlone(config) }]);
    examination.skip(
      namesOf(TABLE_CHECKS, COUNT_CHECKS, KEY_CHECKS),
      'the tables are not those of this program',
    );
    return;
  }
  const keys = await examination.runFirst('key', () => openAndCheckKeys(config, database), KEY_TIMEOUT_MS);
  await examination.run([...checksOf(TABLE_CHECKS, subject), ...checksOf(COUNT_CHECKS, subject)]);
  if (keys === undefined) {
    examination.skip(namesOf(KEY_CHECKS), 'the encryption keys are not available');
    return;
  }
  await examination.run(checksOf(KEY_CHECKS, { ...subject, keys }));
}

/**
 * @returns findings about the database, and the open database
 * @throws the reason of `giveUp`
 */
async function openAndCheck(
  config: Config,
  clock: DatabaseClock,
  giveUp: AbortSignal | undefined,
): Promise<Checked<OpenDatabase>> {
  const bounded = { ...config, databaseStatementTimeout: STATEMENT_LIMIT };
  const late = AbortSignal.timeout(OPEN_TIMEOUT_MS);
  const signal = giveUp === undefined ? late : AbortSignal.any([giveUp, late]);
  try {
    const value = await connectDatabase(bounded, {
      role: 'command',
      create: false,
      log: QUIET,
      clock,
      giveUp: signal,
    });
    return { findings: await settingFindings(value), value };
  } catch (error) {
    if (error === late.reason) {
      const reason = `the database was not opened within ${OPEN_TIMEOUT_MS / 1000} s`;
      return { findings: [unreachable(reason)], value: undefined };
    }
    if (isServiceError(error, 'database.unavailable')) {
      return { findings: [unreachable(error.message)], value: undefined };
    }
    if (isServiceError(error, 'configuration.invalid')) {
      const remedy =
        'ALTER ROLE … IN DATABASE … SET …, as the text says; then end the connections of the pooler';
      return { findings: [findingOf('error', 'database.session', error.message, remedy)], value: undefined };
    }
    if (isServiceError(error, 'installation.missing')) {
      const remedy =
        'DATA_DIR or DATABASE_URL as the server has it; `tankeeper migrate` makes a new installation';
      return { findings: [findingOf('error', 'database.missing', error.message, remedy)], value: undefined };
    }
    throw error;
  }
}

async function settingFindings({ database, close }: OpenDatabase): Promise<readonly Finding[]> {
  try {
    return checkDatabase(await new InstallationStore({ database }).facts());
  } catch (error) {
    await close();
    throw error;
  }
}

function unreachable(reason: string): Finding {
  return findingOf(
    'error',
    'database.unavailable',
    reason,
    'start the database; DATABASE_URL and DATABASE_PASSWORD_FILE, or DATA_DIR alone, as the server has them',
  );
}

async function migrationsOf(database: Database): Promise<{ pending: readonly string[]; isEmpty: boolean }> {
  const pending = await pendingMigrations(database);
  return { pending, isEmpty: pending.length === migrationNames.length };
}

/** Without the database, nothing tells which keys are needed. */
async function checkFileAlone({ pkcs11, encryptionKeyFile }: Config): Promise<readonly Finding[]> {
  return pkcs11 === undefined ? checkKeyFile(await readKeyFileAccess(encryptionKeyFile)) : [];
}

/** Opens the keys of the database as a server does, but registers and makes none. */
async function openAndCheckKeys(config: Config, database: Database): Promise<Checked<OpenedKeys>> {
  const registered = await new KeyStore({ database }).registered();
  const file = config.pkcs11 === undefined ? await readKeyFileAccess(config.encryptionKeyFile) : undefined;
  const ofFile = file === undefined ? [] : [...checkKeyFile(file), ...checkUnknownKeys(file, registered)];
  if (registered.length === 0) {
    return { findings: [...(file === undefined ? [] : checkKeyFile(file)), noKeyYet()], value: undefined };
  }
  const readOnly: Config =
    config.pkcs11 === undefined ? config : { ...config, pkcs11: { ...config.pkcs11, createKey: false } };
  try {
    return { findings: ofFile, value: await openKeysOf(registered, readOnly, QUIET) };
  } catch (error) {
    return { findings: [closedKeys(error, registered, file), ...ofFile], value: undefined };
  }
}

/** The subject of checks that need the database. */
interface ExaminedDatabase extends ExaminedTables {
  readonly config: Config;
  readonly database: Database;
  readonly machineClock: Clock;
  readonly log: Log;
  /** Milliseconds for each check. */
  readonly timeoutMs: number;
}

/** The subject of checks that need the encryption keys, too. */
interface ExaminedInstallation extends ExaminedDatabase {
  readonly keys: OpenedKeys;
}

/** The share of a check's time that its parts may take, so that the check itself can tell which part was late. */
const PART = 0.8;

/** Checks of any database. */
const DATABASE_CHECKS: CheckTable<ExaminedDatabase> = {
  clock: ({ machineClock, installation }) => checkClock(machineClock, () => installation.time()),
};

/** Checks that read all tokens or users. */
const COUNT_CHECKS: CheckTable<ExaminedTables> = {
  qrtanurl: async ({ configuration, installation, clock }) =>
    checkAnswerAddresses(await configuration(), await installation.realmsOfQrTokens(), clock.now()),
  counters: ({ installation }) => checkCounts(() => installation.driftedCounts()),
};

/** Checks that need the encryption keys. */
const KEY_CHECKS: CheckTable<ExaminedInstallation> = {
  tables: ({ database }) => checkTables(() => assertServes(database)),
  resolvers: examineResolvers,
  audit: ({ database, installation, keys: { vault }, clock, timeoutMs }) =>
    checkAudit({
      store: new AuditStore({ database }),
      authority: new AuditAuthority({ vault }),
      trail: () => installation.trail(),
      clock,
      elapsed: () => performance.now(),
      timeoutMs: timeoutMs * PART,
    }),
};

/** Tests resolvers as `tankeeper resolver test` does. */
async function examineResolvers(subject: ExaminedInstallation): Promise<readonly Finding[]> {
  const { config, timeoutMs, database, keys, clock, log } = subject;
  const { resolvers, configuration, closeSources } = buildServices({
    database,
    keys,
    clock,
    log,
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
