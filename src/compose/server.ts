import type { RequestListener } from 'node:http';
import type { Config } from '../config/config.ts';
import { readSecretFile } from '../config/secret-file.ts';
import { createApp } from '../http/app.ts';
import { metricsListener } from '../http/serving/metrics-listener.ts';
import { type RunningServer, startServer } from '../http/serving/server.ts';
import { systemClock, systemRandom } from '../kernel/clock.ts';
import { isServiceError, ServiceError } from '../kernel/errors.ts';
import type { Log } from '../kernel/log.ts';
import { ServiceMetrics } from '../observability/service-metrics.ts';
import { AuditUpkeep } from '../storage/audit/audit-upkeep.ts';
import type { BackgroundLoop } from '../kernel/background-loop.ts';
import { countFolding } from '../storage/counts/count-folding.ts';
import { housekeepingRounds } from '../storage/housekeeping/housekeeping-rounds.ts';
import { poolUsage } from '../storage/database/database.ts';
import { appMetrics } from './app-metrics.ts';
import { buildGuards, type ConnectionGuards } from './build-guards.ts';
import { type Installation, openInstallation } from './open-installation.ts';
import type { Services } from './build-services.ts';
import { packageVersion } from './package-version.ts';
import { readinessOf } from './readiness.ts';

/** How long requests at work may take when the server stops, in milliseconds; the rest of ten seconds is for the database. */
const GRACE = 7_000;

/** A server at work. */
export interface TankeeperServer {
  /** `http://host:port`, without a slash at its end. */
  readonly baseUrl: string;
  readonly services: Installation['services'];
  /** The first administrator, when this start created one; with the password, when a random one was made. */
  readonly firstAdministrator: { readonly name: string; readonly password?: string } | undefined;
  /**
   * Takes no more requests, lets those at work finish for seven seconds at most, closes the database.
   * @param urgent cuts those at work off at once when it is aborted
   */
  stop(urgent?: AbortSignal): Promise<void>;
}

/** Other dialects than our own say what their clients expect. */
function serviceVersion({ dialect, serviceVersion: given }: Config): string | undefined {
  return given ?? (dialect === 'documented' ? `Tankeeper ${packageVersion()}` : undefined);
}

/**
 * Opens the installation and listens.
 * @param giveUp gives the start up until the installation is open, when it is aborted; what then follows is short
 * @throws ServiceError 'database.unavailable', 'data-folder.in-use', 'configuration.invalid', 'key.unavailable',
 *   'address.unavailable'; the reason of `giveUp`
 */
export async function startTankeeper(
  config: Config,
  log: Log,
  giveUp?: AbortSignal,
): Promise<TankeeperServer> {
  const metrics = new ServiceMetrics({ clock: systemClock });
  const { database, services, close } = await openInstallation(config, 'server', log, { metrics, giveUp });
  try {
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
    // Only now that the start cannot fail for the port: a password made before would have been shown to nobody.
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
        const drained = await server.close(GRACE, urgent);
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

/** @returns undefined where the configuration says that somebody else does it */
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

/** The server itself, and one for metrics where a port is set for them. */
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
