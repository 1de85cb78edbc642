import { setTimeout as sleep } from 'node:timers/promises';
import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { baseUrlOf, type Config, readSecretFile, unknownVariables } from '../config/config.ts';
import { PASSKEYS_OFF, passkeysOff } from '../administrators/passkey.ts';
import { systemClock } from '../kernel/clock.ts';
import type { Log } from '../kernel/log.ts';
import { untilAborted } from '../kernel/stop-request.ts';
import { createLogger } from '../observability/log.ts';
import type { Stopping } from './http-server.ts';
import { boundHeapGrowth, descriptorWarning, logOutput, watchSignals } from './process.ts';
import { startStartupServer, type StartupServer } from '../http/serving/startup-server.ts';
import { packageVersion } from '../kernel/package-version.ts';
import { ServiceMetrics, type BackgroundMetrics } from '../observability/metrics.ts';
import { DatabaseClock } from '../database/database-clock.ts';
import { type Installation, openInstallation } from './open-installation.ts';
import { type BackgroundLoop, backgroundRounds } from '../kernel/background-loop.ts';
import { auditUpkeep } from '../audit/audit-upkeep.ts';
import { ensureAuditMonths } from '../audit/pruning-store.ts';
import { countFolding } from '../monitoring/token-count-store.ts';
import { housekeepingRounds } from '../housekeeping/housekeeping-service.ts';
import { isServiceError, ServiceError } from '../kernel/errors.ts';
import type { Services } from '../services.ts';

/**
 * Serves until SIGTERM or SIGINT. SIGTERM, by which service managers end a server, lets it drain first. At SIGHUP it reads
 * its keys anew; in a terminal, whose end sends SIGHUP, it ends.
 * @throws ServiceError as `startTankeeper` does; the reason of the signals if a second one made it urgent
 */
export async function serve(config: Config): Promise<void> {
  boundHeapGrowth(30);
  const stream = logOutput();
  const log = createLogger({ level: config.logLevel, format: config.logFormat, stream, clock: systemClock });
  const tooFew = descriptorWarning(config);
  for (const warning of [
    ...unknownVariables().map((name) => `unknown variable ${name}`),
    ...(tooFew === undefined ? [] : [tooFew]),
    ...(passkeysOff(config.publicUrl) === 'address' ? [PASSKEYS_OFF.address] : []),
  ]) {
    log.warn(warning);
  }
  // Before the start: an interrupted start must not leave a database running.
  const stopSignals: readonly NodeJS.Signals[] = [
    'SIGTERM',
    'SIGINT',
    ...(stream.isTTY ? ['SIGHUP' as const] : []),
  ];
  const { requested, urgent, first } = watchSignals(process, undefined, stopSignals);
  const starting = startUnlessRequested(config, log, requested);
  if (!stream.isTTY) {
    readKeysAtHangUp(starting);
  }
  const server = await starting;
  if (server !== undefined) {
    await untilAborted(requested);
    const drain = first() === 'SIGTERM' ? config.drainTime : 0;
    log.info('Stopping', { drainSeconds: drain });
    urgent.addEventListener('abort', () => {
      log.info('Stopping at once: another signal came');
    });
    await server.stop({ drain: drain * 1000, urgent });
  }
  await log.end();
  // A statement that hangs in the database keeps its socket open, and with it the process.
  setTimeout(() => process.exit(), 500).unref();
  urgent.throwIfAborted();
}

/** A signal during the start counts after it: the keys may have been read before. */
function readKeysAtHangUp(starting: Promise<TankeeperServer | undefined>): void {
  let reading: Promise<unknown> = starting.catch(() => undefined);
  process.on('SIGHUP', () => {
    reading = reading.then(async () => (await starting)?.readKeys()).catch(() => undefined);
  });
}

/** @returns undefined if a stop was requested during the start */
async function startUnlessRequested(
  config: Config,
  log: Log,
  requested: AbortSignal,
): Promise<TankeeperServer | undefined> {
  try {
    const server = await startTankeeper(config, log, requested);
    const { firstAdministrator } = server;
    if (firstAdministrator?.password !== undefined) {
      process.stdout.write(
        `\nThe first administrator is '${firstAdministrator.name}'. The password, shown this once:\n\n  ${firstAdministrator.password}\n\nThe console: ${config.publicUrl ?? server.baseUrl}/console\n\n`,
      );
    }
    return server;
  } catch (error) {
    if (error !== requested.reason) {
      throw error;
    }
    log.info('Stopped before it was ready');
    return undefined;
  }
}

/**
 * Loads what sign-ins by password and deliveries would load only once they need it: an import that has failed, as the
 * process had no file left to open, fails until the next start. Passkeys, single sign-on and key files would take 6 MiB
 * of every server; that a process may have too few files is told by `descriptorWarning`.
 */
function loadLateModules(): Promise<unknown> {
  return Promise.all([
    import('bcryptjs'),
    import('../resolvers/sources/ldap/ldap-users.ts'),
    import('../webhooks/sending/http-sender.ts'),
  ]);
}

/** A running server. */
interface TankeeperServer {
  /** `http://host:port`, without a slash at its end. */
  readonly baseUrl: string;
  readonly services: Installation['services'];
  /** The first administrator if this start created one. */
  readonly firstAdministrator: FirstAdministrator | undefined;
  /** Reads the keys anew. */
  readKeys(): Promise<void>;
  /** Drains, lets running requests finish for seven seconds at most, closes the database. */
  stop(stopping: Stopping): Promise<void>;
}

/**
 * Opens the installation and listens.
 * @param giveUp aborts the start until the installation is open; the rest is short
 * @throws ServiceError 'database.unavailable', 'data-folder.in-use', 'configuration.invalid', 'key.unavailable',
 *   'address.unavailable'; the reason of `giveUp`
 */
async function startTankeeper(config: Config, log: Log, giveUp?: AbortSignal): Promise<TankeeperServer> {
  const clock = new DatabaseClock();
  const metrics = new ServiceMetrics({ clock });
  // While the embedded database starts.
  const loading = Promise.all([import('./http-server.ts'), loadLateModules()]);
  const opened: (() => Promise<unknown>)[] = [];
  try {
    let starting: Promise<StartupServer> | undefined;
    const delayed = (): void => {
      starting ??= startStartupServer(config);
    };
    const freePort = async (): Promise<void> => (await starting)?.close();
    opened.unshift(freePort);
    const installation = await openInstallation(config, 'server', log, { clock, metrics, giveUp, delayed });
    opened.unshift(installation.close);
    const [{ startHttpServer, startMetricsServer }] = await loading;
    measure(metrics, installation);
    const server = await startHttpServer(installation, { config, metrics, log, clock, freePort });
    opened.unshift(() => server.stop({ drain: 0 }));
    const forMetrics = await startMetricsServer(config, metrics, log);
    opened.unshift(async () => forMetrics?.close(0));
    // After the ports are bound: a start that fails there must not have made a password that is never shown.
    const firstAdministrator = await createFirstAdministrator(config, installation.services);
    server.begin();
    const baseUrl = baseUrlOf(config, server.port);
    log.info('Listening', { host: config.host, port: server.port, url: baseUrl });
    const stopBackgroundWork = startBackgroundWork(config, installation, log, metrics.background);
    return {
      baseUrl,
      services: installation.services,
      firstAdministrator,
      readKeys: () => installation.keys.readAnew(log),
      stop: async (stopping) => {
        const drained = await server.stop(stopping);
        await forMetrics?.close(0);
        await stopBackgroundWork();
        await installation.close();
        log.info(drained ? 'Stopped' : 'Stopped; some requests were cut off');
      },
    };
  } catch (error) {
    for (const close of opened) {
      await close();
    }
    throw error;
  }
}

/** Adds the metrics of the process, and of its use of the database and of resolvers, and of the installation. */
function measure(metrics: ServiceMetrics, { database, services }: Installation): void {
  metrics.measureProcess();
  metrics.measureDatabase(() => database.usage());
  metrics.resolvers.follow(() => services.configuration.assumed?.resolvers.map(({ name }) => name));
  metrics.measureServer({ version: packageVersion() });
  metrics.measureInstallation(() => services.installation.read());
  metrics.measureFindings(() => services.health.findings());
}

/** Starts the work of a server outside of requests. @returns the function that ends it */
function startBackgroundWork(
  config: Config,
  { database, services }: Installation,
  log: Log,
  metrics: BackgroundMetrics,
): () => Promise<void> {
  const folding = countFolding({ database, log, ended: metrics.roundsOf('counts') });
  folding.start();
  const upkeep = auditUpkeep({
    sealer: services.auditSealer,
    makeMonths: () => ensureAuditMonths(database),
    log,
    flush: () => services.refusals.flush(),
    ended: metrics.roundsOf('audit'),
  });
  upkeep.start();
  const observing = startObserving(services, log, metrics);
  const housekeeping = startHousekeeping(config, services, log, metrics);
  const dispatching = services.webhookDispatcher().then((dispatcher) => {
    dispatcher.start();
    return dispatcher;
  });
  return async () => {
    const dispatcher = await dispatching;
    await Promise.all([folding.stop(), housekeeping?.stop(), upkeep.stop(), dispatcher.stop(), observing()]);
  };
}

/** Milliseconds between two writes of what this process has seen. */
const OBSERVATIONS_MS = 5_000;
/** Longest wait for the last of them. */
const LAST_OBSERVATIONS_MS = 500;

/** @returns the function that writes the rest and ends it */
function startObserving(
  { observations }: Pick<Installation['services'], 'observations'>,
  log: Log,
  metrics: BackgroundMetrics,
): () => Promise<void> {
  const rounds = backgroundRounds({
    component: 'observations',
    log,
    pause: OBSERVATIONS_MS,
    firstPause: OBSERVATIONS_MS,
    ended: metrics.roundsOf('observations'),
    warning: 'Numbers of responses and the health of resolvers cannot be written: some are lost',
    round: async () => {
      await observations.flush();
      return false;
    },
  });
  rounds.start();
  return async () => {
    await rounds.stop();
    const last = observations.flush().catch(() => undefined);
    await Promise.race([last, sleep(LAST_OBSERVATIONS_MS, undefined, { ref: false })]);
  };
}

/** @returns undefined if HOUSEKEEPING_INTERVAL is `off` */
function startHousekeeping(
  { housekeepingInterval: interval }: Config,
  { housekeeping }: Installation['services'],
  log: Log,
  metrics: BackgroundMetrics,
): BackgroundLoop | undefined {
  if (interval === 'off') {
    return undefined;
  }
  const rounds = housekeepingRounds({
    round: (signal) => housekeeping.round(signal),
    interval: interval * 1000,
    log,
    ended: metrics.roundsOf('housekeeping'),
  });
  rounds.start();
  return rounds;
}

/** The administrator that a start has created; with the password if it is a random one. */
interface FirstAdministrator {
  readonly name: string;
  readonly password?: string;
}

/**
 * Creates the first administrator if there is none. To be called when nothing can stop the start any more: a random
 * password is shown only once.
 * @throws ServiceError 'configuration.invalid' if ADMIN_PASSWORD_FILE holds no password that is allowed
 */
async function createFirstAdministrator(
  { adminPasswordFile }: Config,
  { administrators }: Services,
): Promise<FirstAdministrator | undefined> {
  if (adminPasswordFile === undefined) {
    return administrators.ensureFirstAdministrator();
  }
  const password = readSecretFile('ADMIN_PASSWORD_FILE', adminPasswordFile);
  try {
    return await administrators.ensureFirstAdministrator(password);
  } catch (error) {
    throw isServiceError(error, 'parameter.invalid')
      ? new ServiceError(
          'configuration.invalid',
          `The password in ADMIN_PASSWORD_FILE does not do: ${error.message}`,
          {
            cause: error,
          },
        )
      : error;
  }
}

/** The place of the demo's server. */
export interface DemoServerOptions {
  /** The port on 127.0.0.1. */
  readonly port: number;
  /** An existing folder of the demo's own: database, keys and log all go there. */
  readonly folder: string;
  /** The file for the server's log lines; nothing is printed. */
  readonly logFile: string;
  /** Aborts the start. */
  readonly giveUp: AbortSignal;
}

/** A running server that the demo may drive. */
export interface DemoServer {
  /** `http://127.0.0.1:5001`, without a slash at its end. */
  readonly baseUrl: string;
  /** The password of the administrator `admin`; discarded with the server. */
  readonly adminPassword: string;
  readonly services: Services;
  /**
   * Stops the server and its database.
   * @param urgent when aborted, cuts running requests off at once
   */
  stop(urgent: AbortSignal): Promise<void>;
}

/** Starts a server with a database, a key and a log of its own, regardless of the environment. */
export async function startDemoServer(
  config: Config,
  { port, folder, logFile, giveUp }: DemoServerOptions,
): Promise<DemoServer> {
  const stream = createWriteStream(logFile, { mode: 0o600 });
  const log = createLogger({ level: 'info', format: 'json', stream, clock: systemClock });
  const server = await startTankeeper(
    {
      ...config,
      host: '127.0.0.1',
      port,
      metricsPort: undefined,
      serveApp: 'on',
      dataDir: folder,
      databaseUrl: undefined,
      encryptionKeyFile: join(folder, 'encryption.key'),
      pkcs11: undefined,
      adminPasswordFile: undefined,
    },
    log,
    giveUp,
  ).catch(async (error: unknown) => {
    await log.end();
    throw error;
  });
  return {
    baseUrl: server.baseUrl,
    adminPassword: server.firstAdministrator?.password ?? '',
    services: server.services,
    stop: async (urgent) => {
      await server.stop({ drain: 0, urgent });
      await log.end();
    },
  };
}
