import { RememberedChecks } from './authentication/authenticate.ts';
import { type Endpoint, endpointIn } from './endpoint-spec.ts';
import { type Reply, send, sendStream } from './reply.ts';
import type { ExchangeHandler } from './request/exchange.ts';
import {
  announceDeprecatedPost,
  answer,
  auditRefusal,
  authenticateCaller,
  authorizeBody,
  authorizeCaller,
  awaitLater,
  checkMethod,
  type EndpointRequest,
  limitRequests,
  limitResponses,
  limitTransaction,
  limitWork,
  pickDeclared,
  queueLargeBody,
  readQueryString,
  readRest,
  refuseForeign,
  type ServerContext,
  shareWithApps,
  type Step,
  withholdReasons,
} from './steps.ts';

/**
 * The steps of every request to an endpoint, in their order. Each runs those after it: `auditRefusal` sees the reply of
 * all others, and the limits on responses, large bodies and work hold until the steps after them have answered.
 * `awaitLater` precedes `limitWork`: a client that waits for a change takes no place of that limit.
 */
const STEPS: readonly Step[] = [
  auditRefusal,
  announceDeprecatedPost,
  shareWithApps,
  limitRequests,
  checkMethod,
  refuseForeign,
  limitResponses,
  readQueryString,
  authorizeBody,
  queueLargeBody,
  readRest,
  limitTransaction,
  awaitLater,
  limitWork,
  authenticateCaller,
  pickDeclared,
  authorizeCaller,
  withholdReasons,
  answer,
];

/** @returns the handler of all methods of the endpoint's path */
export function serveEndpoint(declared: Endpoint, server: ServerContext): ExchangeHandler {
  const endpoint = endpointIn(server.dialect.name, declared);
  return async (request, response) => {
    const { exchange } = response.locals;
    const { path, usage, family, failureText } = endpoint;
    exchange.context = { ...exchange.context, path, usage, family, failureText };
    const reply = await run(0, {
      endpoint,
      request,
      response,
      exchange,
      server,
      checks: new RememberedChecks(server),
      query: [],
      values: new Map(),
      picked: {},
      countTransaction: () => undefined,
      identity: undefined,
    });
    exchange.transaction = reply.transaction;
    if (reply.stream !== undefined) {
      await sendStream(response, reply, reply.stream);
    } else {
      send(response, reply);
    }
  };
}

/** Runs the step with that index, and through it all after it. Not `async`, which would add a promise for each step. */
function run(index: number, state: EndpointRequest): Promise<Reply> {
  const step = STEPS[index];
  if (step === undefined) {
    throw new Error('no step has answered the request');
  }
  return step(state, () => run(index + 1, state));
}
