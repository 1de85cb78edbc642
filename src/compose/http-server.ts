import type { RequestListener } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { baseUrlOf, type Config } from '../config/config.ts';
import { createApp } from '../http/app.ts';
import type { Readiness } from '../http/controllers/operations-controller.ts';
import {
  type Guards,
  largeBodyGuard,
  RequestGuard,
  ResponseGuard,
  workGuard,
} from '../http/limits/guards.ts';
import { LIMIT_NAMES, type LimitMetrics, LimitReporter } from '../http/limits/limit-reporter.ts';
import { LoginGuard } from '../http/limits/login-guard.ts';
import { networkMatcher } from '../http/limits/networks.ts';
import type { AppMetrics } from '../http/served-endpoints.ts';
import type { ConnectionLimits } from '../http/serving/connections.ts';
import { metricsListener } from '../http/serving/metrics-listener.ts';
import { logUnreadable, type RunningServer, startServer } from '../http/serving/server.ts';
import { answerStarting } from '../http/serving/startup-server.ts';
import { builtSite, readSiteFiles, type SiteFiles } from '../http/site.ts';
import { KeptReading } from '../kernel/bounded-work.ts';
import { type Clock, systemClock } from '../kernel/clock.ts';
import { describeFault, type Log } from '../kernel/log.ts';
import { packageVersion } from '../kernel/package-version.ts';
import { systemRandom } from '../kernel/system-random.ts';
import type { MonitoringService } from '../monitoring/monitoring-service.ts';
import { seriesOfRealms } from '../monitoring/installation-metrics.ts';
import type { ServiceMetrics } from '../observability/metrics.ts';
import type { Database } from '../database/database.ts';
import { assertServes } from '../database/migrate.ts';
import { AttemptLimit } from '../limits/attempt-limit.ts';
import { LimitStore } from '../limits/limit-store.ts';
import type { Installation } from './open-installation.ts';

/** Seconds. */
const MINUTE = 60;
const QUARTER = 900;
/** Milliseconds. */
const LARGE_BODY_TIMEOUT_MS = 10_000;

/** The most different passwords of one client that are verified at the same time. */
const PASSWORDS_AT_ONCE = 8;

/** The most concurrent connections to the port for metrics, which has few clients. */
const METRICS_CONNECTIONS = 100;

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

/** Longest wait for running requests when a server stops, in milliseconds; the rest of ten seconds is for the database. */
const GRACE_MS = 7_000;
/** Milliseconds without a request after which a server that has drained closes a connection. */
const REST_MS = 1_000;

/** The way in which a server stops. */
export interface Stopping {
  /** Milliseconds for which requests are answered as ever, while /readyz already says that the server stops. */
  readonly drain: number;
  /** Its abort ends that, and cuts running requests off, at once. */
  readonly urgent?: AbortSignal | undefined;
}

/** The server of the whole HTTP interface. */
interface HttpServer extends Pick<RunningServer, 'port'> {
  /** Ends a first start: until then, requests are answered as by the startup server. */
  begin(): void;
  /** Lets running requests finish for seven seconds at most. @returns true if all of them did */
  stop(stopping: Stopping): Promise<boolean>;
}

/** Answers requests on PORT. @throws ServiceError 'address.unavailable' */
export async function startHttpServer(
  { database, services }: Installation,
  { config, metrics, log, clock, freePort }: HttpServerParts,
): Promise<HttpServer> {
  metrics.limitsAre(LIMIT_NAMES);
  // A first start has no administrator yet.
  const hasBegun = await assertServes(database).then(
    () => true,
    () => false,
  );
  const life = { hasBegun, isStopping: false };
  const guards = buildGuards({ ...config, database, metrics, log, clock });
  const app = createApp({
    services,
    readiness: readinessOf(() => assertServes(database), life, log),
    config: {
      ...config,
      serviceVersion: serviceVersion(config),
      documentedVersion: config.serveApiDocs === 'on' ? packageVersion() : undefined,
      appFiles: await siteFiles('app', config.serveApp, log),
      consoleFiles: await siteFiles('console', config.serveConsole, log),
    },
    metrics: appMetrics(metrics, services.monitoring),
    guards,
    log,
    clock,
    random: systemRandom,
  });
  const { host, port, requestTimeout } = config;
  await freePort();
  const listener: RequestListener = (request, response) => {
    (life.hasBegun ? app : answerStarting)(request, response);
  };
  const server = await startServer(listener, {
    host,
    port,
    app,
    connections: guards.connections,
    unreadable: logUnreadable({ log, clock }),
    requestTimeout: requestTimeout * 1000,
  });
  return {
    port: server.port,
    begin: () => {
      life.hasBegun = true;
    },
    stop: async ({ drain, urgent }) => {
      life.isStopping = true;
      if (drain > 0) {
        await sleep(drain, undefined, urgent && { signal: urgent }).catch(() => undefined);
      }
      const closed = server.close(GRACE_MS, { urgent, rest: drain > 0 ? REST_MS : 0 });
      // Requests that wait for a transaction would take all of the grace.
      void services.waitingRequests.end();
      return closed;
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
  const refusals = new LimitReporter({ metrics, log, clock: systemClock });
  const connections = { refusals, max: METRICS_CONNECTIONS, isExempt: () => true };
  const unreadable = logUnreadable({ log, clock: systemClock });
  const server = await startServer(metricsListener(metrics, log), { host, port, connections, unreadable });
  log.info('Listening for metrics', { host, port: server.port, url: baseUrlOf({ host }, server.port) });
  return server;
}

/**
 * @returns the version to show, by default only in the documented dialect; clients of others expect no version of ours
 */
function serviceVersion({ dialect, serviceVersion: configured }: Config): string | undefined {
  return configured ?? (dialect === 'documented' ? `Tankeeper ${packageVersion()}` : undefined);
}

/** The parts of guards. */
interface GuardParts {
  readonly limits: Config['limits'];
  readonly trustProxy: readonly string[];
  readonly database: Pick<Database, 'knex'>;
  readonly metrics: LimitMetrics;
  readonly log: Log;
  readonly clock: Clock;
}

/** @returns the guards between clients and the service */
export function buildGuards(parts: GuardParts): Guards & { readonly connections: ConnectionLimits } {
  const { limits, trustProxy, database, clock } = parts;
  const refusals = new LimitReporter(parts);
  const isExempt = networkMatcher(limits.exempt);
  const store = new LimitStore({ database });
  const shared = (name: string, points: number, duration: number): AttemptLimit =>
    new AttemptLimit({ store, clock, name, points, duration });
  const wrong = limits.loginFailures;
  return {
    requests: new RequestGuard({ isExempt, refusals, max: limits.clientRequests }),
    work: workGuard({ refusals, max: limits.requestsAtOnce }),
    largeBodies: largeBodyGuard({ refusals, timeoutMs: LARGE_BODY_TIMEOUT_MS }),
    responses: new ResponseGuard({
      isExempt,
      refusals,
      clients: shared('client', limits.clientFailures, MINUTE),
      transactions: shared('transaction', limits.transactionFailures, MINUTE),
    }),
    logins: new LoginGuard({
      isExempt,
      refusals,
      atOnce: PASSWORDS_AT_ONCE,
      names: shared('login', wrong, MINUTE),
      clients: shared('login-client', 10 * wrong, QUARTER),
    }),
    connections: {
      refusals,
      max: limits.connections,
      isExempt: networkMatcher([...limits.exempt, ...trustProxy]),
    },
  };
}

/**
 * @returns the meters of the HTTP interface, and their text for administrators with the right `monitoring:metrics`, of
 *   the realms in which it holds
 */
export function appMetrics(
  metrics: ServiceMetrics,
  monitoring: Pick<MonitoringService, 'metricRealms'>,
): AppMetrics {
  return {
    contentType: metrics.contentType,
    textFor: async (caller) => {
      const realms = await monitoring.metricRealms(caller);
      const text = await metrics.text();
      return realms === 'all' ? text : seriesOfRealms(text, realms);
    },
    requestBegun: () => metrics.requestBegun(),
    deprecatedPost: (endpoint) => {
      metrics.deprecatedPost(endpoint);
    },
  };
}

/**
 * Makes the check behind /readyz. The endpoint is open to every client, so checks at the same time share one
 * query and take one connection. Logs why the server is not ready, once until it is again.
 */
export function readinessOf(
  assertReady: () => Promise<void>,
  life: { readonly isStopping: boolean },
  log: Log,
): () => Promise<Readiness> {
  let isFaultLogged = false;
  const check = async (): Promise<Readiness> => {
    try {
      await assertReady();
      isFaultLogged = false;
      return 'ready';
    } catch (error) {
      if (!isFaultLogged) {
        isFaultLogged = true;
        log.error('The server is not ready', { component: 'database', ...describeFault(error) });
      }
      return 'unavailable';
    }
  };
  const shared = new KeptReading({ read: check, keptMs: 0, elapsed: () => performance.now() });
  return () => (life.isStopping ? Promise.resolve('stopping') : shared.current());
}
