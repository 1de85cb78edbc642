import type { Clock } from '../kernel/clock.ts';
import type { Log } from '../kernel/log.ts';
import type { Exchange, ExchangeBeginning } from './request/exchange.ts';
import type { Caller } from '../policy/caller.ts';

/** The parameters that name a transaction, and the forms of its id. Any other value may be a secret in the wrong place. */
const NAMES = ['transactionid', 'state'];
const TRANSACTION_ID = /^(?:[\da-f]{20}|[\da-f]{24}|\d{12}|\d{17})$/;

function transactionOf({ transaction, context: { parameters } }: Exchange): string | undefined {
  return (
    transaction ?? NAMES.map((name) => parameters.get(name) ?? '').find((value) => TRANSACTION_ID.test(value))
  );
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
 * Measures every request and writes a line about it when it is answered or aborted. Only the path of a known endpoint is
 * written, or becomes a label: any other path may hold anything, even a password in the wrong place, and would make
 * labels without end.
 * Pages ask all day long, so that an answer without any news is logged for debugging only.
 * @param quiet paths of which only errors are logged
 */
export function followRequests({
  log,
  clock,
  metrics,
  quiet,
}: {
  readonly log: Log;
  readonly clock: Clock;
  readonly metrics: RequestMetrics;
  readonly quiet: readonly string[];
}): ExchangeBeginning {
  return ({ method }, response) => {
    const end = metrics.requestBegun();
    response.on('close', () => {
      const { statusCode, writableFinished } = response;
      const { exchange } = response.locals;
      const { path } = exchange.context;
      const isQuiet = statusCode === 304 || (path !== undefined && quiet.includes(path) && statusCode < 400);
      log[isQuiet ? 'debug' : 'info']('request', {
        requestId: exchange.requestId,
        method,
        path: path ?? '(unknown)',
        status: statusCode,
        code: exchange.failed,
        durationMs: Math.max(0, clock.now().getTime() - exchange.startedAt.getTime()),
        client: exchange.client,
        administrator: exchange.administrator,
        transaction: transactionOf(exchange),
        aborted: writableFinished ? undefined : true,
      });
      const endpoint = path ?? '(unknown)';
      const status = writableFinished ? `${Math.floor(statusCode / 100)}xx` : 'aborted';
      end({ endpoint, status, waitedMs: exchange.waitedMs });
      if (response.hasHeader('Deprecation')) {
        metrics.deprecatedPost(endpoint);
      }
    });
  };
}

/** The paths that monitoring systems request many times a minute. */
export const OPERATIONS_PATHS = {
  health: '/healthz',
  startup: '/startupz',
  readiness: '/readyz',
  metrics: '/metrics',
} as const;
