import { createHash } from 'node:crypto';
import type { Random } from '../kernel/clock.ts';
import { equalBytes } from '../kernel/constant-time.ts';
import { ServiceError } from '../kernel/errors.ts';

const VERSION = 1;
const SALT_LENGTH = 16;
const HASH_LENGTH = 32;

/**
 * Computes the verifier of a token PIN: `version (1) | salt (16) | SHA-256(UTF-8(PIN) | salt)`, with LinOTP's hash so that
 * its PINs can be imported. A PIN is short and the hash fast, so the protection is the seal of the vault; the hash only
 * keeps the PIN itself out of memory and backups.
 * @returns 49 bytes, to be sealed for the purpose `pin`
 */
export function pinVerifier(pin: string, random: Random): Buffer {
  const salt = random.bytes(SALT_LENGTH);
  return Buffer.concat([Buffer.of(VERSION), salt, hashOf(pin, salt)]);
}

/**
 * Compares in constant time.
 * @param verifier of `pinVerifier`; null: there is no PIN, and only an empty one matches
 * @throws ServiceError 'secret.unreadable' for another form of verifier
 */
export function checkPin(verifier: Buffer | null, pin: string): boolean {
  if (verifier === null) {
    return equalBytes(Buffer.from(pin, 'utf8'), Buffer.alloc(0));
  }
  if (verifier.length !== 1 + SALT_LENGTH + HASH_LENGTH || verifier[0] !== VERSION) {
    throw new ServiceError('secret.unreadable', 'The PIN of the token cannot be read', {
      detail: `unknown form of PIN verifier, ${verifier.length} bytes`,
    });
  }
  const salt = verifier.subarray(1, 1 + SALT_LENGTH);
  return equalBytes(verifier.subarray(1 + SALT_LENGTH), hashOf(pin, salt));
}

function hashOf(pin: string, salt: Uint8Array): Buffer {
  return createHash('sha256').update(pin, 'utf8').update(salt).digest();
}
