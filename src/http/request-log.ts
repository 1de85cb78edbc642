import type { Clock } from '../kernel/clock.ts';
import type { Log } from '../kernel/log.ts';
import type { Exchange, ExchangeHandler } from './request/exchange.ts';
import type { Caller } from '../policy/caller.ts';

/**
 * Writes one line for each request when it is answered or aborted. Only the path of a known endpoint is written: any
 * other path may hold anything, even a password in the wrong place.
 * Pages ask all day long, so that an answer without any news is logged for debugging only.
 * @param quiet paths of which only errors are logged
 */
export function logRequests(log: Log, clock: Clock, quiet: readonly string[]): ExchangeHandler {
  return (request, response, next) => {
    const { method } = request;
    response.once('close', () => {
      const { exchange } = response.locals;
      const { path } = exchange.context;
      const { statusCode } = response;
      const isQuiet = statusCode === 304 || (path !== undefined && quiet.includes(path) && statusCode < 400);
      const level = isQuiet ? 'debug' : 'info';
      log[level]('request', {
        requestId: exchange.requestId,
        method,
        path: path ?? '(unknown)',
        status: statusCode,
        code: exchange.failed,
        durationMs: Math.max(0, clock.now().getTime() - exchange.startedAt.getTime()),
        client: exchange.client,
        administrator: exchange.administrator,
        transaction: exchange.transaction ?? namedTransaction(exchange),
        aborted: response.writableFinished ? undefined : true,
      });
    });
    next();
  };
}

/** The parameters that name a transaction, and the forms of its id. Any other value may be a secret in the wrong place. */
const NAMES = ['transactionid', 'state'];
const TRANSACTION_ID = /^(?:[\da-f]{20}|[\da-f]{24}|\d{12}|\d{17})$/;

function namedTransaction({ context: { parameters } }: Exchange): string | undefined {
  return NAMES.map((name) => parameters.get(name) ?? '').find((value) => TRANSACTION_ID.test(value));
}

/** The measurements of requests. */
export interface RequestMetrics {
  /**
   * Counts a request that has begun.
   * @returns a function to be called when it has been answered or aborted, with the path of its endpoint and the class
   *   of the status (`2xx`) or `aborted`, and the milliseconds that it waited as the client requested
   */
  requestBegun(): (end: {
    readonly endpoint: string;
    readonly status: string;
    readonly waitedMs: number;
  }) => void;
  /** Counts a POST to an endpoint where POST is deprecated. */
  deprecatedPost(endpoint: string): void;
}

/** The measurements as text, for the collector. */
export interface MetricsText {
  readonly contentType: string;
  text(): Promise<string>;
}

/** The measurements as text, for administrators and their programs. */
export interface MetricsForCallers {
  readonly contentType: string;
  /**
   * @returns those that the caller may see
   * @throws ServiceError 'right.missing'
   */
  textFor(caller: Caller): Promise<string>;
}

/**
 * Measures every request, and counts the answers that announce a deprecation. Only the path of a known endpoint becomes
 * a label: other paths would make labels without end.
 */
export function measureRequests(metrics: RequestMetrics): ExchangeHandler {
  return (_request, response, next) => {
    const end = metrics.requestBegun();
    response.once('close', () => {
      const { context, waitedMs } = response.locals.exchange;
      const endpoint = context.path ?? '(unknown)';
      const status = response.writableFinished ? `${Math.floor(response.statusCode / 100)}xx` : 'aborted';
      end({ endpoint, status, waitedMs });
      if (response.hasHeader('Deprecation')) {
        metrics.deprecatedPost(endpoint);
      }
    });
    next();
  };
}

/** The paths that monitoring systems request many times a minute. */
export const OPERATIONS_PATHS = {
  health: '/healthz',
  startup: '/startupz',
  readiness: '/readyz',
  metrics: '/metrics',
} as const;
