import type { Request, RequestHandler, Response } from 'express';
import type { Clock, Random } from '../../kernel/clock.ts';
import { type Language, preferredLanguage } from '../messages.ts';
import type { RequestValues } from './parameters.ts';
import { boundedMemo } from '../../kernel/bounded-work.ts';
import type { Log } from '../../kernel/log.ts';
import { clientAddress, networkMatcher, unnamedProxy } from '../limits/networks.ts';

/** The parts of a request that its answer depends on. */
export interface RequestContext {
  /** The path of the endpoint (`/ocra/request`); undefined: there is none, or it is not known yet. */
  readonly path: string | undefined;
  /** The release of LinOTP that the dialect `linotp` follows in the answer. */
  readonly family: Family;
  /** The words that precede the name of a missing parameter; empty: none. */
  readonly usage: string;
  /** The body of every failure, as plain text; undefined: that of the dialect. */
  readonly failureText?: string | undefined;
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
  /** The path below which a proxy shows this server, such as `/tan`; empty: the root. */
  readonly prefix: string;
  context: RequestContext;
  /** The authenticated administrator. */
  administrator: string | undefined;
  /** The code of the error that was answered. */
  failed: string | undefined;
  /** The transaction that the answer is about, if that is known. */
  transaction: string | undefined;
  /** Milliseconds for which it waited as the client requested. */
  waitedMs: number;
}

// A type, as an interface does not fit express's record of locals.
// eslint-disable-next-line @typescript-eslint/consistent-type-definitions -- see above
type ExchangeLocals = { exchange: Exchange };

/** A response that carries its exchange: the answer to every request past the first middleware. */
export type ExchangeResponse = Response<unknown, ExchangeLocals>;
export type ExchangeRequest = Parameters<ExchangeHandler>[0];
/** What is done at the beginning of every request. */
export type ExchangeBeginning = (request: ExchangeRequest, response: ExchangeResponse) => void;
export type ExchangeHandler = RequestHandler<
  Record<string, string>,
  unknown,
  unknown,
  Record<string, unknown>,
  ExchangeLocals
>;

/** The parameters of a request before they are read. */
const NONE: RequestValues = new Map();

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
  prefixOf,
}: {
  readonly clock: Clock;
  readonly random: Random;
  readonly senderOf: (request: Pick<Request, 'ip' | 'headers' | 'socket'>) => RequestSender;
  readonly prefixOf: (request: Pick<Request, 'headers' | 'socket'>) => string;
}): ExchangeBeginning {
  return (request, response) => {
    const sentId = request.get('x-request-id') ?? '';
    const requestId = REQUEST_ID.test(sentId) ? sentId : random.bytes(16).toString('hex');
    const sender = senderOf(request);
    const startedAt = clock.now();
    response.locals.exchange = {
      requestId,
      client: sender.client,
      limitedAs: sender.limitedAs,
      startedAt,
      prefix: prefixOf(request),
      context: {
        path: undefined,
        family: familyWithoutEndpoint(request.path),
        usage: '',
        failureText: undefined,
        language: preferredLanguage(request.get('accept-language')),
        parameters: NONE,
        written: NONE,
      },
      administrator: undefined,
      failed: undefined,
      transaction: undefined,
      waitedMs: 0,
    };
    response.setHeader('X-Request-Id', requestId);
    response.setHeader('Date', startedAt.toUTCString());
  };
}

/** The sender of a request. */
export interface RequestSender {
  /** The client's address, as policies and the log see it. */
  readonly client: string;
  /**
   * The name under which limits count the request: the client, or the proxy, never exempt, where a proxy that
   * TRUST_PROXY does not name passed the request on.
   */
  readonly limitedAs: string;
}

/** The most addresses whose canonical form is remembered. */
const MAX_REMEMBERED = 1_000;

/** The headers that proxies add. Any client can send them; they can only remove an exemption. */
const PROXY_HEADERS = ['x-forwarded-for', 'forwarded', 'x-real-ip', 'via'] as const;

/** @returns a function that finds the sender of a request; it logs once if TRUST_PROXY should name this machine */
export function senderReader({
  trustProxy,
  log,
}: {
  /** Addresses and networks of trusted proxies. */
  readonly trustProxy: readonly string[];
  readonly log: Log;
}): (request: Pick<Request, 'ip' | 'headers' | 'socket'>) => RequestSender {
  const isNamed = networkMatcher(trustProxy);
  const isThisMachine = networkMatcher(['loopback']);
  const canonical = boundedMemo(MAX_REMEMBERED, clientAddress);
  let isReported = false;
  return ({ ip, headers, socket }) => {
    const client = canonical(ip ?? '');
    const peer = canonical(socket.remoteAddress ?? '');
    const isForwardedByNamedProxy = headers['x-forwarded-for'] !== undefined && isNamed(peer);
    const trace = isForwardedByNamedProxy
      ? undefined
      : PROXY_HEADERS.find((name) => headers[name] !== undefined);
    if (trace === undefined) {
      return { client, limitedAs: client };
    }
    if (isThisMachine(peer) && !isReported) {
      isReported = true;
      log.warn(
        'Requests come through a proxy on this machine that says nothing which is believed: all of its clients count as ' +
          'one. Name it in TRUST_PROXY and let it send X-Forwarded-For',
        { client: peer },
      );
    }
    return { client, limitedAs: unnamedProxy(client) };
  };
}

/** Folders of letters that need no encoding: the value becomes a part of headers and pages. */
const PREFIX = /^(?:\/[\w~-][\w.~-]*){1,8}\/?$/;
const MAX_PREFIX = 200;

/**
 * @param publicUrl the address of this server in browsers, undefined: it is not known
 * @returns a function that finds the path below which a proxy shows this server: as a trusted proxy names it by
 *   `X-Forwarded-Prefix`, else that of `publicUrl`; empty: the root
 */
export function prefixReader({
  trustProxy,
  publicUrl,
}: {
  readonly trustProxy: readonly string[];
  readonly publicUrl?: string | undefined;
}): (request: Pick<Request, 'headers' | 'socket'>) => string {
  const isNamed = networkMatcher(trustProxy);
  const own = publicUrl === undefined ? '' : new URL(publicUrl).pathname.replace(/\/$/, '');
  return ({ headers, socket }) => {
    const sent = headers['x-forwarded-prefix'];
    if (typeof sent !== 'string' || !isNamed(clientAddress(socket.remoteAddress))) {
      return own;
    }
    const prefix = sent.split(',', 1)[0]?.trim() ?? '';
    if (prefix === '/') {
      return '';
    }
    return prefix.length <= MAX_PREFIX && PREFIX.test(prefix) ? prefix.replace(/\/$/, '') : own;
  };
}

/** The releases of LinOTP that an answer can follow: `linotp2` is 2.12.6, `linotp3` is 3.4.4. */
export type Family = 'linotp2' | 'linotp3';

/** The folders of LinOTP 2.12.6. */
const LINOTP2_FOLDERS = /^\/(?:ocra|admin|system|validate)(?:\/|$)/;

/** @returns the family of a request that no endpoint takes; an endpoint declares its own */
function familyWithoutEndpoint(path: string): Family {
  return LINOTP2_FOLDERS.test(path) ? 'linotp2' : 'linotp3';
}
