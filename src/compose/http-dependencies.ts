import type { AppMetrics } from '../http/served-endpoints.ts';
import { ConnectionGuard } from '../http/limits/connection-guard.ts';
import type { Guards } from '../http/limits/guards.ts';
import { LoginGuard } from '../http/limits/login-guard.ts';
import { networkMatcher } from '../http/limits/networks.ts';
import { type LimitMetrics, LimitReporter } from '../http/limits/limit-reporter.ts';
import { RequestGuard } from '../http/limits/request-guard.ts';
import { ResponseGuard } from '../http/limits/response-guard.ts';
import { largeBodyGuard, workGuard } from '../http/limits/work-guard.ts';
import type { Clock } from '../kernel/clock.ts';
import { isServiceError } from '../kernel/errors.ts';
import type { LimitSettings } from '../kernel/limit.ts';
import type { Log } from '../kernel/log.ts';
import type { MonitoringService } from '../monitoring/monitoring-service.ts';
import { seriesOfRealms } from '../observability/realm-rows.ts';
import type { ServiceMetrics } from '../observability/service-metrics.ts';
import type { Database } from '../database/database.ts';
import { SharedLimit } from '../storage/limits/shared-limit.ts';

/** The parts of guards. */
export interface GuardParts {
  readonly limits: LimitSettings;
  readonly trustProxy: readonly string[];
  readonly database: Pick<Database, 'knex'>;
  readonly metrics: LimitMetrics;
  readonly log: Log;
  readonly clock: Clock;
}

/** Seconds. */
const MINUTE = 60;
const QUARTER = 900;
/** Milliseconds. */
const LARGE_BODY_TIMEOUT_MS = 10_000;

/** The most different passwords of one client that are verified at the same time. */
const PASSWORDS_AT_ONCE = 8;

/** The most concurrent connections to the port for metrics, which has few clients. */
const METRICS_CONNECTIONS = 100;

/** The bound of the connections of a server. */
export interface ConnectionGuards {
  readonly connections: ConnectionGuard;
}

/** @returns the guards between clients and the service */
export function buildGuards(parts: GuardParts): Guards & ConnectionGuards {
  const { limits, trustProxy, database, clock } = parts;
  const refusals = new LimitReporter(parts);
  const isExempt = networkMatcher(limits.exempt);
  const shared = (name: string, points: number, duration: number): SharedLimit =>
    new SharedLimit({ database, clock, name, points, duration });
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
      burst: shared('login', wrong, MINUTE),
      lasting: shared('login-lasting', 4 * wrong, QUARTER),
      clients: shared('login-client', 10 * wrong, QUARTER),
      accounts: shared('login-account', 20 * wrong, QUARTER),
      single: shared('login-single', 1, MINUTE),
    }),
    connections: new ConnectionGuard({
      refusals,
      max: limits.connections,
      isExempt: networkMatcher([...limits.exempt, ...trustProxy]),
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
 * @returns the meters of the HTTP interface, and their text for administrators with the right `monitoring/metrics`, of
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
