import { deriveTokenKey, normalizeActivationCode } from '../ocra/key-derivation.ts';
import { encodeHex, bytesFromHex } from '../ocra/hex.ts';
import {
  isIssuerLogo,
  isIssuerName,
  type Issuer,
  type ReadInitUrl,
  type ReadNonceUrl,
  verifyQrTanSignature,
} from '../ocra/qrtan-url.ts';
import { parseOcraSuite } from '../ocra/suite.ts';
import {
  assertCallback,
  type ChallengePolicy,
  toOpenChallenge,
  type OpenChallenge,
  signatureFault,
  STRICT_POLICY,
} from './challenge.ts';
import { inspectDisplayText } from './display-text.ts';
import { type DeviceToken, findToken } from './device-token.ts';
import { signedText } from './read-code.ts';
import { refusedCode } from './refused-code.ts';

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
