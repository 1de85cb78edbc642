import type { AppMetrics } from '../http/served-endpoints.ts';
import { ConnectionGuard, MAX_HELD } from '../http/limits/connection-guard.ts';
import type { Guards } from '../http/limits/guards.ts';
import { LoginGuard } from '../http/limits/login-guard.ts';
import { networkMatcher } from '../http/limits/networks.ts';
import { type LimitMetrics, LimitReporter } from '../http/limits/limit-reporter.ts';
import { OwnRequestCounts } from '../http/limits/own-request-counts.ts';
import { type RequestCounts, RequestGuard } from '../http/limits/request-guard.ts';
import { ResponseGuard } from '../http/limits/response-guard.ts';
import { StreamGuard } from '../http/limits/stream-guard.ts';
import { type StreamPlaces, StreamPlan } from '../http/limits/stream-places.ts';
import { largeBodyGuard, workGuard } from '../http/limits/work-guard.ts';
import type { Clock } from '../kernel/clock.ts';
import { isServiceError } from '../kernel/errors.ts';
import type { LimitSettings } from '../kernel/limit.ts';
import type { Log } from '../kernel/log.ts';
import { shareOf } from '../kernel/share.ts';
import type { MonitoringService } from '../monitoring/monitoring-service.ts';
import { seriesOfRealms } from '../observability/realm-rows.ts';
import type { ServiceMetrics } from '../observability/service-metrics.ts';
import type { Database } from '../storage/database/database.ts';
import { SharedLimit } from '../storage/limits/shared-limit.ts';

/** The parts of guards. */
export interface GuardParts {
  readonly limits: LimitSettings;
  readonly trustProxy: readonly string[];
  readonly database: Pick<Database, 'knex'>;
  readonly metrics: LimitMetrics;
  readonly log: Log;
  readonly clock: Clock;
  /** The number of workers that share the limits that no other part of them counts; default: 1. */
  readonly workers?: number;
  /** The requests of clients; by default this process counts them alone. */
  readonly requestCounts?: RequestCounts;
  /** The places of streams; by default this process has all of them. */
  readonly streamPlaces?: StreamPlaces;
}

/** Seconds. */
const MINUTE = 60;
const QUARTER = 900;
/** Milliseconds. */
const LARGE_BODY_TIMEOUT_MS = 10_000;

/** The most different passwords of one client that are verified at the same time: of a server, and least of a worker. */
const PASSWORDS_AT_ONCE = { server: 8, worker: 2 };

/** The most concurrent connections to the port for metrics, which has few clients. */
const METRICS_CONNECTIONS = 100;

/** The bound of the connections of a server. */
export interface ConnectionGuards {
  readonly connections: ConnectionGuard;
}

/** @returns the guards between clients and the service */
export function buildGuards(parts: GuardParts): Guards & ConnectionGuards {
  const { limits, trustProxy, database, clock, workers = 1 } = parts;
  const refusals = new LimitReporter(parts);
  const isExempt = networkMatcher(limits.exempt);
  const shared = (name: string, points: number, duration: number): SharedLimit =>
    new SharedLimit({ database, clock, name, points, duration, alone: shareOf(points, workers) });
  const wrong = limits.loginFailures;
  return {
    requests: new RequestGuard({
      isExempt,
      refusals,
      counts: parts.requestCounts ?? new OwnRequestCounts(limits.clientRequests),
    }),
    work: workGuard({ refusals, max: shareOf(limits.requestsAtOnce, workers) }),
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
      atOnce: shareOf(PASSWORDS_AT_ONCE.server, workers, PASSWORDS_AT_ONCE.worker),
      burst: shared('login', wrong, MINUTE),
      lasting: shared('login-lasting', 4 * wrong, QUARTER),
      clients: shared('login-client', 10 * wrong, QUARTER),
      accounts: shared('login-account', 20 * wrong, QUARTER),
      single: shared('login-single', 1, MINUTE),
    }),
    streams: new StreamGuard({
      refusals,
      places: parts.streamPlaces ?? new StreamPlan(limits.liveStreams).placesOf(process.pid),
    }),
    connections: new ConnectionGuard({
      refusals,
      max: shareOf(limits.connections, workers),
      isExempt: networkMatcher([...limits.exempt, ...trustProxy]),
      maxHeld: shareOf(MAX_HELD, workers, MAX_HELD / 2),
    }),
  };
}

/** @returns the bound of connections to the port for metrics */
export function metricsGuard(parts: Pick<GuardParts, 'metrics' | 'log' | 'clock'>): ConnectionGuard {
  return new ConnectionGuard({
    refusals: new LimitReporter(parts),
    max: METRICS_CONNECTIONS,
    isExempt: () => true,
  });
}

/**
 * @param text the text of all metrics of the server; default: those of this process
 * @returns the meters of the HTTP interface, and their text for administrators with the right `monitoring/metrics`, of
 *   the realms in which it holds
 */
export function appMetrics(
  metrics: ServiceMetrics,
  monitoring: Pick<MonitoringService, 'metricRealms'>,
  text: () => Promise<string> = () => metrics.text(),
): AppMetrics {
  return {
    contentType: metrics.contentType,
    textFor: async (caller) => {
      const realms = await monitoring.metricRealms(caller);
      return realms === 'all' ? text() : seriesOfRealms(await text(), realms);
    },
    requestBegun: () => metrics.requestBegun(),
    deprecatedPost: (endpoint) => {
      metrics.deprecatedPost(endpoint);
    },
  };
}

/**
 * Makes the check behind /readyz. The endpoint is open to every client, so checks at the same time share one
 * query and take one connection.
 * @returns a function that resolves to true if the database answers
 */
export function readinessOf(database: Pick<Database, 'ready'>): () => Promise<boolean> {
  let running: Promise<boolean> | undefined;
  return () => {
    running ??= answers(database).finally(() => {
      running = undefined;
    });
    return running;
  };
}

async function answers(database: Pick<Database, 'ready'>): Promise<boolean> {
  try {
    await database.ready();
    return true;
  } catch (error) {
    if (isServiceError(error, 'database.unavailable')) {
      return false;
    }
    throw error;
  }
}
