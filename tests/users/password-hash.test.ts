import { parseOptions } from '@node-rs/argon2';
import { describe, expect, it } from '@jest/globals';
import { Argon2PasswordHasher } from '../../src/users/password-hash.ts';

const hasher = new Argon2PasswordHasher();

describe('a password', () => {
  it('is hashed with argon2id, 19 MiB, two passes, one lane, and a salt of its own', async () => {
    const hash = await hasher.hash('geheim');
    expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(parseOptions(hash)).toMatchObject({
      memoryCost: 19_456,
      timeCost: 2,
      parallelism: 1,
      outputLen: 32,
    });
    expect(await hasher.hash('geheim')).not.toBe(hash);
  });

  it('is verified, in UTF-8', async () => {
    const hash = await hasher.hash('gehe\u00efm ☃');
    expect(await hasher.verify(hash, 'gehe\u00efm ☃')).toBe(true);
    expect(await hasher.verify(hash, 'geheim')).toBe(false);
    expect(await hasher.verify(hash, '')).toBe(false);
  });

  it.each(['', 'geheim', '$6$salt$hash', '$argon2id$v=19$m=19456,t=2,p=1$AAAA$AAAA', '$argon2id$broken'])(
    'is never right for %j in place of a hash',
    async (hash) => {
      expect(await hasher.verify(hash, 'geheim')).toBe(false);
      expect(await hasher.verify(hash, hash)).toBe(false);
    },
  );

  it('of nobody is never right', async () => {
    expect(await hasher.verifyNothing('')).toBe(false);
    expect(await hasher.verifyNothing('geheim')).toBe(false);
  });
});
