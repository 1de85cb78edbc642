import { baseUrlOf, type Config } from '../config/config.ts';
import { createApp } from '../http/app.ts';
import { LIMIT_NAMES } from '../http/limits/limit-reporter.ts';
import { metricsListener } from '../http/serving/metrics-listener.ts';
import { type RunningServer, startServer } from '../http/serving/server.ts';
import { builtSite, readSiteFiles, type SiteFiles } from '../http/sites/site-files.ts';
import { type Clock, systemClock } from '../kernel/clock.ts';
import type { Log } from '../kernel/log.ts';
import { systemRandom } from '../kernel/system-random.ts';
import type { ServiceMetrics } from '../observability/service-metrics.ts';
import { appMetrics, buildGuards, metricsGuard, readinessOf } from './http-dependencies.ts';
import type { Installation } from './open-installation.ts';
import { packageVersion } from '../kernel/package-version.ts';

/** The parts of a server, besides the installation. */
interface HttpServerParts {
  readonly config: Config;
  readonly metrics: ServiceMetrics;
  /** Frees the port, on which something else answers until this server can. */
  readonly freePort: () => Promise<unknown>;
  readonly log: Log;
  /** The clock of the service. */
  readonly clock: Clock;
}

/** Answers requests on PORT. @throws ServiceError 'address.unavailable' */
export async function startHttpServer(
  { database, services }: Installation,
  { config, metrics, log, clock, freePort }: HttpServerParts,
): Promise<RunningServer> {
  metrics.limitsAre(LIMIT_NAMES);
  const guards = buildGuards({ ...config, database, metrics, log, clock });
  const app = createApp({
    services,
    ready: readinessOf(database),
    config: {
      ...config,
      serviceVersion: serviceVersion(config),
      documentedVersion: config.apiDocs === 'on' ? packageVersion() : undefined,
      appFiles: await siteFiles('app', config.app, log),
      consoleFiles: await siteFiles('console', config.console, log),
    },
    metrics: appMetrics(metrics, services.monitoring),
    guards,
    log,
    clock,
    random: systemRandom,
  });
  const { host, port, limits } = config;
  await freePort();
  const server = await startServer(app, {
    host,
    port,
    connections: guards.connections,
    requestTimeout: limits.requestTimeout * 1000,
  });
  return {
    port: server.port,
    close: (grace, urgent) => {
      // Requests that wait for a transaction, and streams, would take all of the grace.
      void services.statusWatch.end();
      void services.live.end();
      return server.close(grace, urgent);
    },
  };
}

/** @returns the files of a site; undefined: it is off, or it has not been built */
async function siteFiles(
  name: 'app' | 'console',
  state: 'on' | 'off',
  log: Log,
): Promise<SiteFiles | undefined> {
  const folder = state === 'on' ? builtSite(name) : undefined;
  if (state === 'on' && folder === undefined) {
    log.warn(`There is nothing at /${name}: it has not been built. Run npm run build`, { component: name });
  }
  return folder === undefined ? undefined : readSiteFiles(folder);
}

/**
 * Shows the metrics on METRICS_PORT, if it is set.
 * @throws ServiceError 'address.unavailable'
 */
export async function startMetricsServer(
  { host, metricsPort: port }: Config,
  metrics: ServiceMetrics,
  log: Log,
): Promise<RunningServer | undefined> {
  if (port === undefined) {
    return undefined;
  }
  const connections = metricsGuard({ metrics, log, clock: systemClock });
  const server = await startServer(metricsListener(metrics, log), { host, port, connections });
  log.info('Listening for metrics', { host, port: server.port, url: baseUrlOf({ host }, server.port) });
  return server;
}

/**
 * @returns the version to show, by default only in the documented dialect; clients of others expect no version of ours
 */
function serviceVersion({ dialect, serviceVersion: configured }: Config): string | undefined {
  return configured ?? (dialect === 'documented' ? `Tankeeper ${packageVersion()}` : undefined);
}
