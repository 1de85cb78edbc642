import { type Token, TOTP_TIME_WINDOW } from '../tokens/token.ts';
import type { Vault } from '../keys/vault.ts';
import { boundedMemo } from '../kernel/bounded-work.ts';
import { ServiceError } from '../kernel/errors.ts';
import { parseAlgorithm } from '../ocra/otp.ts';
import type { OcraSuite, ResponseAlgorithm } from '../ocra/suite.ts';
import type { OcraSettings } from '../configuration/settings.ts';
import type { ResponseCheck } from '../ocra/verify.ts';

/** A token's algorithm and key, opened for one computation. */
export interface TokenKey {
  readonly suite: ResponseAlgorithm;
  readonly key: Buffer;
}

/** That of a token with an OCRA suite. */
export interface OcraTokenKey extends TokenKey {
  readonly suite: OcraSuite;
}

/** Installations have few suites, and each response takes one. */
const suiteOf = boundedMemo(1_000, parseAlgorithm);

/**
 * Opens the key with which a token computes. In roll-out phase 1 that is the shared secret: there is no other key yet.
 * @returns undefined for a token that has no suite or no key
 * @throws ServiceError 'suite.invalid', 'key.unavailable', 'secret.unreadable'
 */
export function openTokenKey(vault: Vault, token: Token): TokenKey | undefined {
  const { seed, sharedSecret } = token.secrets;
  const [secret, purpose] =
    token.rollout === 'phase1' ? [sharedSecret, 'shared-secret' as const] : [seed, 'seed' as const];
  if (secret === null || token.algorithm === null) {
    return undefined;
  }
  return { suite: suiteOf(token.algorithm), key: vault.open(secret, purpose, token.serial) };
}

/** @returns undefined also for a token of HOTP or TOTP. @throws as `openTokenKey` */
export function openOcraKey(vault: Vault, token: Token): OcraTokenKey | undefined {
  const opened = openTokenKey(vault, token);
  return opened !== undefined && isOcra(opened) ? opened : undefined;
}

function isOcra(opened: TokenKey): opened is OcraTokenKey {
  return opened.suite.question !== undefined;
}

/** @throws ServiceError 'token.not-ready' for a token that has no algorithm or no key, and as `openTokenKey` does */
export function requireTokenKey(vault: Vault, token: Token): TokenKey {
  return ready(openTokenKey(vault, token), token);
}

/** @throws ServiceError 'token.not-ready' for a token that has no suite or no key, and as `openTokenKey` does */
export function requireOcraKey(vault: Vault, token: Token): OcraTokenKey {
  return ready(openOcraKey(vault, token), token);
}

function ready<Key extends TokenKey>(opened: Key | undefined, { serial }: Token): Key {
  if (opened === undefined) {
    throw new ServiceError('token.not-ready', `The token '${serial}' has no key to compute with`);
  }
  return opened;
}

/** @returns the inputs of a check that depend on token and settings: all but question and response */
export function responseInputs(
  vault: Vault,
  { suite, key }: TokenKey,
  settings: Pick<OcraSettings, 'timeWindow' | 'timeShift'>,
  token: Token,
  now: Date,
): Omit<ResponseCheck, 'question' | 'response'> {
  const { ocraPin } = token.secrets;
  return {
    suite,
    key,
    pin: ocraPin === null ? '' : vault.open(ocraPin, 'ocra-pin', token.serial).toString('utf8'),
    counter: token.counter,
    counterWindow: token.counterWindow,
    now,
    timeWindow: timeWindowOf(suite, settings, token),
    timeShift: settings.timeShift + token.timeShift,
  };
}

/** @returns seconds to either side: of TOTP with a step more, which LinOTP tries, too */
export function timeWindowOf(
  { question, timeStep = 0 }: ResponseAlgorithm,
  { timeWindow }: Pick<OcraSettings, 'timeWindow'>,
  token: Pick<Token, 'timeWindow'>,
): number {
  return question === undefined ? (token.timeWindow ?? TOTP_TIME_WINDOW) + timeStep : timeWindow;
}
