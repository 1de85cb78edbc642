import type { Token } from '../tokens/token.ts';
import type { Vault } from '../keys/vault.ts';
import { boundedMemo } from '../kernel/bounded-work.ts';
import { ServiceError } from '../kernel/errors.ts';
import { type OcraSuite, parseOcraSuite } from '../ocra/suite.ts';
import type { OcraSettings } from '../configuration/settings.ts';
import type { ResponseCheck } from '../ocra/verify.ts';

/** A token's suite and key, opened for one computation. */
export interface TokenKey {
  readonly suite: OcraSuite;
  readonly key: Buffer;
}

/** Installations have few suites, and each response takes one. */
const suiteOf = boundedMemo(1_000, parseOcraSuite);

/**
 * Opens the key with which a token computes. In roll-out phase 1 that is the shared secret: there is no other key yet.
 * @returns undefined for a token that has no suite or no key
 * @throws ServiceError 'suite.invalid', 'key.unavailable', 'secret.unreadable'
 */
export function openTokenKey(vault: Vault, token: Token): TokenKey | undefined {
  const { seed, sharedSecret } = token.secrets;
  const [secret, purpose] =
    token.rollout === 'phase1' ? [sharedSecret, 'shared-secret' as const] : [seed, 'seed' as const];
  if (secret === null || token.ocraSuite === null) {
    return undefined;
  }
  return { suite: suiteOf(token.ocraSuite), key: vault.open(secret, purpose, token.serial) };
}

/** @throws ServiceError 'token.not-ready' for a token that has no suite or no key, and as `openTokenKey` does */
export function requireTokenKey(vault: Vault, token: Token): TokenKey {
  const opened = openTokenKey(vault, token);
  if (opened === undefined) {
    throw new ServiceError('token.not-ready', `The token '${token.serial}' has no key to compute with`);
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
    timeWindow: settings.timeWindow,
    timeShift: settings.timeShift + token.timeShift,
  };
}
