import type { Request, RequestHandler, Response } from 'express';
import type { Clock, Random } from '../../kernel/clock.ts';
import { type Family, familyWithoutEndpoint } from '../dialects/family.ts';
import { type Language, preferredLanguage } from '../messages/languages.ts';
import type { RequestSender } from './request-sender.ts';
import type { RequestValues } from './parameters.ts';
import { requestIds } from './request-ids.ts';

/** The parts of a request that its answer depends on. */
export interface RequestContext {
  /** The path of the endpoint (`/ocra/request`); undefined: there is none, or it is not known yet. */
  readonly path: string | undefined;
  /** The release of LinOTP that the dialect `linotp` follows in the answer. */
  readonly family: Family;
  /**
   * The purpose of the endpoint, in words that precede the name of a missing parameter; empty where `path` is
   * undefined.
   */
  readonly usage: string;
  /** The client's preferred language. */
  readonly language: Language;
  /** Empty until they are read. The values of secrets are always empty texts. */
  readonly parameters: RequestValues;
  /** The same parameters, with names as the client wrote them. */
  readonly written: ReadonlyMap<string, string>;
}

/** One request and the facts gathered while it is served; its log line is made from them. */
export interface Exchange extends RequestSender {
  readonly requestId: string;
  readonly startedAt: Date;
  context: RequestContext;
  /** The authenticated administrator. */
  administrator: string | undefined;
  /** The code of the error that was answered. */
  failed: string | undefined;
  /** Milliseconds for which it waited as the client requested. */
  waitedMs: number;
}

// A type, as an interface does not fit express's record of locals.
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

/** The form of an id that is taken over from a request: it is written to log lines and headers. */
const REQUEST_ID = /^[\w.-]{8,64}$/;

/**
 * Starts the exchange of each request and puts its id into the answer, so that both sides can find it in the log. The
 * answer's `Date` is the service's, not the machine's: apps compare their clock with it, and browsers the `Expires` of
 * cookies.
 */
export function beginExchange({
  clock,
  random,
  senderOf,
}: {
  readonly clock: Clock;
  readonly random: Random;
  readonly senderOf: (request: Pick<Request, 'ip' | 'headers' | 'socket'>) => RequestSender;
}): ExchangeHandler {
  const newId = requestIds(random);
  const dateOf = datesOfSeconds();
  return (request, response, next) => {
    const sentId = request.get('x-request-id') ?? '';
    const requestId = REQUEST_ID.test(sentId) ? sentId : newId();
    const sender = senderOf(request);
    const startedAt = clock.now();
    response.locals.exchange = {
      requestId,
      client: sender.client,
      limitedAs: sender.limitedAs,
      startedAt,
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
      waitedMs: 0,
    };
    response.setHeader('X-Request-Id', requestId);
    response.setHeader('Date', dateOf(startedAt));
    next();
  };
}

/** @returns a function that writes the header `Date`, once a second */
function datesOfSeconds(): (instant: Date) => string {
  let [second, text] = [Number.NaN, ''];
  return (instant) => {
    const present = Math.floor(instant.getTime() / 1_000);
    if (present !== second) {
      [second, text] = [present, instant.toUTCString()];
    }
    return text;
  };
}
