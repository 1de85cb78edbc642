import type { IncomingMessage } from 'node:http';
import type { z } from 'zod';
import type { RefusalNotes } from '../accounts/audit/ports.ts';
import type { Caller } from '../accounts/caller.ts';
import type { ProvenPassword } from '../accounts/ports.ts';
import { ServiceError } from '../kernel/errors.ts';
import {
  assertCredential,
  authenticate,
  authenticateByPassword,
  type Checks,
  type Identity,
  refuseCrossSite,
} from './authenticate.ts';
import type { Asked, Exchange, ExchangeHandler, ExchangeResponse } from './exchange.ts';
import { withoutReason } from './kept-reasons.ts';
import type { Guards } from './limits/guards.ts';
import { type GivenParameters, pickParameters, readParameters } from './parameters.ts';
import { noteRefused } from './refused-requests.ts';
import { type Reply, send } from './reply.ts';
import type { BodyLimits } from './request-body.ts';

export type Method = 'GET' | 'POST';

/** What an endpoint says of itself: also the source of any description of the interface. */
interface EndpointFace<Shape extends z.ZodRawShape> {
  readonly path: `/${string}`;
  readonly methods: readonly Method[];
  /** What it is for, in words that precede the name of a missing parameter. */
  readonly usage: string;
  readonly parameters: z.ZodObject<Shape>;
  /** Whether it changes anything; requests that other sites made a browser send are then refused. */
  readonly changesState: boolean;
  /** How large the body may be, where more than usual is needed. */
  readonly bodyBytes?: number;
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
  readonly asked: Asked;
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

interface OpenEndpoint extends EndpointFace<z.ZodRawShape> {
  readonly access: 'open';
  readonly answer: (call: Call<GivenParameters>) => Promise<Reply> | Reply;
}

interface AdministratorEndpoint extends EndpointFace<z.ZodRawShape> {
  /** `password`: the administrator must give the password with the request. */
  readonly access: 'administrator' | 'password';
  readonly answer: (call: Call<GivenParameters>, identity: Identity) => Promise<Reply> | Reply;
}

/** @returns an endpoint that is open to all */
export function openEndpoint<Shape extends z.ZodRawShape>(
  face: EndpointFace<Shape>,
  answer: (call: Call<z.output<z.ZodObject<Shape>>>) => Promise<Reply> | Reply,
): Endpoint {
  return {
    ...face,
    access: 'open',
    answer: (call) => answer({ ...call, parameters: pickParameters(face.parameters, call.parameters) }),
  };
}

/** @returns an endpoint for administrators */
export function administratorEndpoint<Shape extends z.ZodRawShape>(
  face: EndpointFace<Shape> & Partial<Pick<AdministratorEndpoint, 'access'>>,
  answer: (call: AdministratorCall<z.output<z.ZodObject<Shape>>>) => Promise<Reply> | Reply,
): Endpoint {
  return {
    access: 'administrator',
    ...face,
    answer: (call, { principal, session, login, proven }) =>
      answer({
        ...call,
        parameters: pickParameters(face.parameters, call.parameters),
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
    exchange.asked = { ...exchange.asked, path: endpoint.path, usage: endpoint.usage };
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
    if (endpoint.bodyBytes !== undefined && endpoint.access !== 'open') {
      response.setHeader('Connection', 'close');
      await context.guards.work.run(() => assertCredential(request, exchange, context));
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
  const { guards } = context;
  const read = async (): Promise<string | undefined> => {
    const limits = limitsOf(endpoint, context);
    const parameters = await readParameters(request, response, limits, endpoint.repeated);
    exchange.asked = { ...exchange.asked, ...parameters };
    return parameters.given.get('transactionid') ?? parameters.given.get('state');
  };
  const work = (): Promise<Reply> => answerCall(endpoint, request, exchange, context);
  const answer = (): Promise<Reply> => (endpoint.answersAlways === true ? work() : guards.work.run(work));
  if (endpoint.takesResponses === true) {
    return guards.responses.guard(exchange.limitedAs, { read, answer });
  }
  await read();
  return answer();
}

function limitsOf({ bodyBytes }: Endpoint, { limits }: EndpointContext): BodyLimits {
  return bodyBytes === undefined ? limits : { ...limits, bytes: bodyBytes };
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
  const { asked, client, limitedAs, requestId } = exchange;
  const call = { parameters: asked.given, asked, client, limitedAs, requestId, secure: request.secure };
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
      : await authenticate(request, asked.given, exchange, checks);
  exchange.administrator = identity.principal.administrator;
  return endpoint.answer(call, identity);
}
