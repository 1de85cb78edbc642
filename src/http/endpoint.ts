import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Demands,
  authenticate,
  authenticateByPassword,
  type Checks,
  type Identity,
} from './authentication/authenticate.ts';
import { type Endpoint, endpointIn, type Picked } from './endpoint-spec.ts';
import { noteRefused } from './refused-requests.ts';
import { type Reply, send, sendStream } from './reply.ts';
import type { ExchangeHandler, Exchange, ExchangeRequest, ExchangeResponse } from './request/exchange.ts';
import type { Caller } from '../policy/caller.ts';
import type { RefusalNotes } from '../audit/refusal-trail.ts';
import type { RightsService } from '../policy/access-control.ts';
import type { Dialect } from './dialects/dialect.ts';
import type { Guards } from './limits/guards.ts';
import {
  type FormSyntax,
  mergeSources,
  pickParameters,
  type QueryEntry,
  readQueryEntries,
  type RequestValues,
  withholdSecrets,
} from './request/parameters.ts';
import { type BodyLimits, readBody } from './request/request-body.ts';
import { withoutReason } from './answer-failure.ts';
import { ServiceError } from '../kernel/errors.ts';
import { refuseNavigation } from './authentication/credentials.ts';

/** The services and limits that endpoints are served with. */
export interface ServerContext extends Checks {
  readonly limits: BodyLimits;
  readonly guards: Guards;
  readonly refusals: RefusalNotes;
  readonly dialect: Dialect;
  readonly rights: Pick<RightsService, 'require'>;
  /** The day on which POST to /monitoring ends; undefined: it is not set. */
  readonly monitoringPostSunset?: Date | undefined;
  /** Waits some milliseconds; default: a timer. */
  readonly pause?: ((milliseconds: number) => Promise<unknown>) | undefined;
  /** The origins elsewhere that serve the app, as browsers write them; default: none. */
  readonly appOrigins?: readonly string[] | undefined;
}

/** One request to an endpoint, and the results of its steps. */
interface EndpointRequest {
  readonly endpoint: Endpoint;
  readonly request: ExchangeRequest;
  readonly response: ExchangeResponse;
  readonly exchange: Exchange;
  readonly server: ServerContext;
  /** The parameters of the query string as given. */
  query: readonly QueryEntry[];
  /** All parameters that were read, secrets included. The context of the exchange has them without secrets. */
  values: RequestValues;
  /** Those that the endpoint declares, by its schema. */
  picked: Picked;
  /** Names the transaction to the guard of responses. @throws ServiceError 'too-many-requests' */
  countTransaction: (transaction: string) => void;
  /** When the body had been read, in the milliseconds of `performance.now`. */
  arrived?: number;
  /** The administrator, once authenticated. */
  identity: Identity | undefined;
}

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
    exchange.context = { ...exchange.context, path, usage, family, failureText };
    const reply = await replyTo({
      endpoint,
      request,
      response,
      exchange,
      server,
      query: [],
      values: exchange.context.parameters,
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
  limitRequests(state);
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
  const { largeBodies, work } = state.server.guards;
  readQueryString(state);
  if (!hasLargeBody(state)) {
    return readRestAndAnswer(state);
  }
  await work.run(() => admitLargeBody(state));
  return largeBodies.run(() => readRestAndAnswer(state));
}

async function readRestAndAnswer(state: EndpointRequest): Promise<Reply> {
  const { endpoint, request, server } = state;
  // The body of a GET has no meaning (RFC 9110 §9.3.1).
  if (request.method === 'POST') {
    await readRest(state);
    // Of a large body, the bytes may have come over minutes: the credential may have been revoked meanwhile.
    state.identity = undefined;
  }
  limitTransaction(state);
  const reply =
    endpoint.answersAlways === true ? await answer(state) : await server.guards.work.run(() => answer(state));
  // A client that waits for a change takes no place of the limit on work.
  return reply.later === undefined ? reply : awaitLater(state, reply.later);
}

async function answer(state: EndpointRequest): Promise<Reply> {
  await authenticateCaller(state);
  state.picked = pickParameters(state.endpoint.parameters, state.values);
  await authorizeCaller(state);
  return callEndpoint(state);
}

/** Waits for an answer that comes later, as long as the client does. */
async function awaitLater(
  { request, response, exchange }: EndpointRequest,
  later: NonNullable<Reply['later']>,
): Promise<Reply> {
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
    return await later(gone.signal);
  } finally {
    response.off('close', leave);
    exchange.waitedMs = performance.now() - begun;
  }
}

/** Milliseconds between the times after the complete arrival of a request at which it may be refused. */
const REFUSAL_STEP_MS = 500;

/** Refuses at the next of few times, which hide what was done before. A request holds no place of a limit meanwhile. */
async function refuseEvenly(state: EndpointRequest, serve: () => Promise<Reply>): Promise<Reply> {
  const { pause = sleep } = state.server;
  const begun = performance.now();
  try {
    return await serve();
  } catch (error) {
    // Of a body that comes slowly, the client would choose where in a step the work ends.
    const arrived = state.arrived ?? begun;
    await pause(REFUSAL_STEP_MS - ((performance.now() - arrived) % REFUSAL_STEP_MS));
    throw error;
  }
}

/** The names and IPv4 addresses that the attribute `Domain` of a cookie may hold. */
const HOST_NAME = /^[a-z\d](?:[a-z\d.-]{0,252}[a-z\d])?$/i;

/** @param request of HTTP/1.0 it may name no host */
function hostOf({ hostname }: { readonly hostname?: string }): string | undefined {
  return hostname !== undefined && HOST_NAME.test(hostname) ? hostname : undefined;
}

/** Calls the endpoint. Withholds from callers of an open one the reason why a resolver, a file or a key failed. */
async function callEndpoint({
  endpoint,
  request,
  exchange,
  server,
  picked,
  identity,
}: EndpointRequest): Promise<Reply> {
  const { context, client, limitedAs, requestId } = exchange;
  const call = {
    parameters: picked,
    context,
    dialect: server.dialect,
    client,
    limitedAs,
    requestId,
    servedAt: {
      // Express compares the scheme exactly, and a proxy may write it in capitals.
      secure: request.protocol.toLowerCase() === 'https',
      host: hostOf(request),
      prefix: exchange.prefix,
    },
    cookies: request.headers.cookie,
    csrfToken: request.headers['x-csrf-token']?.toString(),
    ifNoneMatch: request.method === 'POST' ? undefined : request.headers['if-none-match'],
    caller: identity && callerOf(identity, exchange),
    session: identity?.session,
    login: identity?.login,
    proven: identity?.proven,
  };
  try {
    return await endpoint.answer(call);
  } catch (error) {
    throw endpoint.access === 'open' ? withoutReason(error) : error;
  }
}

function callerOf({ principal }: Identity, { requestId }: Exchange): Caller {
  return { principal, requestId };
}

/** The page that describes the deprecation and its replacement. */
export const MONITORING_POST_PAGE = '/docs/monitoring-post';

/** The day of release 3.2, 2022-07-15, in seconds since 1970. */
const DEPRECATED_SINCE = 1_657_843_200;

/**
 * Adds to each answer to a POST that is deprecated the headers that say so: `Deprecation` (RFC 9745), `Link` and, once
 * the day is set, `Sunset` (RFC 8594).
 */
function announceDeprecatedPost({ endpoint, request, response, exchange, server }: EndpointRequest): void {
  if (endpoint.isPostDeprecated === true && request.method === 'POST') {
    response.setHeader('Deprecation', `@${DEPRECATED_SINCE}`);
    response.setHeader(
      'Link',
      `<${exchange.prefix}${MONITORING_POST_PAGE}>; rel="deprecation"; type="text/html"`,
    );
    if (server.monitoringPostSunset !== undefined) {
      response.setHeader('Sunset', server.monitoringPostSunset.toUTCString());
    }
  }
}

/** Refuses methods that the endpoint does not have. @returns the answer to OPTIONS; undefined for other methods */
function checkMethod({ endpoint: { allowed }, request, response }: EndpointRequest): Reply | undefined {
  if (!allowed.includes(request.method)) {
    response.setHeader('Allow', allowed.join(', '));
    throw new ServiceError('method.not-allowed', `The method ${request.method} is not allowed here`);
  }
  return request.method === 'OPTIONS' ? { status: 204, headers: { Allow: allowed.join(', ') } } : undefined;
}

/**
 * Refuses a change that a page of another site made a browser send (https://www.w3.org/TR/fetch-metadata/), and the step
 * of a sign-in that is no request of a page. Clients without the headers pass.
 */
function refuseForeign({ endpoint, request }: EndpointRequest): void {
  if (!endpoint.changesState || endpoint.fromAnySite === true) {
    return;
  }
  const site = request.headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none') {
    throw new ServiceError(
      'cross-site.refused',
      'A request that another site made a browser send is refused here',
    );
  }
  if (endpoint.requires === 'sign-in' || endpoint.requires === 'user-session') {
    refuseNavigation(request);
  }
}

/** Seconds for which a browser may remember the answer to a preflight; no browser remembers it longer than a day. */
const PREFLIGHT_AGE = 7_200;

/**
 * Lets pages of the app's other origins call the endpoint and read its answer (https://fetch.spec.whatwg.org/#http-cors-protocol),
 * never with credentials. The headers are also those of a refusal by a later step. Any other origin is answered as if it
 * had sent no `Origin`: its browser keeps the answer from the page.
 */
function shareWithApps({ endpoint, request, response, server }: EndpointRequest): void {
  const { appOrigins = [] } = server;
  if (endpoint.calledByApps !== true || appOrigins.length === 0) {
    return;
  }
  response.setHeader('Vary', 'Origin');
  const { origin } = request.headers;
  if (origin === undefined || !appOrigins.includes(origin)) {
    return;
  }
  response.setHeader('Access-Control-Allow-Origin', origin);
  if (request.method === 'OPTIONS') {
    response.setHeader('Access-Control-Allow-Methods', endpoint.methods.join(', '));
    response.setHeader('Access-Control-Allow-Headers', 'Content-Type');
    response.setHeader('Access-Control-Max-Age', PREFLIGHT_AGE);
  } else {
    // Date: a device compares its clock. Retry-After: it waits when a limit is reached.
    response.setHeader('Access-Control-Expose-Headers', 'Date, Retry-After');
  }
}

/** Reads the parameters of the query string. */
function readQueryString(state: EndpointRequest): void {
  const { parameters } = state.server.limits;
  state.query = readQueryEntries(state.request, parameters, syntaxOf(state));
  if (state.query.length > 0) {
    keep(state, []);
  }
}

function syntaxOf({ endpoint, server }: EndpointRequest): FormSyntax {
  const keepsPercent = server.dialect.name === 'linotp';
  return { keepsPercent, splitsAtSemicolon: keepsPercent && endpoint.family === 'linotp2' };
}

/** Reads the parameters of the body. */
async function readRest(state: EndpointRequest): Promise<void> {
  const { endpoint, request, server } = state;
  const form = { large: endpoint.large, syntax: syntaxOf(state) };
  keep(state, await readBody(request, server.limits, form));
  state.arrived = performance.now();
}

function keep(state: EndpointRequest, body: readonly QueryEntry[]): void {
  const { endpoint, exchange, query, server } = state;
  const read = mergeSources({ query, body }, server.limits.parameters, endpoint.repeated);
  state.values = read.parameters;
  exchange.context = { ...exchange.context, ...withholdSecrets(read, endpoint.secrets) };
}

/**
 * Authenticates the sender of a large body before a byte of it is read, so by headers and the query string alone, and
 * checks the right to send one.
 */
async function admitLargeBody(state: EndpointRequest): Promise<void> {
  await authenticateCaller(state);
  await authorizeCaller(state);
}

/** Authenticates the administrator once, unless the endpoint is open. */
async function authenticateCaller(state: EndpointRequest): Promise<void> {
  const { endpoint, request, exchange, server, values } = state;
  if (endpoint.access === 'open' || state.identity !== undefined) {
    return;
  }
  state.identity =
    endpoint.access === 'password'
      ? await authenticateByPassword(request, exchange, server)
      : await authenticate(request, values, exchange, server, demandsOf(state));
  exchange.administrator = state.identity.principal.administrator;
}

/** Checks the rights that the endpoint declares. Services only bound what is seen by the realms in which they hold. */
async function authorizeCaller({ endpoint, exchange, server, identity }: EndpointRequest): Promise<void> {
  if (identity !== undefined) {
    await server.rights.require(callerOf(identity, exchange), endpoint.rights);
  }
}

function demandsOf({ endpoint, request, query }: EndpointRequest): Demands {
  const isOfProgram = !Object.keys(request.headers).some((name) => name.startsWith('sec-fetch-'));
  return {
    changesState: endpoint.changesState && !(endpoint.endsLogin === true && isOfProgram),
    isCsrfInUrl: query.some(([name]) => name.toLowerCase() === 'csrf_token'),
  };
}

/** Limits the requests of a client. Probes of liveness and readiness are always answered. */
function limitRequests({ endpoint, exchange, server }: EndpointRequest): void {
  if (endpoint.answersAlways !== true || endpoint.access !== 'open') {
    server.guards.requests.admit(exchange.limitedAs);
  }
}

/** Limits the responses of a client that are not accepted. Its limit is checked before the request is read. */
function limitResponses(state: EndpointRequest, serve: () => Promise<Reply>): Promise<Reply> {
  return state.server.guards.responses.guard(state.exchange.limitedAs, (countTransaction) => {
    state.countTransaction = countTransaction;
    return serve();
  });
}

/** Limits the responses to one transaction that are not accepted. */
function limitTransaction({ endpoint, values, countTransaction }: EndpointRequest): void {
  const name = endpoint.transactionNamedBy?.find((one) => values.get(one)?.trim());
  countTransaction(name === undefined ? '' : (values.get(name) ?? ''));
}

/** @returns true for a body that may be larger than others: one at a time is read and processed */
function hasLargeBody({ endpoint, request: { headers, method }, server }: EndpointRequest): boolean {
  return (
    endpoint.large !== undefined &&
    method === 'POST' &&
    (headers['transfer-encoding'] !== undefined ||
      Number(headers['content-length'] ?? 0) > server.limits.bytes)
  );
}
