import type { Clock } from '../kernel/clock.ts';
import type { Log } from '../kernel/log.ts';
import type { ExchangeHandler } from './request/exchange.ts';

/**
 * Writes one line for each request when it is answered or aborted. Only the path of a known endpoint is written: any
 * other path may hold anything, even a password in the wrong place.
 * @param quiet paths of which only errors are logged
 */
export function logRequests(log: Log, clock: Clock, quiet: readonly string[]): ExchangeHandler {
  return (request, response, next) => {
    const { method } = request;
    response.once('close', () => {
      const { exchange } = response.locals;
      const { path } = exchange.context;
      const level =
        path !== undefined && quiet.includes(path) && response.statusCode < 400 ? 'debug' : 'info';
      log[level]('request', {
        requestId: exchange.requestId,
        method,
        path: path ?? '(unknown)',
        status: response.statusCode,
        code: exchange.failed,
        durationMs: Math.max(0, clock.now().getTime() - exchange.startedAt.getTime()),
        client: exchange.client,
        administrator: exchange.administrator,
        aborted: response.writableFinished || exchange.isStream ? undefined : true,
      });
    });
    next();
  };
}
