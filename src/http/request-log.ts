import type { Clock } from '../kernel/clock.ts';
import type { Log } from '../kernel/log.ts';
import type { ExchangeHandler } from './request/exchange.ts';

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
        aborted: response.writableFinished ? undefined : true,
      });
    });
    next();
  };
}
