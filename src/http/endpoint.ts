import type { IncomingMessage } from 'node:http';
import type { z } from 'zod';
import type { RefusalNotes } from '../audit/ports.ts';
import type { Caller } from '../policy/caller.ts';
import type { ProvenPassword } from '../administrators/ports.ts';
import { ServiceError } from '../kernel/errors.ts';
import {
  authenticate,
  authenticateByPassword,
  type Checks,
  findCandidates,
  type Identity,
  refuseCrossSite,
} from './authentication/authenticate.ts';
import type { RequestContext, Exchange, ExchangeHandler, ExchangeResponse } from './request/exchange.ts';
import { withoutReason } from './kept-reasons.ts';
import type { Guards } from './limits/guards.ts';
import {
  type RequestValues,
  mergeSources,
  type ParameterSources,
  pickParameters,
  readQueryEntries,
} from './request/parameters.ts';
import { noteRefused } from './refused-requests.ts';
import { type Reply, send } from './reply.ts';
import type { Entry } from './request/query-string.ts';
import { RememberedChecks } from './authentication/remembered-checks.ts';
import { type BodyLimits, type LargeParameter, mayExceed, readBody } from './request/request-body.ts';
import { announcesBody } from './request/unread-body.ts';

export type Method = 'GET' | 'POST';

/** What an endpoint says of itself: also the source of any description of the interface. */
interface EndpointSpec<Shape extends z.ZodRawShape> {
  readonly path: `/${string}`;
  readonly methods: readonly Method[];
  /** What it is for, in words that precede the name of a missing parameter. */
  readonly usage: string;
  readonly parameters: z.ZodObject<Shape>;
  /** Whether it changes anything; requests that other sites made a browser send are then refused. */
  readonly changesState: boolean;
  /** Whether it takes responses from everybody: those that are not accepted are then bounded. */
  readonly takesResponses?: boolean;
  /** Whether it answers also while the server has too much to do. */
  readonly answersAlways?: boolean;
  /** Which value of a repeated parameter counts; the last unless told. */
  readonly repeated?: 'first' | 'last';
}

/** One call of an endpoint. */
export interface Call<Parameters> {
  readonly parameters: Parameters;
  readonly context: RequestContext;
  /** The client's address. */
  readonly client: string;
  /** As whom limits count the client. */
  readonly limitedAs: string;
  readonly requestId: string;
  /** Whether it came over https, as far as trusted proxies tell. */
  readonly secure: boolean;
}

/** A call of which it is known who makes it. */
export interface AdministratorCall<Parameters> extends Call<Parameters> {
  readonly caller: Caller;
  /** The session that proved who calls; undefined: another credential did. */
  readonly session: string | undefined;
  /** The session of the login that proved who calls; undefined: another credential did. */
  readonly login: string | undefined;
  /** The password that was given, where the endpoint asks for one. */
  readonly proven: ProvenPassword | undefined;
}

/** An endpoint, ready to be served. */
export type Endpoint = OpenEndpoint | AdministratorEndpoint;

interface OpenEndpoint extends EndpointSpec<z.ZodRawShape> {
  readonly access: 'open';
  readonly answer: (call: Call<RequestValues>) => Promise<Reply> | Reply;
}

interface AdministratorSpec {
  /** `password`: the administrator must give the password with the request. */
  readonly access: 'administrator' | 'password';
  /** The parameter that needs a larger body than usual, for those who may send it. */
  readonly large?: LargeParameter & {
    /** @throws ServiceError 'right.missing' */
    readonly authorize: (caller: Caller) => Promise<void>;
  };
}

interface AdministratorEndpoint extends EndpointSpec<z.ZodRawShape>, AdministratorSpec {
  readonly answer: (call: Call<RequestValues>, identity: Identity) => Promise<Reply> | Reply;
}

/** @returns an endpoint that is open to all */
export function openEndpoint<Shape extends z.ZodRawShape>(
  spec: EndpointSpec<Shape>,
  answer: (call: Call<z.output<z.ZodObject<Shape>>>) => Promise<Reply> | Reply,
): Endpoint {
  return {
    ...spec,
    access: 'open',
    answer: (call) => answer({ ...call, parameters: pickParameters(spec.parameters, call.parameters) }),
  };
}

/** @returns an endpoint for administrators */
export function administratorEndpoint<Shape extends z.ZodRawShape>(
  spec: EndpointSpec<Shape> & Partial<AdministratorSpec>,
  answer: (call: AdministratorCall<z.output<z.ZodObject<Shape>>>) => Promise<Reply> | Reply,
): Endpoint {
  return {
    access: 'administrator',
    ...spec,
    answer: (call, { principal, session, login, proven }) =>
      answer({
        ...call,
        parameters: pickParameters(spec.parameters, call.parameters),
        session,
        login,
        proven,
        caller: { principal, requestId: call.requestId },
      }),
  };
}

/** What serving an endpoint needs. */
export interface EndpointContext extends Checks {
  readonly limits: BodyLimits;
  readonly guards: Guards;
  readonly refusals?: RefusalNotes | undefined;
}

/** @returns the handler of all methods of the endpoint's path */
export function serveEndpoint(endpoint: Endpoint, context: EndpointContext): ExchangeHandler {
  return async (request, response) => {
    const { exchange } = response.locals;
    exchange.context = { ...exchange.context, path: endpoint.path, usage: endpoint.usage };
    // Whoever asks whether the server lives or is ready is told, whatever else the same address asks for.
    if (endpoint.answersAlways !== true || endpoint.access !== 'open') {
      await context.guards.requests.admit(exchange.limitedAs);
    }
    const allow = allowedMethods(endpoint);
    if (!allow.includes(request.method)) {
      response.setHeader('Allow', allow.join(', '));
      throw new ServiceError('method.not-allowed', `The method ${request.method} is not allowed here`);
    }
    if (request.method === 'OPTIONS') {
      response.writeHead(204, { Allow: allow.join(', ') }).end();
      return;
    }
    if (endpoint.changesState) {
      refuseCrossSite(request);
    }
    const reply = await guarded(endpoint, request, response, context);
    await noteRefused(context.refusals, exchange, reply.refused);
    send(response, reply);
  };
}

type EndpointRequest = Parameters<ExchangeHandler>[0];

/** Reads the request and answers it, as far as its limits let it through. */
async function guarded(
  endpoint: Endpoint,
  request: EndpointRequest,
  response: ExchangeResponse,
  context: EndpointContext,
): Promise<Reply> {
  const { exchange } = response.locals;
  const { guards, limits } = context;
  const checks = new RememberedChecks(context);
  const large = endpoint.access === 'open' ? undefined : endpoint.large;
  // A body of GET and HEAD has no meaning (RFC 9110 §9.3.1) and is not read.
  const hasBody = request.method === 'POST' && announcesBody(request);
  const readQuery = (): Entry[] => {
    const query = readQueryEntries(request, limits.parameters);
    take(exchange, { query, body: [] }, endpoint, limits);
    return query;
  };
  const readRest = async (query: readonly Entry[]): Promise<void> => {
    if (hasBody) {
      // What the server has to wait for may come when a credential is no longer good.
      if (!request.complete) {
        checks.forget();
      }
      const body = await readBody(request, response, limits, large);
      take(exchange, { query, body }, endpoint, limits);
    }
  };
  const work = (): Promise<Reply> => answerCall(endpoint, request, exchange, checks);
  const answer = (): Promise<Reply> => (endpoint.answersAlways === true ? work() : guards.work.run(work));
  if (endpoint.takesResponses === true) {
    const read = async (): Promise<string | undefined> => {
      await readRest(readQuery());
      return exchange.context.parameters.get('transactionid') ?? exchange.context.parameters.get('state');
    };
    return guards.responses.guard(exchange.limitedAs, { read, answer });
  }
  const query = readQuery();
  if (hasBody && endpoint.access !== 'open') {
    await guards.work.run(() => assertMaySend(endpoint, request, exchange, checks));
  }
  const readAndAnswer = async (): Promise<Reply> => {
    await readRest(query);
    return answer();
  };
  return hasBody && large !== undefined && mayExceed(request, limits.bytes)
    ? guards.largeBodies.run(readAndAnswer)
    : readAndAnswer();
}

function take(
  exchange: Exchange,
  sources: ParameterSources,
  { repeated }: Endpoint,
  { parameters }: BodyLimits,
): void {
  exchange.context = { ...exchange.context, ...mergeSources(sources, parameters, repeated) };
}

/**
 * Looks at who sends a body, before a byte of it is read, and whether they have the right to send one that is larger than
 * usual. It is looked at again when all parameters are known.
 */
async function assertMaySend(
  endpoint: AdministratorEndpoint,
  request: IncomingMessage,
  exchange: Exchange,
  checks: Checks,
): Promise<void> {
  const candidates =
    endpoint.access === 'password'
      ? [(await authenticateByPassword(request, exchange, checks)).principal]
      : await findCandidates(request, exchange.context.parameters, exchange, checks);
  const { large } = endpoint;
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

function allowedMethods({ methods }: Pick<Endpoint, 'methods'>): string[] {
  return methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])).concat('OPTIONS');
}

async function answerCall(
  endpoint: Endpoint,
  request: IncomingMessage & { readonly secure: boolean },
  exchange: Exchange,
  checks: Checks,
): Promise<Reply> {
  const { context, client, limitedAs, requestId } = exchange;
  const call = {
    parameters: context.parameters,
    context,
    client,
    limitedAs,
    requestId,
    secure: request.secure,
  };
  if (endpoint.access === 'open') {
    try {
      return await endpoint.answer(call);
    } catch (error) {
      throw withoutReason(error);
    }
  }
  const identity =
    endpoint.access === 'password'
      ? await authenticateByPassword(request, exchange, checks)
      : await authenticate(request, context.parameters, exchange, checks);
  exchange.administrator = identity.principal.administrator;
  return endpoint.answer(call, identity);
}
