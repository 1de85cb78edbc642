import { setTimeout as sleep } from 'node:timers/promises';
import type { KeyService } from '../keys/key-service.ts';
import type { Config } from '../config/config.ts';
import { readSecretFile } from '../config/secret-file.ts';
import { systemRandom } from '../kernel/system-random.ts';
import type { Log } from '../kernel/log.ts';
import { unlessAborted } from '../kernel/stop-request.ts';
import { decimalTransactionIds, hexTransactionIds } from '../challenges/challenge-factory.ts';
import type { LicenceSignature } from '../monitoring/ports.ts';
import { CONFIGURATION_WINDOW_MS, ConfigurationFollower } from '../database/configuration-follower.ts';
import { DatabaseClock } from '../database/database-clock.ts';
import { warnOfMissingLimits } from '../database/statement-limits.ts';
import type { Services } from './services/build-services.ts';
import {
  connectDatabase,
  type ConnectedDatabase,
  type OpenDatabase,
  type Role,
  whenAvailable,
} from './connect-database.ts';
import type { ServiceMeasures, ServiceParts } from './shared-parts.ts';
import { followKeys, keyService, openKeys } from './open-keys.ts';
import { noteMigrations, prepareSchema, SERVER_MIGRATES } from './database-schema.ts';

/** Longest wait for resolvers when an installation closes. */
const SOURCES_TIMEOUT_MS = 1_000;
/** Additional wait for the answer to a statement after its time-out in the database. */
const ANSWER_TIMEOUT_MS = 2_000;

/** An installation that is ready for use. */
export interface Installation extends OpenDatabase {
  readonly services: Services & { readonly keys: KeyService };
}

interface OpeningOptions {
  /** The clock of the service, which is set here; default: one of its own. */
  readonly clock?: DatabaseClock | undefined;
  readonly metrics?: ServiceMeasures | undefined;
  /** Aborts the opening. */
  readonly giveUp?: AbortSignal | undefined;
  /** Does not start an embedded database that is not running. */
  readonly joinsOnly?: boolean | undefined;
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
  options: OpeningOptions = {},
): Promise<Installation> {
  const licenceSignature = await openLicenceKey(config);
  // While the embedded database starts.
  const loading = loadServices(role);
  const open = (): Promise<Installation> =>
    openOnce(config, role, log, { ...options, licenceSignature, loading });
  return role === 'guest' || config.databaseUrl === undefined
    ? open()
    : whenAvailable(open, log, options.giveUp);
}

/** The parts that each attempt to open an installation uses again. */
interface OpeningParts extends OpeningOptions {
  readonly licenceSignature: LicenceSignature | undefined;
  readonly loading: ReturnType<typeof loadServices>;
}

async function openOnce(config: Config, role: Role, log: Log, parts: OpeningParts): Promise<Installation> {
  const { clock = new DatabaseClock(), metrics, giveUp, joinsOnly } = parts;
  const serves = role === 'server';
  const opening = { role, create: serves, log, clock, giveUp, joinsOnly };
  const connected = await connectDatabase(config, opening);
  const { database, close } = connected;
  let unfollowKeys: (() => Promise<void>) | undefined;
  const prepare = async (): Promise<Installation> => {
    const migrated = await prepareSchema(config, database, role, log, giveUp);
    const keys = await openKeys(config, database, log);
    unfollowKeys = serves ? await followKeys(database, keys, log) : undefined;
    const { buildServices, hasher } = await parts.loading;
    const services = buildServices({
      database,
      vault: keys.vault,
      securityModule: keys.securityModule,
      hasher,
      ...configuredParts(config),
      clock,
      log,
      licenceSignature: parts.licenceSignature,
      metrics,
      configurationWindow: serves ? CONFIGURATION_WINDOW_MS : 0,
      credentialWindow: serves ? CONFIGURATION_WINDOW_MS : 0,
    });
    if (serves) {
      // An installation with a key has a journal; a missing one means that the trail was emptied.
      await database.audit.open();
      await noteMigrations(database, SERVER_MIGRATES, migrated);
      await limitStatements(connected, config, log);
    }
    giveUp?.throwIfAborted();
    const unfollow = serves ? followChanges(services, connected, log) : undefined;
    return {
      database,
      services: { ...services, keys: keyService(database, keys) },
      close: async () => {
        const following = [unfollow?.(), unfollowKeys?.(), services.statusWatch?.end()];
        await Promise.all([...following, services.stopVerification()]);
        await Promise.race([services.closeSources(), sleep(SOURCES_TIMEOUT_MS, undefined, { ref: false })]);
        await close();
      },
    };
  };
  try {
    return await unlessAborted(prepare(), giveUp);
  } catch (error) {
    await Promise.all([unfollowKeys?.(), close()]);
    throw error;
  }
}

/** Bounds statements, after the migrations, which may take long. */
async function limitStatements(
  connected: ConnectedDatabase,
  { databaseStatementTimeout }: Config,
  log: Log,
): Promise<void> {
  connected.limitStatements(databaseStatementTimeout * 1000 + ANSWER_TIMEOUT_MS);
  await warnOfMissingLimits(connected.database, log);
}

/** @returns the parts that the configuration gives */
function configuredParts(
  config: Config,
): Pick<
  ServiceParts,
  | 'random'
  | 'transactionIds'
  | 'sessionLifetime'
  | 'publicUrl'
  | 'singleSignOn'
  | 'passwordsAtOnce'
  | 'statusWaits'
  | 'resolverTimeout'
  | 'resolverFileDirs'
  | 'challengeRetention'
  | 'auditRetention'
> {
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
  };
}

/** @throws ServiceError 'configuration.invalid' if the file of the secret cannot be read */
function singleSignOnOf({ singleSignOn: configured }: Config): ServiceParts['singleSignOn'] {
  return (
    configured && {
      ...configured,
      clientSecret: readSecretFile('OIDC_CLIENT_SECRET_FILE', configured.clientSecretFile),
    }
  );
}

async function loadServices(role: Role): Promise<{
  buildServices: (parts: ServiceParts) => Services;
  hasher: ServiceParts['hasher'];
}> {
  const [{ buildServices }, { Argon2PasswordHasher }] = await Promise.all([
    role === 'guest'
      ? import('./services/guest-services.ts').then(({ guestServices }) => ({ buildServices: guestServices }))
      : import('./services/build-services.ts'),
    import('../security/passwords/password-hash.ts'),
  ]);
  return { buildServices, hasher: new Argon2PasswordHasher() };
}

/** Follows changes of configuration, credentials and watched challenges by other servers. @returns the function that stops following */
function followChanges(
  { configuration, credentials, statusWatch }: Services,
  { options }: ConnectedDatabase,
  log: Log,
): () => Promise<void> {
  const database = { ...options, applicationName: 'tankeeper listener' };
  const kept = {
    confirm: () => Promise.all([configuration.confirm(), credentials.confirm()]),
    expire: () => {
      configuration.expire();
      credentials.expire();
    },
  };
  const follower = new ConfigurationFollower({
    kept,
    database,
    log,
    listens: options.keepsStatements,
    challenges: statusWatch,
  });
  follower.start();
  return () => follower.stop();
}

/**
 * @returns the verifier of licences; undefined if no key is configured. The key is read once, at the start
 * @throws ServiceError 'configuration.invalid' if the file cannot be read or holds no such key
 */
async function openLicenceKey({
  licencePublicKeyFile,
}: Pick<Config, 'licencePublicKeyFile'>): Promise<LicenceSignature | undefined> {
  if (licencePublicKeyFile === undefined) {
    return undefined;
  }
  const { JwsLicenceSignature } = await import('../security/licence-signature.ts');
  return new JwsLicenceSignature({
    publicKey: readSecretFile('LICENCE_PUBLIC_KEY_FILE', licencePublicKeyFile),
  });
}
