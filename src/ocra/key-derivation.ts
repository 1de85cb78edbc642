import { concatBytes } from '@noble/hashes/utils.js';
import type { HashName } from './suite.ts';
import { base32 } from '@scure/base';
import type { RandomBytes } from '../kernel/clock.ts';
import { ServiceError } from '../kernel/errors.ts';

/** Values that both sides share after the two phases of the roll-out. */
interface KeyIngredients {
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

declare module '../kernel/errors.ts' {
  interface ErrorPayloads {
    'activation-code.invalid': { readonly fault: ActivationCodeFault };
  }
}

/** The fault of an activation code: its length, one of its characters, or its checksum. */
export type ActivationCodeFault = 'padding' | 'alphabet' | 'checksum';

/*
 * An activation code is typed into the app in the second phase of the roll-out: bytes in base32 (RFC 4648), then two
 * capital hexadecimal digits, the XOR of all bytes, which detect a mistyped character.
 */

/** Ten bytes make sixteen letters without padding. */
const RANDOM_BYTES = 10;
const CHECKSUM_LENGTH = 2;
/** RFC 4648 §6. */
const GROUP_LENGTH = 8;

/** @returns base32, padded, and the checksum: no bytes at all give `00` */
export function encodeActivationCode(bytes: Uint8Array): string {
  return encodeBase32(bytes) + checksum(bytes);
}

/** @returns a fresh code of 80 random bits: 18 characters */
export function randomActivationCode(random: RandomBytes): string {
  return encodeActivationCode(random.bytes(RANDOM_BYTES));
}

/**
 * Corrects typed codes: small letters, a zero for the letter O before the checksum (base32 has no zero), the letter O
 * for a zero in it (hexadecimal has no O). Dashes stay; `decodeActivationCode` drops them.
 */
export function normalizeActivationCode(text: string): string {
  const capitals = text.toUpperCase();
  const boundary = Math.max(0, capitals.length - CHECKSUM_LENGTH);
  return capitals.slice(0, boundary).replaceAll('0', 'O') + capitals.slice(boundary).replaceAll('O', '0');
}

/**
 * Reads a code, with dashes anywhere in it. Letters must be capitals: typed codes go through `normalizeActivationCode`
 * first.
 * @throws ServiceError 'activation-code.invalid', whose `fault` is the first of 'padding', 'alphabet' and 'checksum' that
 *   is wrong; the message does not hold the code
 */
export function decodeActivationCode(text: string): Uint8Array {
  const code = text.replaceAll('-', '');
  if (code.length < CHECKSUM_LENGTH) {
    throw invalid('checksum', 'it is too short');
  }
  const letters = code.slice(0, -CHECKSUM_LENGTH);
  const bytes = decodeBase32(letters);
  if (bytes === undefined) {
    throw undecodable(letters);
  }
  if (checksum(bytes) !== code.slice(-CHECKSUM_LENGTH)) {
    throw invalid('checksum', 'its checksum is wrong, so something is mistyped');
  }
  return bytes;
}

/** Of both faults at once, the message names the characters, but `fault` the length, which LinOTP checks first. */
function undecodable(letters: string): ServiceError {
  const isForeign = !/^[A-Z2-7]*=*$/.test(letters);
  return invalid(
    isForeign && letters.length % GROUP_LENGTH === 0 ? 'alphabet' : 'padding',
    isForeign
      ? 'it must be capital letters and the digits 2 to 7, then two hexadecimal digits'
      : 'characters are missing or too many',
  );
}

function checksum(bytes: Uint8Array): string {
  return bytes
    .reduce((sum, byte) => sum ^ byte, 0)
    .toString(16)
    .toUpperCase()
    .padStart(CHECKSUM_LENGTH, '0');
}

function invalid(fault: ActivationCodeFault, what: string): ServiceError {
  return new ServiceError('activation-code.invalid', `The activation code is wrong: ${what}.`, {
    fault,
  });
}

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** @returns base32 in capitals, padded (RFC 4648 §6) */
export function encodeBase32(bytes: Uint8Array): string {
  return base32.encode(bytes);
}

/**
 * Reads base32. The bits of the last letter that belong to no byte may have any value, as in LinOTP.
 * @returns the bytes, or undefined where the text is not base32 in capitals, padded (RFC 4648 §6)
 */
export function decodeBase32(text: string): Uint8Array | undefined {
  try {
    return base32.decode(withoutSurplusBits(text));
  } catch {
    return undefined;
  }
}

/** Sets surplus bits to zero, because the library refuses others (RFC 4648 §3.5 leaves that open). */
function withoutSurplusBits(text: string): string {
  return text.replace(/[A-Z2-7](?==*$)/, (last, place: number) => {
    const surplus = (5 * (place + 1)) % 8;
    return ALPHABET.charAt((ALPHABET.indexOf(last) >> surplus) << surplus);
  });
}
