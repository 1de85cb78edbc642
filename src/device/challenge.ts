import { ServiceError } from '../kernel/errors.ts';
import {
  type QrTanFault,
  type QrTanUrl,
  type ReadRequestUrl,
  verifyQrTanSignature,
} from '../ocra/qrtan-url.ts';
import { computeResponse, MAX_COUNTER, timeStepAt } from '../ocra/compute.ts';
import { computeDecline, type DeclineKind } from '../ocra/decline.ts';
import { bytesFromHex } from '../ocra/hex.ts';
import { type OcraSuite, parseOcraSuite } from '../ocra/suite.ts';
import type { DeviceToken, ReadyToken } from './device-token.ts';
import { signedText } from './read-code.ts';
import { refusedCode } from './refused-code.ts';

declare module '../kernel/errors.ts' {
  interface ErrorPayloads {
    'token.counter-exhausted': NoPayload;
  }
}

type ChallengeUrl = Exclude<QrTanUrl, { kind: 'init' }>;

/** A challenge whose signature is its token's, to be shown before `respond`. */
export interface OpenChallenge {
  readonly kind: 'req' | 'nonce';
  /** With its key and the next counter. */
  readonly token: ReadyToken;
  /** The text to be confirmed. Show it as `inspectDisplayText` says. */
  readonly message: string;
  readonly question: string;
  readonly transactionId: string;
  /** The address for the response. Empty where the server names none. */
  readonly callbackUrl: string;
  /** True for a suite with P: `respond` needs the PIN. */
  readonly needsPin: boolean;
}

/** Decisions of the app that the protocol leaves open. */
export interface ChallengePolicy {
  /** True if a code without an address for the response is refused; else the user types the digits elsewhere. */
  readonly requireCallback: boolean;
}

/** The input of `respond` besides the challenge. */
export interface ResponseMeans {
  readonly now: Date;
  readonly pin?: string | undefined;
  /** Seconds by which the server's clock is ahead of `now` (`clockOffset`). Default 0. */
  readonly offsetSeconds?: number | undefined;
}

/** A response, and the token with the next counter: store it before the response leaves the app. */
export interface ComputedResponse {
  readonly token: ReadyToken;
  /** Decimal digits as the suite says; hexadecimal ones for truncation 0. */
  readonly response: string;
}

/** As QR-TAN apps do. */
export const STRICT_POLICY: ChallengePolicy = { requireCallback: true };

/**
 * Opens a challenge. Its code does not name the token, which is found by the signature.
 * @param url the URL that `readCode` read from `text`
 * @param text of the code, as scanned or pasted
 * @throws ServiceError 'qrtan-url.invalid' if it is signed for none of the tokens, or lacks what the policy demands
 */
export function openChallenge(
  tokens: readonly DeviceToken[],
  url: ReadRequestUrl,
  text: string,
  policy: ChallengePolicy = STRICT_POLICY,
): OpenChallenge {
  assertCallback(url, policy);
  const signed = signedText(url, text);
  for (const token of tokens) {
    if (!isReady(token)) {
      continue;
    }
    const suite = parseOcraSuite(token.suite);
    if (verifyQrTanSignature(suite, bytesFromHex(token.key, 'key'), signed)) {
      return toOpenChallenge(url, token, suite);
    }
  }
  throw refusedCode(
    signatureFault(url, 'signature'),
    'its signature is of none of the tokens on this device',
  );
}

/**
 * Computes the response to a challenge that the user has confirmed.
 * @throws ServiceError 'token.counter-exhausted' at the last counter, which has no next one; 'data-input.invalid'
 *   without a needed PIN, or where the question does not fit the suite
 */
export function respond(
  { token, question }: OpenChallenge,
  { now, pin, offsetSeconds = 0 }: ResponseMeans,
): ComputedResponse {
  const suite = parseOcraSuite(token.suite);
  const counter = BigInt(token.counter);
  if (suite.counter && counter >= MAX_COUNTER) {
    throw new ServiceError(
      'token.counter-exhausted',
      `The token ${token.serial} has used up its counter: it must be rolled out anew`,
    );
  }
  const response = computeResponse(suite, bytesFromHex(token.key, 'key'), {
    question,
    counter,
    timeStep: timeStepAt(suite, new Date(now.getTime() + 1_000 * offsetSeconds)),
    pin: suite.pin === undefined ? undefined : pin,
  });
  const next = suite.counter ? counter + 1n : counter;
  return { token: { ...token, counter: next.toString() }, response };
}

/** @returns what tells the server that the user declines: it uses no counter, and needs no PIN */
export function decline({ token, ...challenge }: OpenChallenge, kind: DeclineKind): string {
  return computeDecline(parseOcraSuite(token.suite), bytesFromHex(token.key, 'key'), challenge, kind);
}

/** @returns the challenge of a code whose signature was verified */
export function toOpenChallenge(url: ChallengeUrl, token: ReadyToken, suite: OcraSuite): OpenChallenge {
  return {
    kind: url.kind,
    token,
    message: url.message ?? '',
    question: url.question,
    transactionId: url.transactionId,
    callbackUrl: url.callbackUrl,
    needsPin: suite.pin !== undefined,
  };
}

/** @throws ServiceError 'qrtan-url.invalid' for a code without an address, if the policy demands one */
export function assertCallback({ callbackUrl }: ChallengeUrl, { requireCallback }: ChallengePolicy): void {
  if (requireCallback && callbackUrl === '') {
    throw refusedCode('callback-missing', "no callback URL; the server's policy qrtanurl is missing");
  }
}

/** @returns `torn` for a code that cannot have been signed so: its signature is no whole HMAC */
export function signatureFault({ signature = '' }: ChallengeUrl, otherwise: QrTanFault): QrTanFault {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64}|[0-9a-f]{128})$/i.test(signature) ? otherwise : 'torn';
}

function isReady(token: DeviceToken): token is ReadyToken {
  return token.key !== null;
}
