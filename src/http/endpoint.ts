import { RememberedChecks } from './authentication/authenticate.ts';
import { type Endpoint, endpointIn } from './endpoint-spec.ts';
import { noteRefused } from './refused-requests.ts';
import { type Reply, send, sendStream } from './reply.ts';
import type { ExchangeHandler } from './request/exchange.ts';
import {
  announceDeprecatedPost,
  authenticateCaller,
  authorizeBody,
  authorizeCaller,
  awaitLater,
  callEndpoint,
  checkMethod,
  type EndpointRequest,
  hasBody,
  hasLargeBody,
  limitRequests,
  limitResponses,
  limitTransaction,
  pickDeclared,
  readQueryString,
  readRest,
  refuseEvenly,
  refuseForeign,
  type ServerContext,
  shareWithApps,
} from './steps.ts';

/** @returns the handler of all methods of the endpoint's path */
export function serveEndpoint(declared: Endpoint, server: ServerContext): ExchangeHandler {
  const endpoint = endpointIn(server.dialect.name, declared);
  const { path, usage, family, failureText } = endpoint;
  return async (request, response, next) => {
    const { exchange } = response.locals;
    if (endpoint.isOffered !== undefined && !(await endpoint.isOffered(exchange.client))) {
      next();
      return;
    }
    const { language, parameters, written } = exchange.context;
    exchange.context = { path, usage, family, failureText, language, parameters, written };
    const reply = await replyTo({
      endpoint,
      request,
      response,
      exchange,
      server,
      checks: new RememberedChecks(server),
      query: [],
      values: parameters,
      picked: {},
      countTransaction: () => undefined,
      identity: undefined,
    });
    exchange.transaction = reply.transaction;
    // Refusals that are thrown are recorded where failures are answered.
    if (reply.refused !== undefined) {
      await noteRefused(server.refusals, exchange, reply.refused);
    }
    if (reply.stream !== undefined) {
      await sendStream(response, reply, reply.stream);
    } else {
      send(response, reply);
    }
  };
}

/*
 * The steps of every request to an endpoint, in their order. A step refuses by throwing a ServiceError. The limits on
 * responses, large bodies and work hold until the steps in them have answered.
 */

async function replyTo(state: EndpointRequest): Promise<Reply> {
  announceDeprecatedPost(state);
  shareWithApps(state);
  await limitRequests(state);
  const preflight = checkMethod(state);
  if (preflight !== undefined) {
    return preflight;
  }
  refuseForeign(state);
  const { transactionNamedBy, refusesEvenly } = state.endpoint;
  if (transactionNamedBy !== undefined) {
    return limitResponses(state, () => readAndAnswer(state));
  }
  return refusesEvenly === true ? refuseEvenly(state, () => readAndAnswer(state)) : readAndAnswer(state);
}

async function readAndAnswer(state: EndpointRequest): Promise<Reply> {
  const { endpoint, server } = state;
  readQueryString(state);
  if (endpoint.access !== 'open' && hasBody(state)) {
    await server.guards.work.run(() => authorizeBody(state));
  }
  return hasLargeBody(state)
    ? server.guards.largeBodies.run(() => readRestAndAnswer(state))
    : readRestAndAnswer(state);
}

async function readRestAndAnswer(state: EndpointRequest): Promise<Reply> {
  const { endpoint, server } = state;
  if (hasBody(state)) {
    await readRest(state);
  }
  limitTransaction(state);
  const reply =
    endpoint.answersAlways === true ? await answer(state) : await server.guards.work.run(() => answer(state));
  // A client that waits for a change takes no place of the limit on work.
  return reply.later === undefined ? reply : awaitLater(state, reply.later);
}

async function answer(state: EndpointRequest): Promise<Reply> {
  if (state.endpoint.access !== 'open') {
    await authenticateCaller(state);
  }
  pickDeclared(state);
  await authorizeCaller(state);
  return callEndpoint(state);
}
