import type { ExchangeHandler } from './request/exchange.ts';

/** What is measured of requests. */
export interface RequestMetrics {
  /**
   * A request has come.
   * @returns to be called when it has been answered or given up: with the path of its endpoint, and the class of the
   *   status (`2xx`) or `aborted`
   */
  requestBegun(): (end: { readonly endpoint: string; readonly status: string }) => void;
  /** POST was used where it is deprecated. */
  deprecatedPost(endpoint: string): void;
}

/** What was measured, for whoever collects it. */
export interface MetricsText {
  readonly contentType: string;
  text(): Promise<string>;
}

/**
 * Measures every request, and counts those whose answers say that they are deprecated. Of the path only that of a known
 * endpoint becomes a label: whatever else clients ask for would be labels without end.
 */
export function measureRequests(metrics: RequestMetrics): ExchangeHandler {
  return (_request, response, next) => {
    const end = metrics.requestBegun();
    response.once('close', () => {
      const endpoint = response.locals.exchange.context.path ?? '(unknown)';
      const status = response.writableFinished ? `${Math.floor(response.statusCode / 100)}xx` : 'aborted';
      end({ endpoint, status });
      if (response.hasHeader('Deprecation')) {
        metrics.deprecatedPost(endpoint);
      }
    });
    next();
  };
}
