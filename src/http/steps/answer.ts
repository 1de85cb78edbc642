import { withoutReason } from '../kept-reasons.ts';
import { noteRefused } from '../refused-requests.ts';
import type { Step } from './step.ts';

/** Records in the audit the refusal in an answer. Thrown refusals are recorded where failures are answered. */
export const auditRefusal: Step = async ({ exchange, server }, next) => {
  const reply = await next();
  await noteRefused(server.refusals, exchange, reply.refused);
  return reply;
};

/** Withholds from callers of an open endpoint the reason why a resolver, a file or a key failed. */
export const withholdReasons: Step = async ({ endpoint }, next) => {
  try {
    return await next();
  } catch (error) {
    throw endpoint.access === 'open' ? withoutReason(error) : error;
  }
};

/** Waits for an answer that comes later, as long as the client does. Holds no place of the limits after it. */
export const awaitLater: Step = async ({ request, response, exchange }, next) => {
  const reply = await next();
  if (reply.later === undefined) {
    return reply;
  }
  const begun = performance.now();
  const gone = new AbortController();
  const leave = (): void => {
    exchange.waitedMs = performance.now() - begun;
    gone.abort();
  };
  // Before the listeners that measure the request.
  response.prependOnceListener('close', leave);
  if (response.destroyed || request.socket.destroyed) {
    gone.abort();
  }
  try {
    return await reply.later(gone.signal);
  } finally {
    response.off('close', leave);
    exchange.waitedMs = performance.now() - begun;
  }
};

/** Calls the endpoint. */
export const answer: Step = async ({ endpoint, request, exchange, values, identity }) => {
  const { context, client, limitedAs, requestId } = exchange;
  const call = {
    parameters: values,
    context,
    client,
    limitedAs,
    requestId,
    // Express compares the scheme exactly, and a proxy may write it in capitals.
    secure: request.protocol.toLowerCase() === 'https',
    cookies: request.headers.cookie,
    ifNoneMatch: request.method === 'POST' ? undefined : request.headers['if-none-match'],
  };
  if (endpoint.access === 'open') {
    return endpoint.answer(call);
  }
  if (identity === undefined) {
    throw new Error('the caller has not been authenticated');
  }
  return endpoint.answer(call, identity);
};
