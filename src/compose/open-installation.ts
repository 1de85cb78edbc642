import { setTimeout as sleep } from 'node:timers/promises';
import { decimalTransactionIds, hexTransactionIds } from '../challenges/challenge-factory.ts';
import { type Config, readSecretFile } from '../config/config.ts';
import type { Log } from '../kernel/log.ts';
import { unlessAborted } from '../kernel/stop-request.ts';
import { systemRandom } from '../kernel/system-random.ts';
import type { ServiceMetrics } from '../observability/metrics.ts';
import type { ServiceDependencies, Services } from '../services.ts';
import type { Database } from '../database/database.ts';
import { DatabaseClock } from '../database/database-clock.ts';
import { CONFIGURATION_WINDOW_MS, DatabaseFollower } from '../database/database-follower.ts';
import { warnOfMissingLimits } from '../database/session-settings.ts';
import {
  connectDatabase,
  type ConnectedDatabase,
  noteMigrations,
  type OpenDatabase,
  prepareSchema,
  type Role,
  type Waiting,
} from './open-database.ts';
import { KeyStore } from '../keys/key-store.ts';
import { type OpenedKeys, openKeys } from '../keys/opened-keys.ts';
import { isServiceError } from '../kernel/errors.ts';
import { isPassing } from '../database/database-faults.ts';
import type { Act } from '../policy/caller.ts';

/** Longest wait for resolvers when an installation closes. */
const SOURCES_TIMEOUT_MS = 1_000;
/** Longest wait for running transactions before the last rows are sealed. */
const SEALING_MS = 250;

/** Milliseconds between two attempts to open an absent database, and between two lines about it. */
const RETRY_MS = 1_000;
const LOG_AGAIN_MS = 60_000;

/** The act of a server that brings the schema up to date when it starts. */
const SERVER_MIGRATES: Act = { actor: 'server', action: 'migrate', client: '', requestId: '' };

/** An installation that is ready for use. */
export interface Installation extends OpenDatabase {
  readonly services: Services;
  readonly keys: OpenedKeys;
}

/**
 * Opens database, schema and keys, and builds the services. A server creates what is missing of these, and waits for the
 * database of DATABASE_URL; a command does neither.
 * @throws ServiceError 'database.unavailable', 'data-folder.in-use', 'configuration.invalid', 'key.unavailable',
 *   'security-module.unavailable', 'installation.missing'; the reason of `giveUp`
 */
export async function openInstallation(
  config: Config,
  role: Role,
  log: Log,
  {
    clock = new DatabaseClock(),
    metrics,
    giveUp,
    delayed,
  }: {
    /** The clock of the service, which is set here; default: one of its own. */
    readonly clock?: DatabaseClock | undefined;
    readonly metrics?: ServiceMetrics | undefined;
    /** Aborts the opening. */
    readonly giveUp?: AbortSignal | undefined;
    /** Is told when the start takes its time: the database is away, or its tables are migrated. */
    readonly delayed?: (() => void) | undefined;
  } = {},
): Promise<Installation> {
  const configured = configuredParts(config, role);
  // While the embedded database starts.
  const loading = loadServices();
  const open = async (): Promise<Installation> => {
    const opening = { role, create: role === 'server', log, clock, giveUp };
    const connected = await connectDatabase(config, opening);
    const opened: (() => Promise<unknown>)[] = [connected.close];
    const close = async (): Promise<void> => {
      for (const part of opened.toReversed()) {
        await part();
      }
    };
    const prepare = async (): Promise<Installation> => {
      const { database } = connected;
      const migrated = await prepareSchema(config, database, role, log, { giveUp, delayed });
      const keys = await openKeys(config, new KeyStore({ database }), log);
      const { buildServices, hasher } = await loading;
      const services = buildServices({ database, keys, hasher, ...configured, clock, log, metrics });
      if (role === 'server') {
        await noteMigrations(database, SERVER_MIGRATES, migrated);
        await warnOfMissingLimits(database, log);
      }
      giveUp?.throwIfAborted();
      opened.push(() => endServices(services, connected.database));
      if (role === 'server') {
        opened.push(followDatabase(services, connected, clock, log));
      }
      return { database, services, keys, close };
    };
    try {
      return await unlessAborted(prepare(), giveUp);
    } catch (error) {
      // At once: a statement that hangs ends with its database.
      await Promise.all(opened.map((part) => part()));
      throw error;
    }
  };
  return role === 'command' || config.databaseUrl === undefined
    ? open()
    : whenAvailable(open, log, { giveUp, delayed });
}

async function loadServices() {
  const [{ buildServices }, { Argon2PasswordHasher }] = await Promise.all([
    import('../services.ts'),
    import('../users/password-hash.ts'),
  ]);
  return { buildServices, hasher: new Argon2PasswordHasher() };
}

/** @returns the parts that the configuration and the role give */
export function configuredParts(
  config: Config,
  role: Role,
): Omit<ServiceDependencies, 'database' | 'keys' | 'hasher' | 'clock' | 'log'> {
  const window = role === 'server' ? CONFIGURATION_WINDOW_MS : 0;
  return {
    random: systemRandom,
    transactionIds: config.dialect === 'linotp' ? decimalTransactionIds : hexTransactionIds,
    sessionLifetime: config.sessionLifetime,
    publicUrl: config.publicUrl,
    singleSignOn: singleSignOnOf(config),
    passwordsAtOnce: config.limits.loginsAtOnce,
    statusWaits: config.limits.statusWaits,
    resolverTimeout: config.resolverTimeout,
    resolverFileDirs: config.resolverFileDirs,
    challengeRetention: config.challengeRetention,
    auditRetention: config.auditRetention === 'off' ? undefined : config.auditRetention,
    configurationWindow: window,
    examined: config,
  };
}

/** @throws ServiceError 'configuration.invalid' if the file of the secret cannot be read */
function singleSignOnOf({ singleSignOn: configured }: Config): ServiceDependencies['singleSignOn'] {
  return (
    configured && {
      ...configured,
      clientSecret: readSecretFile('OIDC_CLIENT_SECRET_FILE', configured.clientSecretFile),
    }
  );
}

async function endServices(
  { waitingRequests, auditVerification, auditSealer, closeSources }: Services,
  { audit }: Database,
): Promise<void> {
  await Promise.all([waitingRequests.end(), auditVerification.stop()]);
  if (audit.hasWritten) {
    // What fails here is sealed by the next server or command.
    await Promise.race([
      auditSealer.seal(SEALING_MS).catch(() => undefined),
      sleep(2 * SEALING_MS, undefined, { ref: false }),
    ]);
  }
  await Promise.race([closeSources(), sleep(SOURCES_TIMEOUT_MS, undefined, { ref: false })]);
}

/**
 * Follows changes of configuration and credentials by other servers, and the clock of the database.
 * @returns the function that stops following
 */
function followDatabase(
  { configuration, credentials, issued }: Services,
  { options }: ConnectedDatabase,
  clock: DatabaseClock,
  log: Log,
): () => Promise<void> {
  const database = { ...options, applicationName: 'tankeeper listener' };
  const memory = {
    confirm: () => configuration.confirm(),
    expire: () => {
      configuration.expire();
      credentials.forget();
    },
    follow: (hasNotices: boolean) => {
      credentials.follow(hasNotices);
      issued.forget();
    },
  };
  const follower = new DatabaseFollower({
    memory,
    clock,
    database,
    log,
    listens: options.keepsStatements,
  });
  follower.start();
  return () => follower.stop();
}

/**
 * Opens what needs the database, again as long as the database is away: it may start after this server.
 * @throws ServiceError as `open` does where waiting does not help; the reason of `giveUp`
 */
async function whenAvailable<T>(open: () => Promise<T>, log: Log, { giveUp, delayed }: Waiting): Promise<T> {
  for (let loggedAt = -Infinity; ;) {
    try {
      return await open();
    } catch (error) {
      giveUp?.throwIfAborted();
      if (!isServiceError(error, 'database.unavailable') || !isPassing(error)) {
        throw error;
      }
      delayed?.();
      if (performance.now() - loggedAt >= LOG_AGAIN_MS) {
        loggedAt = performance.now();
        log.warn('The server waits for its database', {
          component: 'database',
          faultDetail: error.message,
        });
      }
    }
    await unlessAborted(sleep(RETRY_MS), giveUp);
  }
}
