import { once } from 'node:events';
import { type IncomingMessage, request as requestByHttp } from 'node:http';
import { request as requestByHttps } from 'node:https';
import type { Fetch } from './dependencies.ts';

/** Statuses whose answer has no body. */
const BODILESS: readonly number[] = [204, 205, 304];

/**
 * Sends a request as `fetch` does, but to any port: `fetch` refuses those that browsers block, such as 10080, on which a
 * server may well listen. Follows no redirect.
 */
export const plainFetch: Fetch = async (url, options) => {
  // Encodes the body, and says its type.
  const wanted = new Request(url, options);
  const body = Buffer.from(await wanted.arrayBuffer());
  const send = wanted.url.startsWith('https:') ? requestByHttps : requestByHttp;
  const sent = send(wanted.url, {
    method: wanted.method,
    headers: { ...Object.fromEntries(wanted.headers), 'content-length': body.length },
    signal: wanted.signal,
    agent: false,
  });
  sent.end(body);
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  const status = answer.statusCode ?? 0;
  const pieces = (await answer.toArray()) as Buffer[];
  if (wanted.redirect === 'error' && answer.headers.location !== undefined && status >= 300 && status < 400) {
    throw new TypeError('unexpected redirect');
  }
  return new Response(BODILESS.includes(status) ? null : Buffer.concat(pieces), { status });
};
