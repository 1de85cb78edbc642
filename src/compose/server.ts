import { baseUrlOf, type Config } from '../config/config.ts';
import { startStartupServer } from '../http/serving/startup-server.ts';
import type { Log } from '../kernel/log.ts';
import { packageVersion } from '../kernel/package-version.ts';
import { ServiceMetrics } from '../observability/metrics.ts';
import { poolUsage } from '../database/database.ts';
import { DatabaseClock } from '../database/database-clock.ts';
import { startBackgroundWork } from './background-work.ts';
import { createFirstAdministrator, type FirstAdministrator } from './first-administrator.ts';
import { type Installation, openInstallation } from './open-installation.ts';

/** Longest wait for running requests when a server stops, in milliseconds; the rest of ten seconds is for the database. */
const DRAIN_TIMEOUT_MS = 7_000;

/** A running server. */
export interface TankeeperServer {
  /** `http://host:port`, without a slash at its end. */
  readonly baseUrl: string;
  readonly services: Installation['services'];
  /** The first administrator if this start created one. */
  readonly firstAdministrator: FirstAdministrator | undefined;
  /**
   * Refuses new requests, lets running ones finish for seven seconds at most, closes the database.
   * @param urgent when aborted, cuts running requests off at once
   */
  stop(urgent?: AbortSignal): Promise<void>;
}

/**
 * Opens the installation and listens.
 * @param giveUp aborts the start until the installation is open; the rest is short
 * @param unwrittenLines returns the number of lines that `log` could not write so far
 * @throws ServiceError 'database.unavailable', 'data-folder.in-use', 'configuration.invalid', 'key.unavailable',
 *   'address.unavailable'; the reason of `giveUp`
 */
export async function startTankeeper(
  config: Config,
  log: Log,
  giveUp?: AbortSignal,
  unwrittenLines = () => 0,
): Promise<TankeeperServer> {
  const clock = new DatabaseClock();
  const metrics = new ServiceMetrics({ clock });
  // While the embedded database starts.
  const loading = import('./http-server.ts');
  const opened: (() => Promise<unknown>)[] = [];
  try {
    const starting = await startStartupServer(config);
    opened.unshift(() => starting.close());
    const installation = await openInstallation(config, 'server', log, { clock, metrics, giveUp });
    opened.unshift(installation.close);
    const { startHttpServer, startMetricsServer } = await loading;
    measure(metrics, installation);
    metrics.measureLog(unwrittenLines);
    const freePort = (): Promise<void> => starting.close();
    const server = await startHttpServer(installation, { config, metrics, log, clock, freePort });
    opened.unshift(() => server.close(0));
    const forMetrics = await startMetricsServer(config, metrics, log);
    opened.unshift(async () => forMetrics?.close(0));
    // After the ports are bound: a start that fails there must not have made a password that is never shown.
    const firstAdministrator = await createFirstAdministrator(config, installation.services);
    const baseUrl = baseUrlOf(config, server.port);
    log.info('Listening', { host: config.host, port: server.port, url: baseUrl });
    const stopBackgroundWork = startBackgroundWork(config, installation, log, metrics.background);
    return {
      baseUrl,
      services: installation.services,
      firstAdministrator,
      stop: async (urgent) => {
        const drained = await server.close(DRAIN_TIMEOUT_MS, urgent);
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
  metrics.measureDatabase(() => ({ ...poolUsage(database), auditLanes: database.audit.lanes }));
  metrics.resolvers.follow(() => services.configuration.assumed?.resolvers.map(({ name }) => name));
  metrics.measureServer({ version: packageVersion() });
  metrics.measureInstallation(() => services.installation.read());
}
