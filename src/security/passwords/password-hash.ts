import { hash, type Options, verify } from '@node-rs/argon2';
import { equalText } from '../../kernel/constant-time.ts';
import type { PasswordHasher } from '../../users/password-hasher.ts';
import { isShaCrypt, shaCrypt } from './sha-crypt.ts';

/** argon2id (RFC 9106) with OWASP's parameters: 19 MiB, two passes, one lane. argon2id is the library's default. */
const OPTIONS = { memoryCost: 19_456, timeCost: 2, parallelism: 1, outputLen: 32 } as const satisfies Options;

/** A well-formed hash that no password has, so that unknown accounts cause the same work. */
const NOBODYS_HASH = `$argon2id$v=19$m=${OPTIONS.memoryCost},t=${OPTIONS.timeCost},p=${OPTIONS.parallelism}$${'A'.repeat(22)}$${'A'.repeat(43)}`;

/** Hashes passwords slowly and off the main thread. */
export class Argon2PasswordHasher implements PasswordHasher {
  /** @returns a hash in PHC form, salt and parameters included */
  hash(password: string): Promise<string> {
    return hash(password, OPTIONS);
  }

  /**
   * Also verifies SHA-crypt, which imported accounts have at first.
   * @returns false also for a hash of another form, which cannot be verified
   */
  async verify(passwordHash: string, password: string): Promise<boolean> {
    if (isShaCrypt(passwordHash)) {
      const digests = await shaCrypt(passwordHash, password);
      return digests !== undefined && equalText(digests.made, digests.stored);
    }
    try {
      return await verify(passwordHash, password);
    } catch {
      return this.verifyNothing(password);
    }
  }

  isForeign(passwordHash: string): boolean {
    return isShaCrypt(passwordHash);
  }

  async verifyNothing(password: string): Promise<false> {
    await verify(NOBODYS_HASH, password);
    return false;
  }
}
