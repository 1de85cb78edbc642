import { concatBytes } from '@noble/hashes/utils.js';
import { decodeActivationCode } from './activation-code.ts';
import type { HashName } from './suite.ts';

/** Values that both sides share after the two phases of the roll-out. */
export interface KeyIngredients {
  /** Shown in phase 1. */
  readonly sharedSecret: Uint8Array;
  /** Typed in phase 2: the code, in capitals (`normalizeActivationCode`), or its bytes. */
  readonly activationCode: string | Uint8Array;
  /** Shown in phase 2. */
  readonly nonce: Uint8Array;
  /** Bytes of the key. Default 32. */
  readonly length?: number;
  /** Rounds of PBKDF2. Default 10 000, which apps expect. */
  readonly iterations?: number;
  /** The hash of PBKDF2's HMAC. Default SHA-256, which apps expect. */
  readonly hash?: HashName;
}

const SALT_BYTES = 8;

/**
 * Derives the token's key as QR-TAN apps do: PBKDF2 (RFC 8018 §5.2). The password is the shared secret, the activation
 * code and the nonce without its last eight bytes; these eight are the salt. A nonce of at most eight bytes is salt
 * only. Runs outside of the event loop.
 * @throws ServiceError 'activation-code.invalid'
 */
export async function deriveTokenKey(ingredients: KeyIngredients): Promise<Uint8Array> {
  const {
    sharedSecret,
    activationCode,
    nonce,
    length = 32,
    iterations = 10_000,
    hash = 'sha256',
  } = ingredients;
  const code = typeof activationCode === 'string' ? decodeActivationCode(activationCode) : activationCode;
  const boundary = Math.max(0, nonce.length - SALT_BYTES);
  const password = concatBytes(sharedSecret, code, nonce.subarray(0, boundary));
  try {
    return await stretch(password, nonce.subarray(boundary), iterations, length, hash);
  } finally {
    password.fill(0);
  }
}

/** WebCrypto's names of the hashes. */
const WEB_CRYPTO_NAMES: Readonly<Record<HashName, string>> = {
  sha1: 'SHA-1',
  sha256: 'SHA-256',
  sha512: 'SHA-512',
};

async function stretch(
  password: Uint8Array<ArrayBuffer>,
  salt: Uint8Array,
  iterations: number,
  length: number,
  hash: HashName,
): Promise<Uint8Array> {
  const { subtle } = globalThis.crypto;
  const key = await subtle.importKey('raw', password, 'PBKDF2', false, ['deriveBits']);
  const parameters = {
    name: 'PBKDF2',
    salt: Uint8Array.from(salt),
    iterations,
    hash: WEB_CRYPTO_NAMES[hash],
  };
  return new Uint8Array(await subtle.deriveBits(parameters, key, 8 * length));
}
