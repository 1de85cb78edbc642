import { mergeSources, readQueryEntries, withholdSecrets } from '../request/parameters.ts';
import type { QueryEntry } from '../request/query-string.ts';
import { readBody } from '../request/request-body.ts';
import { type EndpointRequest, hasBody, type Step } from './step.ts';

/** Reads the parameters of the query string. */
export const readQueryString: Step = (state, next) => {
  state.query = readQueryEntries(state.request, state.server.limits.parameters);
  if (state.query.length > 0) {
    keep(state, []);
  }
  return next();
};

/** Reads the parameters of the body. */
export const readRest: Step = async (state, next) => {
  if (hasBody(state)) {
    const { endpoint, request, response, server, checks } = state;
    // A credential may expire while the server waits for the body.
    if (!request.complete) {
      checks.forget();
    }
    const large = endpoint.access === 'open' ? undefined : endpoint.large;
    keep(state, await readBody(request, response, server.limits, large));
  }
  return next();
};

function keep(state: EndpointRequest, body: readonly QueryEntry[]): void {
  const { endpoint, exchange, query, server } = state;
  const read = mergeSources({ query, body }, server.limits.parameters, endpoint.repeated);
  state.values = read.parameters;
  exchange.context = { ...exchange.context, ...withholdSecrets(read, endpoint.secrets) };
}
