import type { Request, RequestHandler, Response } from 'express';
import type { Clock, Random } from '../../kernel/clock.ts';
import { type Family, familyWithoutEndpoint } from '../dialects/family.ts';
import { type Language, preferredLanguage } from '../messages/languages.ts';
import type { Origin } from '../authentication/origin.ts';
import type { RequestValues } from './parameters.ts';

/** What an answer refers to. */
export interface RequestContext {
  /** The path of the endpoint (`/ocra/request`); undefined: there is none, or it is not known yet. */
  readonly path: string | undefined;
  /** The release of LinOTP whose manners the answer has in the dialect `linotp`. */
  readonly family: Family;
  /** What the endpoint is for, in words that precede the name of a missing parameter; empty where `path` is undefined. */
  readonly usage: string;
  /** The language that the client likes best. */
  readonly language: Language;
  /** Empty until they could be read. The values of secrets are empty texts always. */
  readonly parameters: RequestValues;
  /** The same, names as the client wrote them. */
  readonly written: ReadonlyMap<string, string>;
}

/** One request and what became known of it on its way; the log line is made from it. */
export interface Exchange extends Origin {
  readonly requestId: string;
  readonly startedAt: Date;
  context: RequestContext;
  /** Who asked, once that is proven. */
  administrator: string | undefined;
  /** The code of the error that was answered. */
  failed: string | undefined;
}

// As a type, for an interface would not fit express's record of locals.
// eslint-disable-next-line @typescript-eslint/consistent-type-definitions -- see above
type ExchangeLocals = { exchange: Exchange };

/** A response that carries its exchange: the answer to every request past the first middleware. */
export type ExchangeResponse = Response<unknown, ExchangeLocals>;
export type ExchangeRequest = Parameters<ExchangeHandler>[0];
export type ExchangeHandler = RequestHandler<
  Record<string, string>,
  unknown,
  unknown,
  Record<string, unknown>,
  ExchangeLocals
>;

/** What an id that came with a request must look like to be taken over: it ends up in log lines and headers. */
const REQUEST_ID = /^[\w.-]{8,64}$/;

/** Starts the exchange of each request and names it in the answer, so that both sides can find it in the log. */
export function beginExchange({
  clock,
  random,
  originOf,
}: {
  readonly clock: Clock;
  readonly random: Random;
  readonly originOf: (request: Pick<Request, 'ip' | 'headers' | 'socket'>) => Origin;
}): ExchangeHandler {
  return (request, response, next) => {
    const given = request.get('x-request-id') ?? '';
    const requestId = REQUEST_ID.test(given) ? given : random.bytes(16).toString('hex');
    response.locals.exchange = {
      requestId,
      ...originOf(request),
      startedAt: clock.now(),
      context: {
        path: undefined,
        family: familyWithoutEndpoint(request.path),
        usage: '',
        language: preferredLanguage(request.get('accept-language')),
        parameters: new Map(),
        written: new Map(),
      },
      administrator: undefined,
      failed: undefined,
    };
    response.setHeader('X-Request-Id', requestId);
    next();
  };
}
