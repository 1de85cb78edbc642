import type * as Argon2 from '@node-rs/argon2';
import { equalText } from '../../kernel/constant-time.ts';
import type { PasswordHasher } from '../../users/password-hasher.ts';
import { isShaCrypt, shaCrypt } from './sha-crypt.ts';

/** argon2id (RFC 9106) with OWASP's parameters: 19 MiB, two passes, one lane. argon2id is the library's default. */
const OPTIONS = {
  memoryCost: 19_456,
  timeCost: 2,
  parallelism: 1,
  outputLen: 32,
} as const satisfies Argon2.Options;

/** A well-formed hash that no password has, so that unknown accounts cause the same work. */
const NOBODYS_HASH = `$argon2id$v=19$m=${OPTIONS.memoryCost},t=${OPTIONS.timeCost},p=${OPTIONS.parallelism}$${'A'.repeat(22)}$${'A'.repeat(43)}`;

/** Loads the library where it is used: a command does not wait for it. */
function loadArgon2(): Promise<typeof Argon2> {
  return import('@node-rs/argon2');
}

/** Hashes passwords slowly and off the main thread. */
export class Argon2PasswordHasher implements PasswordHasher {
  /** @returns a hash in PHC form, salt and parameters included */
  async hash(password: string): Promise<string> {
    const { hash } = await loadArgon2();
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
      const { verify } = await loadArgon2();
      return await verify(passwordHash, password);
    } catch {
      return this.verifyNothing(password);
    }
  }

  isForeign(passwordHash: string): boolean {
    return isShaCrypt(passwordHash);
  }

  async verifyNothing(password: string): Promise<false> {
    const { verify } = await loadArgon2();
    await verify(NOBODYS_HASH, password);
    return false;
  }
}
