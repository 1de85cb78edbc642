import type { AppMetrics } from '../http/app.ts';
import { ConnectionGuard } from '../http/limits/connection-guard.ts';
import type { Guards } from '../http/limits/guards.ts';
import { LargeBodyGuard } from '../http/limits/large-body-guard.ts';
import { LoginGuard } from '../http/limits/login-guard.ts';
import { networkMatcher } from '../http/limits/networks.ts';
import { type LimitMetrics, LimitReporter } from '../http/limits/limit-reporter.ts';
import { RequestGuard } from '../http/limits/request-guard.ts';
import { ResponseGuard } from '../http/limits/response-guard.ts';
import { WorkGuard } from '../http/limits/work-guard.ts';
import type { Clock } from '../kernel/clock.ts';
import { isServiceError } from '../kernel/errors.ts';
import type { LimitSettings } from '../kernel/limit.ts';
import type { Log } from '../kernel/log.ts';
import type { MonitoringService } from '../monitoring/monitoring-service.ts';
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
}

/** Seconds. */
const MINUTE = 60;
const QUARTER = 900;
/** Milliseconds. */
const LARGE_BODY_TIMEOUT_MS = 10_000;

/** The most concurrent connections to the port for metrics, which has few clients. */
const METRICS_CONNECTIONS = 100;

/** Bounds of the connections of a server. */
export interface ConnectionGuards {
  readonly connections: ConnectionGuard;
  /** Bounds those to the port for metrics. */
  readonly metricsConnections: ConnectionGuard;
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
    requests: new RequestGuard({ isExempt, refusals, most: limits.clientRequests }),
    work: new WorkGuard({ refusals, most: limits.requestsAtOnce }),
    largeBodies: new LargeBodyGuard({ refusals, patience: LARGE_BODY_TIMEOUT_MS }),
    responses: new ResponseGuard({
      isExempt,
      refusals,
      clients: shared('client', limits.clientFailures, MINUTE),
      transactions: shared('transaction', limits.transactionFailures, MINUTE),
    }),
    logins: new LoginGuard({
      isExempt,
      refusals,
      burst: shared('login', wrong, MINUTE),
      lasting: shared('login-lasting', 4 * wrong, QUARTER),
      clients: shared('login-client', 10 * wrong, QUARTER),
      accounts: shared('login-account', 20 * wrong, QUARTER),
      single: shared('login-single', 1, MINUTE),
    }),
    connections: new ConnectionGuard({
      refusals,
      most: limits.connections,
      isExempt: networkMatcher([...limits.exempt, ...trustProxy]),
    }),
    metricsConnections: new ConnectionGuard({ refusals, most: METRICS_CONNECTIONS, isExempt: () => true }),
  };
}

/** @returns the meters of the HTTP interface, and their text for administrators with the right `monitoring/metrics` */
export function appMetrics(
  metrics: ServiceMetrics,
  monitoring: Pick<MonitoringService, 'authorizeMetrics'>,
): AppMetrics {
  return {
    contentType: metrics.contentType,
    text: () => metrics.text(),
    requestBegun: () => metrics.requestBegun(),
    deprecatedPost: (endpoint) => {
      metrics.deprecatedPost(endpoint);
    },
    authorize: (caller) => monitoring.authorizeMetrics(caller),
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
