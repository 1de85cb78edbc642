import { ServiceError } from '../kernel/errors.ts';
import { parseOcraSuite } from '../ocra/suite.ts';

declare module '../kernel/errors.ts' {
  interface ErrorPayloads {
    /** The reason why no app sends a response to the URL of a code. */
    'callback-url.refused': { readonly fault: CallbackFault };
  }
}

/** The scheme is none of http and https; http to another machine; no URL at all. */
type CallbackFault = 'scheme' | 'insecure' | 'syntax';

/** A response, or a decline, on its way to the server. Callback URL and transaction are from the code (`OpenChallenge`). */
export type OutgoingResponse = { readonly callbackUrl: string; readonly transactionId: string } & (
  { readonly response: string } | { readonly decline: string }
);

/** The request that carries a response, for `fetch`. Send it without credentials, and follow no redirect. */
interface ResponseRequest {
  readonly url: string;
  readonly method: 'POST';
  /** A form with `transactionid`, and `pass` or `decline`. */
  readonly body: URLSearchParams;
}

/** Rules for the address of the server. */
interface AddressRules {
  /** To which machines a response may go by http, unencrypted: pages in a secure context reach only their own. */
  readonly insecure: 'anywhere' | 'loopback';
}

/** The answer of a server has a few hundred characters. */
const MAX_ANSWER_LENGTH = 64 * 1024;

/**
 * Builds the request with a response or a decline, which the server takes as `/ocra/check_t`.
 * @throws ServiceError 'callback-url.refused' for other URLs than http and https, and for http where the rules forbid it
 */
export function buildResponseRequest(
  outgoing: OutgoingResponse,
  { insecure }: AddressRules,
): ResponseRequest {
  const { callbackUrl, transactionId: transactionid } = outgoing;
  const fault = faultOf(callbackUrl, insecure);
  if (fault !== undefined) {
    throw new ServiceError(
      'callback-url.refused',
      fault === 'insecure'
        ? `the callback URL of the code is not encrypted: it must begin with https: ${callbackUrl}`
        : `the callback URL of the code is not one of http or https: ${callbackUrl}`,
      { fault },
    );
  }
  return {
    url: callbackUrl,
    method: 'POST',
    body: new URLSearchParams(
      'decline' in outgoing
        ? { transactionid, decline: outgoing.decline }
        : { transactionid, pass: outgoing.response },
    ),
  };
}

/**
 * @param text the body of the server's answer
 * @param name of the member that says it: `declined` in the answer to a decline
 * @returns true if the server accepted the response or the decline; null if the answer does not say
 */
export function readVerdict(text: string, name: 'result' | 'declined' = 'result'): boolean | null {
  const verdict = member(
    member(member(parseJson(text.slice(0, MAX_ANSWER_LENGTH)), 'result'), 'value'),
    name,
  );
  return typeof verdict === 'boolean' ? verdict : null;
}

function faultOf(url: string, insecure: AddressRules['insecure']): CallbackFault | undefined {
  if (!/^https?:\/\//i.test(url)) {
    return 'scheme';
  }
  const address = parsedUrl(url);
  if (address === undefined) {
    return 'syntax';
  }
  const { protocol, hostname, username, password } = address;
  if (protocol !== 'https:' && insecure !== 'anywhere' && !isLoopback(hostname)) {
    return 'insecure';
  }
  // `fetch` sends nothing to an address with a user name or a password.
  return username === '' && password === '' ? undefined : 'syntax';
}

/** Browsers of early 2023 have no `URL.canParse`. */
function parsedUrl(url: string): URL | undefined {
  try {
    return new URL(url);
  } catch {
    return undefined;
  }
}

/** The hosts that browsers hold for trustworthy without encryption (W3C Secure Contexts §3.1). */
function isLoopback(hostname: string): boolean {
  return /^(?:(?:[^.]+\.)*localhost|127(?:\.\d{1,3}){3}|\[::1\])$/.test(hostname);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Readonly<Record<string, unknown>>)[name]
    : undefined;
}

/** The moments around a server's answer, by the device's clock. */
interface ObservedAnswer {
  readonly sentAt: Date;
  readonly receivedAt: Date;
  /** The header `Date` of the answer (RFC 9110 §6.6.1); null where there is none. */
  readonly dateHeader: string | null;
}

/** The header has whole seconds: the server's clock is half a second further on average. */
const MEAN_FRACTION_MS = 500;

/**
 * Compares the clocks of device and server: in the middle between request and answer.
 * @returns seconds, rounded, by which the server's clock is ahead of the device's; negative: behind. Undefined without a
 *   readable header. Right to a second, and half of the time that the answer took
 */
export function clockOffset({ sentAt, receivedAt, dateHeader }: ObservedAnswer): number | undefined {
  const server = Date.parse(dateHeader ?? '') + MEAN_FRACTION_MS;
  const device = (sentAt.getTime() + receivedAt.getTime()) / 2;
  const offset = Math.round((server - device) / 1_000);
  return Number.isNaN(offset) ? undefined : offset;
}

/**
 * @param suite the text of an OCRA suite
 * @param offsetSeconds as `clockOffset` tells it
 * @returns true where the device's clock is a whole time step off or more, so that its responses may be refused; false
 *   for suites without T, which use no clock
 * @throws ServiceError 'suite.invalid'
 */
export function isClockTooFarOff(suite: string, offsetSeconds: number): boolean {
  const { timeStep } = parseOcraSuite(suite);
  return timeStep !== undefined && Math.abs(offsetSeconds) >= timeStep;
}
