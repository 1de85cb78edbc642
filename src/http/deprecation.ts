import type { ExchangeHandler } from './request/exchange.ts';

/** The page that describes the deprecation and its replacement. */
export const MONITORING_POST_PAGE = '/docs/monitoring-post';

/** The day of release 3.2, 2022-07-15, in seconds since 1970. */
const DEPRECATED_SINCE = 1_657_843_200;

/**
 * Adds to each answer to a POST the headers of its deprecation: `Deprecation` (RFC 9745), `Link` and, once the day is
 * set, `Sunset` (RFC 8594).
 */
export function announceDeprecatedPost(sunset: Date | undefined): ExchangeHandler {
  return (request, response, next) => {
    if (request.method === 'POST') {
      response.setHeader('Deprecation', `@${DEPRECATED_SINCE}`);
      response.setHeader('Link', `<${MONITORING_POST_PAGE}>; rel="deprecation"; type="text/html"`);
      if (sunset !== undefined) {
        response.setHeader('Sunset', sunset.toUTCString());
      }
    }
    next();
  };
}
