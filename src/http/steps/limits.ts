import { mayExceed } from '../request/request-body.ts';
import { hasBody, type Step } from './step.ts';

/** Limits the requests of a client. Probes of liveness and readiness are always answered. */
export const limitRequests: Step = async ({ endpoint, exchange, server }, next) => {
  if (endpoint.answersAlways !== true || endpoint.access !== 'open') {
    await server.guards.requests.admit(exchange.limitedAs);
  }
  return next();
};

/** Limits the responses of a client that are not accepted. Its limit is checked before the request is read. */
export const limitResponses: Step = (state, next) => {
  const { endpoint, exchange, server } = state;
  if (endpoint.transactionNamedBy === undefined) {
    return next();
  }
  return server.guards.responses.guard(exchange.limitedAs, (countTransaction) => {
    state.countTransaction = countTransaction;
    return next();
  });
};

/** Limits the responses to one transaction that are not accepted. */
export const limitTransaction: Step = ({ endpoint, values, countTransaction }, next) => {
  const name = endpoint.transactionNamedBy?.find((one) => values.has(one));
  countTransaction(name === undefined ? '' : (values.get(name) ?? ''));
  return next();
};

/** Admits one large body at a time to be read and processed. */
export const queueLargeBody: Step = (state, next) => {
  const { endpoint, request, server } = state;
  const isLarge =
    endpoint.access !== 'open' &&
    endpoint.large !== undefined &&
    hasBody(state) &&
    mayExceed(request, server.limits.bytes);
  return isLarge ? server.guards.largeBodies.run(next) : next();
};

/** Limits the requests that are processed at once. */
export const limitWork: Step = ({ endpoint, server }, next) =>
  endpoint.answersAlways === true ? next() : server.guards.work.run(next);
