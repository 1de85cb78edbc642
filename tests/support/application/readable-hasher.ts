import type { PasswordHasher } from '../../../src/users/password-hash.ts';

/** Hashes that a test can read, with counts of both ways of verifying. */
export class ReadableHasher implements PasswordHasher {
  verified = 0;
  verifiedNothing = 0;

  hash(password: string): Promise<string> {
    return Promise.resolve(`hash of ${password}`);
  }

  verify(hash: string, password: string): Promise<boolean> {
    this.verified += 1;
    return Promise.resolve(hash === `hash of ${password}`);
  }

  isForeign(hash: string): boolean {
    return !hash.startsWith('hash of ');
  }

  verifyNothing(): Promise<false> {
    this.verifiedNothing += 1;
    return Promise.resolve(false);
  }
}
