import type { Token, TokenSecrets } from '../tokens/token.ts';
import type { Vault } from '../keys/vault.ts';
import { equalBytes } from '../kernel/constant-time.ts';
import { isServiceError, ServiceError } from '../kernel/errors.ts';
import { hmacBlock } from '../ocra/hmac-key.ts';
import { type OcraSuite, parseOcraSuite } from '../ocra/suite.ts';

/** A token's suite and key, opened for one computation. */
export interface TokenKey {
  readonly suite: OcraSuite;
  readonly key: Buffer;
}

/**
 * Opens what a token computes with. In roll-out phase 1 that is the shared secret: there is no other key yet.
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
  return { suite: parseOcraSuite(token.ocraSuite), key: vault.open(secret, purpose, token.serial) };
}

/** @returns the secrets of which a change gives the token another key, as they are now */
export function keySecrets({
  rollout,
  secrets: { seed, sharedSecret },
}: Token): Pick<TokenSecrets, 'seed'> & Partial<Pick<TokenSecrets, 'sharedSecret'>> {
  return { seed, ...(rollout === 'phase1' && { sharedSecret }) };
}

/**
 * @param given a suite and a key, of which HMAC may make the same as of another key
 * @returns whether the token computes the same responses with what it has; false also where its key was altered, and opens
 *   for nobody
 * @throws ServiceError 'key.unavailable' where this server alone may be unable to open it: another one may have accepted
 *   responses with the very same
 */
export function hasKey(vault: Vault, token: Token, { suite, key }: TokenKey): boolean {
  try {
    const its = token.ocraSuite === suite.text ? openTokenKey(vault, token) : undefined;
    return its !== undefined && equalBytes(hmacBlock(suite.hash, its.key), hmacBlock(suite.hash, key));
  } catch (error) {
    if (isServiceError(error, 'secret.unreadable')) {
      return false;
    }
    throw error;
  }
}

/** @throws ServiceError 'token.not-ready' for a token that has no suite or no key, and as `openTokenKey` does */
export function requireTokenKey(vault: Vault, token: Token): TokenKey {
  const opened = openTokenKey(vault, token);
  if (opened === undefined) {
    throw new ServiceError('token.not-ready', `The token '${token.serial}' has no key to compute with`);
  }
  return opened;
}
