import { ServiceError } from '../kernel/errors.ts';
import {
  type QrTanFault,
  type QrTanUrl,
  type ReadInitUrl,
  type ReadNonceUrl,
  type ReadRequestUrl,
  verifyQrTanSignature,
} from '../ocra/qrtan-url.ts';
import { isIssuerLogo, isIssuerName, type Issuer } from '../ocra/issuer.ts';
import { computeResponse, MAX_COUNTER, timeStepAt } from '../ocra/compute.ts';
import { computeDecline, type DeclineKind } from '../ocra/decline.ts';
import { bytesFromHex, encodeHex } from '../ocra/hex.ts';
import { type OcraSuite, parseOcraSuite } from '../ocra/suite.ts';
import { type DeviceToken, type ReadyToken, findToken } from './device-token.ts';
import { signedText, refusedCode } from './read-code.ts';
import { deriveTokenKey, normalizeActivationCode } from '../ocra/key-derivation.ts';
import { inspectDisplayText } from './display-text.ts';

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
interface ChallengePolicy {
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
interface ComputedResponse {
  readonly token: ReadyToken;
  /** Decimal digits as the suite says; hexadecimal ones for truncation 0. */
  readonly response: string;
}

/** As QR-TAN apps do. */
const STRICT_POLICY: ChallengePolicy = { requireCallback: true };

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
function toOpenChallenge(url: ChallengeUrl, token: ReadyToken, suite: OcraSuite): OpenChallenge {
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
function assertCallback({ callbackUrl }: ChallengeUrl, { requireCallback }: ChallengePolicy): void {
  if (requireCallback && callbackUrl === '') {
    throw refusedCode('callback-missing', "no callback URL; the server's policy qrtanurl is missing");
  }
}

/** @returns `torn` for a code that cannot have been signed so: its signature is no whole HMAC */
function signatureFault({ signature = '' }: ChallengeUrl, otherwise: QrTanFault): QrTanFault {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64}|[0-9a-f]{128})$/i.test(signature) ? otherwise : 'torn';
}

function isReady(token: DeviceToken): token is ReadyToken {
  return token.key !== null;
}

/** The result of phase 1. */
export interface StartedRollOut {
  /** To be stored; unchanged if its code is read again. */
  readonly token: DeviceToken;
  /** True if it takes the place of another token with its serial, which is lost then. */
  readonly replaced: boolean;
}

/** 128 bits (RFC 4226 §4, R6). */
const MIN_SECRET_LENGTH = 16;
/** The longest secret that servers enrol: a block of SHA-512. Their own secrets have 20 bytes. */
const MAX_SECRET_LENGTH = 128;

/** Servers give serials of at most 64 characters; a backup takes none above this length. */
const MAX_SERIAL_LENGTH = 200;
const UNSEEN = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;

/**
 * Begins a roll-out (phase 1). Stores nothing.
 * @throws ServiceError 'qrtan-url.invalid' without a serial that can be shown, or for a secret of an unusual length;
 *   'suite.invalid'
 */
export function startRollOut(tokens: readonly DeviceToken[], url: ReadInitUrl): StartedRollOut {
  const { serial = '', sharedSecret } = url;
  if (serial === '') {
    throw refusedCode('serial-missing', 'it names no serial');
  }
  if (serial.length > MAX_SERIAL_LENGTH || UNSEEN.test(serial)) {
    throw refusedCode('malformed', 'its serial is too long, or has characters that cannot be seen');
  }
  const suite = parseOcraSuite(url.suite).text;
  if (sharedSecret.length < MIN_SECRET_LENGTH || sharedSecret.length > MAX_SECRET_LENGTH) {
    throw refusedCode(
      'secret-length',
      `its shared secret has ${sharedSecret.length} bytes, and must have ${MIN_SECRET_LENGTH} to ${MAX_SECRET_LENGTH}`,
    );
  }
  const secret = encodeHex(sharedSecret);
  const before = findToken(tokens, serial);
  return before?.sharedSecret === secret && before.suite === suite
    ? { token: before, replaced: false }
    : {
        token: { serial, suite, sharedSecret: secret, key: null, counter: '0' },
        replaced: before !== undefined,
      };
}

/**
 * Finds the token of phase 2, before the activation code is asked for.
 * @throws ServiceError 'qrtan-url.invalid' for a serial whose first code was never read, or for what the policy refuses
 */
export function awaitedToken(
  tokens: readonly DeviceToken[],
  url: ReadNonceUrl,
  policy: ChallengePolicy = STRICT_POLICY,
): DeviceToken {
  assertCallback(url, policy);
  const { serial = '' } = url;
  const found = findToken(tokens, serial);
  if (serial === '' || found === undefined) {
    throw refusedCode(
      'serial-unknown',
      `the device has no token ${serial}: scan the code of the first roll-out phase first`,
    );
  }
  return found;
}

/**
 * Opens the first challenge of a token (phase 2), whose key is derived from the shared secret, the activation code and
 * the nonce. Reading the same code again derives the same key, and leaves the counter as it is: its responses may have
 * been used. The token of the result is stored with its key.
 * @param url the URL that `readCode` read from `text`
 * @param text of the code, as scanned or pasted
 * @param activationCode as typed: of either letter case, in groups, with O and 0 confused
 * @throws ServiceError 'activation-code.invalid'; 'qrtan-url.invalid' as `awaitedToken`, or for a wrong signature,
 *   which another activation code gives as well
 */
export async function openActivation(
  tokens: readonly DeviceToken[],
  url: ReadNonceUrl,
  text: string,
  activationCode: string,
  policy: ChallengePolicy = STRICT_POLICY,
): Promise<OpenChallenge> {
  const found = awaitedToken(tokens, url, policy);
  const signed = signedText(url, text);
  const suite = parseOcraSuite(found.suite);
  const key = await deriveTokenKey({
    sharedSecret: bytesFromHex(found.sharedSecret, 'sharedSecret'),
    activationCode: normalizeActivationCode(activationCode.replaceAll(/[\s\p{Pd}]/gu, '')),
    nonce: url.nonce,
  });
  if (!verifyQrTanSignature(suite, key, signed)) {
    throw refusedCode(
      signatureFault(url, 'activation-signature'),
      'its signature is wrong: another activation code, or not from your server',
    );
  }
  const keyText = encodeHex(key);
  const counter = keyText === found.key ? found.counter : '0';
  const issuer = url.issuer && shownIssuer(url.issuer);
  return toOpenChallenge(url, { ...found, key: keyText, counter, issuer }, suite);
}

/** @returns the issuer as an app shows it: with a logo that holds a small picture alone; undefined for a deceptive name */
export function shownIssuer({ name, logo }: Issuer): Issuer | undefined {
  return isIssuerName(name) && inspectDisplayText(name).verdict === 'faithful'
    ? { name, logo: isIssuerLogo(logo) ? logo : '' }
    : undefined;
}
