import { authenticate, authenticateByPassword, findCandidates } from '../authentication/authenticate.ts';
import { hasBody, type EndpointRequest, type Step } from './step.ts';

/**
 * Authenticates the sender of a body before a byte of it is read, and checks the right to send one that is larger than
 * usual. Both are checked again when all parameters are known.
 */
export const authorizeBody: Step = async (state, next) => {
  if (state.endpoint.access !== 'open' && hasBody(state)) {
    await state.server.guards.work.run(() => assertMaySend(state));
  }
  return next();
};

async function assertMaySend({
  endpoint,
  request,
  exchange,
  values,
  checks,
}: EndpointRequest): Promise<void> {
  const candidates =
    endpoint.access === 'password'
      ? [(await authenticateByPassword(request, exchange, checks)).principal]
      : await findCandidates(request, values, exchange, checks);
  const large = endpoint.access === 'open' ? undefined : endpoint.large;
  if (large === undefined) {
    return;
  }
  let refusal: unknown;
  for (const principal of candidates) {
    try {
      await large.authorize({ principal, requestId: exchange.requestId });
      return;
    } catch (error) {
      refusal = error;
    }
  }
  exchange.administrator = candidates.at(-1)?.administrator;
  throw refusal;
}

/** Authenticates the administrator, unless the endpoint is open. */
export const authenticateCaller: Step = async (state, next) => {
  const { endpoint, request, exchange, values, checks } = state;
  if (endpoint.access !== 'open') {
    state.identity =
      endpoint.access === 'password'
        ? await authenticateByPassword(request, exchange, checks)
        : await authenticate(request, values, exchange, checks, needsMoreThanCookie(state));
    exchange.administrator = state.identity.principal.administrator;
  }
  return next();
};

function needsMoreThanCookie({ endpoint, request }: EndpointRequest): boolean {
  const isOfProgram = !Object.keys(request.headers).some((name) => name.startsWith('sec-fetch-'));
  return endpoint.changesState && !(endpoint.endsLogin === true && isOfProgram);
}
