import { type OpenedKeys, openKeysOf } from '../keys/opened-keys.ts';
import { type Config, unknownVariables } from '../config/config.ts';
import type { Configuration } from '../configuration/configuration.ts';
import { ADDRESS_FINDINGS } from '../doctor/configuration-findings.ts';
import { FindingSearch, type Finding, type Findings, reasonOf } from '../doctor/finding.ts';
import { type ExaminedServer, TABLE_FINDINGS } from '../doctor/health-service.ts';
import { DATABASE_FINDINGS, PROCESS_FINDINGS, UNREAD_KEY } from '../doctor/installation-findings.ts';
import { type Clock, systemClock } from '../kernel/clock.ts';
import { isServiceError, ServiceError } from '../kernel/errors.ts';
import { listNames } from '../kernel/text.ts';
import { withTimeLimit } from '../kernel/bounded-work.ts';
import type { Log } from '../kernel/log.ts';
import { unlessAborted } from '../kernel/stop-request.ts';
import { readKeyFileAccess } from '../keys/key-file.ts';
import type { Database } from '../database/database.ts';
import { DatabaseClock } from '../database/database-clock.ts';
import { assertServes, pendingMigrations } from '../database/migrate.ts';
import { InstallationStore } from '../doctor/installation-store.ts';
import { KeyStore } from '../keys/key-store.ts';
import { connectDatabase, type OpenDatabase } from './open-database.ts';
import { configuredParts } from './open-installation.ts';
import { unavailableResolvers } from '../resolvers/user-source.ts';
import { Argon2PasswordHasher } from '../users/password-hash.ts';
import { buildServices } from '../services.ts';
import { AuditAuthority } from '../audit/checkpoint.ts';
import { readConfiguration } from '../configuration/configuration-store.ts';
import { AuditStore } from '../audit/audit-store.ts';
import { type VerifyRequest, verifyTrail } from '../audit/verification.ts';

/** Milliseconds for each finding. */
const TIMEOUT_MS = 15_000;
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

/** A step without which the rest cannot be examined. It throws the reason of its finding. */
type Step = Omit<Finding, 'text'>;

const OPENING: Step = {
  code: 'database.unavailable',
  severity: 'error',
  remedy:
    'start the database; DATABASE_URL and DATABASE_PASSWORD_FILE, or DATA_DIR alone, as the server has them; `tankeeper migrate` makes a new installation. The rest was not examined',
};

const MIGRATIONS: Step = {
  code: 'migrations.pending',
  severity: 'error',
  remedy:
    '`tankeeper migrate`, or the version of tankeeper that migrated the database. Its tables were not examined',
};

const KEYS: Step = {
  code: 'key.unavailable',
  severity: 'error',
  remedy:
    'ENCRYPTION_KEY_FILE, or the variables PKCS11_…, as the server has them, and DATABASE_URL of the same installation; restore the file from its safe copy. What needs the keys was not examined',
};

/**
 * Examines the installation of the configuration, with or without a running server. Reads only: it creates nothing, and
 * writes no audit row.
 * @throws the reason of `giveUp`; all else that fails is a finding
 */
export async function examineInstallation(
  config: Config,
  {
    clock,
    giveUp,
    timeoutMs = TIMEOUT_MS,
  }: {
    /** In place of both the machine's clock and the database's. */
    readonly clock?: Clock;
    /** Aborts the examination. */
    readonly giveUp?: AbortSignal | undefined;
    /** Milliseconds for each finding; 15 s by default. */
    readonly timeoutMs?: number;
  } = {},
): Promise<readonly Finding[]> {
  const databaseClock = new DatabaseClock();
  const examination = new FindingSearch(timeoutMs);
  const ofProcess = {
    settings: config,
    unknownVariables,
    keyFile: async () =>
      config.pkcs11 === undefined ? readKeyFileAccess(config.encryptionKeyFile) : undefined,
  };
  await examination.lookFor(PROCESS_FINDINGS, ofProcess);
  const opened = await pass(examination, OPENING, () => openDatabase(config, databaseClock, giveUp));
  giveUp?.throwIfAborted();
  if (opened === undefined) {
    return examination.findings;
  }
  const { database } = opened;
  try {
    const now = clock ?? databaseClock;
    const keys = new KeyStore({ database });
    const subject = {
      ...ofProcess,
      config,
      database,
      installation: new InstallationStore({ database }),
      keyStates: () => keys.entries(),
      configuration: () => readConfiguration(database.knex, now.now()),
      clock: now,
      machineClock: clock ?? systemClock,
      timeoutMs,
    };
    await unlessAborted(examineDatabase(examination, subject), giveUp);
  } finally {
    await opened.close();
  }
  return examination.findings;
}

/** @returns what a step gives; undefined: its finding was added */
async function pass<Value>(
  examination: FindingSearch,
  step: Step,
  work: () => Promise<Value>,
): Promise<Value | undefined> {
  try {
    return await work();
  } catch (error) {
    examination.add(step, reasonOf(error));
    return undefined;
  }
}

async function examineDatabase(
  examination: FindingSearch,
  subject: Omit<ExaminedInstallation, 'vault' | 'keys'>,
): Promise<void> {
  const { config, database } = subject;
  await examination.lookFor(DATABASE_FINDINGS, subject);
  const tables = await pass(examination, MIGRATIONS, () => assertMigrated(database));
  if (tables === undefined) {
    return;
  }
  await examination.lookFor({ ...TABLE_FINDINGS, ...TOKEN_FINDINGS }, subject);
  const registered = await new KeyStore({ database }).registered();
  // The first start of a server makes the key.
  const keys =
    registered.length === 0
      ? undefined
      : await pass(examination, KEYS, () => {
          const late = (): Error => new Error(`the keys were not opened within ${KEY_TIMEOUT_MS / 1000} s`);
          return withTimeLimit(KEY_TIMEOUT_MS, openKeysOf(registered, readOnly(config), QUIET), late);
        });
  if (keys !== undefined) {
    await examination.lookFor(KEY_FINDINGS, { ...subject, keys, vault: keys.vault });
  }
}

/** @throws the reason of `giveUp`, among others */
async function openDatabase(
  config: Config,
  clock: DatabaseClock,
  giveUp: AbortSignal | undefined,
): Promise<OpenDatabase> {
  const late = AbortSignal.timeout(OPEN_TIMEOUT_MS);
  try {
    return await connectDatabase(
      { ...config, databaseStatementTimeout: STATEMENT_LIMIT },
      {
        role: 'command',
        create: false,
        log: QUIET,
        clock,
        giveUp: giveUp === undefined ? late : AbortSignal.any([giveUp, late]),
      },
    );
  } catch (error) {
    throw error === late.reason
      ? new Error(`the database was not opened within ${OPEN_TIMEOUT_MS / 1000} s`)
      : error;
  }
}

/** @throws where the tables are not those of this program */
async function assertMigrated(database: Database): Promise<true> {
  const pending = await pendingMigrations(database);
  if (pending.length > 0) {
    throw new ServiceError(
      'configuration.invalid',
      `the database is older than this program, or empty: it lacks the migrations ${listNames(pending)}`,
    );
  }
  return true;
}

/** An examination makes no key in a security module. */
function readOnly(config: Config): Config {
  return config.pkcs11 === undefined ? config : { ...config, pkcs11: { ...config.pkcs11, createKey: false } };
}

/** The subject of the findings of the command. */
interface ExaminedInstallation extends ExaminedServer {
  readonly config: Config;
  readonly database: Database;
  readonly keys: OpenedKeys;
  readonly timeoutMs: number;
}

/** The share of the time that a part may take, so that the sentence can tell which part was late. */
const PART = 0.8;

/** Findings that read all tokens or users. */
const TOKEN_FINDINGS: Findings<Omit<ExaminedInstallation, 'vault' | 'keys'>> = {
  ...ADDRESS_FINDINGS,
  'counters.drifted': {
    severity: 'error',
    find: async ({ installation }) => {
      const drifted = await installation.driftedCounts();
      return drifted === 0
        ? []
        : [
            `${drifted === 1 ? '1 count differs' : `${drifted} counts differ`} from the tokens and users: /monitoring answers wrongly`,
          ];
    },
    remedy: '`tankeeper count --verify --repair`',
  },
};

/** Findings that need the keys, too. */
const KEY_FINDINGS: Findings<ExaminedInstallation> = {
  ...UNREAD_KEY,
  'tables.incomplete': {
    severity: 'error',
    find: async ({ database }) => {
      try {
        await assertServes(database);
        return [];
      } catch (error) {
        if (isServiceError(error, 'configuration.invalid')) {
          return [error.message];
        }
        throw error;
      }
    },
    remedy: 'restore a backup, or GRANT the role of the server its rights again',
  },
  'resolvers.unavailable': {
    severity: 'error',
    find: unreadableResolvers,
    remedy: '`tankeeper resolver set NAME`, then `tankeeper resolver test NAME`',
  },
  'audit.altered': {
    severity: 'error',
    find: alteredAudit,
    remedy: '`tankeeper audit verify`',
  },
};

/** Tests resolvers as `tankeeper resolver test` does. */
async function unreadableResolvers({
  config,
  timeoutMs,
  database,
  keys,
  clock,
}: ExaminedInstallation): Promise<readonly string[]> {
  const { resolvers, configuration, closeSources } = buildServices({
    database,
    keys,
    clock,
    log: QUIET,
    hasher: new Argon2PasswordHasher(),
    ...configuredParts({ ...config, singleSignOn: undefined }, 'command'),
  });
  const limit = timeoutMs * PART;
  const test = async ({ name }: Configuration['resolvers'][number]): Promise<readonly string[]> => {
    try {
      const late = (): Error =>
        new ServiceError('resolver.unavailable', `no answer within ${limit / 1000} s`);
      await withTimeLimit(limit, resolvers.test(name), late);
      return [];
    } catch (error) {
      const [failed] = unavailableResolvers(error);
      const reason = failed?.describe() ?? (isServiceError(error) ? error.message : 'an unexpected fault');
      return [`the users of the resolver ${name} cannot be read: ${reason}`];
    }
  };
  try {
    return (await Promise.all((await configuration.current()).resolvers.map(test))).flat();
  } finally {
    await closeSources();
  }
}

/** A larger trail is verified from the last day on. */
const MAX_ROWS = 50_000;
const DAY_MS = 86_400_000;

async function alteredAudit({
  database,
  installation,
  keys: { vault },
  clock,
  timeoutMs,
}: ExaminedInstallation): Promise<readonly string[]> {
  const store = new AuditStore({ database });
  const keys = new AuditAuthority({ vault }).keys();
  const end = performance.now() + timeoutMs * PART;
  let first = '';
  const request: VerifyRequest = {
    progress: () => {
      if (performance.now() > end) {
        throw new Error('the audit trail is too large: `tankeeper audit verify` has no time limit');
      }
    },
    report: ({ kind, target: of, reason }) => {
      first ||= `${kind} ${of}: ${reason}`;
    },
  };
  const isLarge = (await installation.trail()).rows > MAX_ROWS;
  const since = new Date(clock.now().getTime() - DAY_MS);
  const { findings } = await (isLarge
    ? verifyTrail(await store.trail({ since }), { ...request, keys })
    : store.verify(keys, request));
  return findings === 0
    ? []
    : [`the audit trail does not verify: ${findings} findings, the first one a ${first}`];
}
