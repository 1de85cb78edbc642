import type { RequestListener } from 'node:http';
import type { Config } from '../config/config.ts';
import { readSecretFile } from '../config/secret-file.ts';
import { metricsListener } from '../http/serving/metrics-listener.ts';
import { type RunningServer, startServer } from '../http/serving/server.ts';
import { systemClock } from '../kernel/clock.ts';
import { systemRandom } from '../kernel/system-random.ts';
import { isServiceError, ServiceError } from '../kernel/errors.ts';
import type { Log } from '../kernel/log.ts';
import { untilAborted } from '../kernel/stop-request.ts';
import { createLogger } from '../observability/logger.ts';
import { ServiceMetrics } from '../observability/service-metrics.ts';
import { AuditUpkeep } from '../storage/audit/audit-upkeep.ts';
import type { BackgroundLoop } from '../kernel/background-loop.ts';
import { countFolding } from '../storage/counts/count-folding.ts';
import { housekeepingRounds } from '../storage/housekeeping/housekeeping-rounds.ts';
import { poolUsage } from '../storage/database/database.ts';
import { type Installation, openInstallation } from './open-installation.ts';
import type { Services } from './build-services.ts';
import type { ConnectionGuards } from './http-dependencies.ts';
import { packageVersion, watchSignals } from './process.ts';

/** Longest wait for running requests when the server stops; the rest of ten seconds is for the database. */
const DRAIN_TIMEOUT_MS = 7_000;

/** A running server. */
export interface TankeeperServer {
  /** `http://host:port`, without a slash at its end. */
  readonly baseUrl: string;
  readonly services: Installation['services'];
  /** The first administrator if this start created one; with the password if it is a random one. */
  readonly firstAdministrator: { readonly name: string; readonly password?: string } | undefined;
  /**
   * Refuses new requests, lets running ones finish for seven seconds at most, closes the database.
   * @param urgent when aborted, cuts running requests off at once
   */
  stop(urgent?: AbortSignal): Promise<void>;
}

/**
 * Serves until SIGTERM, SIGINT or SIGHUP.
 * @throws ServiceError as `startTankeeper` does; the reason of the signals if a second one made it urgent
 */
export async function serve(config: Config): Promise<void> {
  const log = createLogger({
    level: config.logLevel,
    format: config.logFormat,
    stream: process.stdout,
    clock: systemClock,
  });
  // Before the start: an interrupted start must not leave a database running.
  const { requested, urgent } = watchSignals();
  const server = await startUnlessRequested(config, log, requested);
  if (server !== undefined) {
    await untilAborted(requested);
    log.info('Stopping');
    urgent.addEventListener('abort', () => {
      log.info('Stopping at once: another signal came');
    });
    await server.stop(urgent);
  }
  await log.end();
  // A statement that hangs in the database keeps its socket open, and with it the process.
  setTimeout(() => process.exit(), 500).unref();
  urgent.throwIfAborted();
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
        `\nThe first administrator is '${firstAdministrator.name}'. The password, shown this once:\n\n  ${firstAdministrator.password}\n\n`,
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
 * @returns the version to show, by default only in the documented dialect; clients of others expect no version of ours
 */
function serviceVersion({ dialect, serviceVersion: given }: Config): string | undefined {
  return given ?? (dialect === 'documented' ? `Tankeeper ${packageVersion()}` : undefined);
}

/**
 * Opens the installation and listens.
 * @param giveUp aborts the start until the installation is open; the rest is short
 * @throws ServiceError 'database.unavailable', 'data-folder.in-use', 'configuration.invalid', 'key.unavailable',
 *   'address.unavailable'; the reason of `giveUp`
 */
export async function startTankeeper(
  config: Config,
  log: Log,
  giveUp?: AbortSignal,
): Promise<TankeeperServer> {
  const metrics = new ServiceMetrics({ clock: systemClock });
  // While the embedded database starts.
  const loading = Promise.all([import('../http/app.ts'), import('./http-dependencies.ts')]);
  const { database, services, close } = await openInstallation(config, 'server', log, { metrics, giveUp });
  try {
    const [{ createApp }, { appMetrics, buildGuards, readinessOf }] = await loading;
    metrics.measureProcess();
    metrics.measureDatabase(() => poolUsage(database));
    const guards = buildGuards({ ...config, database, metrics, log, clock: systemClock });
    const app = createApp({
      services: { ...services, ready: readinessOf(database) },
      config: { ...config, serviceVersion: serviceVersion(config) },
      metrics: appMetrics(metrics, services.monitoring),
      guards,
      log,
      clock: systemClock,
      random: systemRandom,
    });
    const server = await startServers(app, guards, metrics, config, log);
    // After the port is bound: a start that fails there must not have made a password that is never shown.
    const firstAdministrator = await createFirstAdministrator(config, services).catch(
      async (error: unknown) => {
        await server.close(0);
        throw error;
      },
    );
    const baseUrl = `http://${config.host.includes(':') ? `[${config.host}]` : config.host}:${server.port}`;
    log.info('Listening', { host: config.host, port: server.port });
    const folding = countFolding({ database, log });
    folding.start();
    const auditUpkeep = new AuditUpkeep({ database, log, flush: () => services.refusals.flush() });
    auditUpkeep.start();
    const housekeeping = startHousekeeping(config, services, log);
    return {
      baseUrl,
      services,
      firstAdministrator,
      stop: async (urgent) => {
        const drained = await server.close(DRAIN_TIMEOUT_MS, urgent);
        await Promise.all([folding.stop(), housekeeping?.stop(), auditUpkeep.stop()]);
        await close();
        log.info(drained ? 'Stopped' : 'Stopped; some requests were cut off');
      },
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** @returns undefined if HOUSEKEEPING_INTERVAL is `off` */
function startHousekeeping(
  { housekeepingInterval: interval }: Config,
  { housekeeping }: Services,
  log: Log,
): BackgroundLoop | undefined {
  if (interval === 'off') {
    return undefined;
  }
  const rounds = housekeepingRounds({
    round: (signal) => housekeeping.round(signal),
    interval: interval * 1000,
    log,
  });
  rounds.start();
  return rounds;
}

/** Starts the server, and one for metrics if METRICS_PORT is set. */
async function startServers(
  app: RequestListener,
  { connections, metricsConnections }: ConnectionGuards,
  metrics: ServiceMetrics,
  { host, port, metricsPort, limits }: Config,
  log: Log,
): Promise<RunningServer> {
  const server = await startServer(app, {
    ...{ host, port, connections },
    requestTimeout: limits.requestTimeout * 1000,
  });
  if (metricsPort === undefined) {
    return server;
  }
  try {
    const forMetrics = await startServer(metricsListener(metrics, log), {
      ...{ host, port: metricsPort, connections: metricsConnections },
    });
    log.info('Listening for metrics', { host, port: forMetrics.port });
    return {
      port: server.port,
      close: async (grace, urgent) => {
        const drained = await server.close(grace, urgent);
        await forMetrics.close(0);
        return drained;
      },
    };
  } catch (error) {
    await server.close(0);
    throw error;
  }
}

async function createFirstAdministrator(
  { adminPasswordFile }: Config,
  { administrators }: Services,
): Promise<TankeeperServer['firstAdministrator']> {
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
