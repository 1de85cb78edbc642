import { createHash, createHmac } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { hmacBlock } from '../../src/ocra/compute.ts';

const LENGTHS = { sha1: 64, sha256: 64, sha512: 128 } as const;
const hashes = fc.constantFrom(...(Object.keys(LENGTHS) as (keyof typeof LENGTHS)[]));

describe('the block that HMAC makes of a key', () => {
  it('has the length of a block of the hash, and gives the same HMAC as the key', () => {
    fc.assert(
      fc.property(hashes, fc.uint8Array({ minLength: 1, maxLength: 200 }), (hash, key) => {
        const block = hmacBlock(hash, key);
        expect(block).toHaveLength(LENGTHS[hash]);
        expect(createHmac(hash, block).update('data').digest()).toEqual(
          createHmac(hash, key).update('data').digest(),
        );
      }),
    );
  });

  it.each([
    ['sha1', 64],
    ['sha256', 64],
    ['sha512', 128],
  ] as const)(
    'of %s is that of the hash of a key of more than %i bytes, of no shorter one',
    (hash, length) => {
      const blockOfHash = (key: Uint8Array): Uint8Array =>
        hmacBlock(hash, createHash(hash).update(key).digest());
      const [whole, longer] = [Buffer.alloc(length, 7), Buffer.alloc(length + 1, 7)];
      expect(hmacBlock(hash, longer)).toEqual(blockOfHash(longer));
      expect(hmacBlock(hash, whole)).toEqual(whole);
      expect(hmacBlock(hash, whole)).not.toEqual(blockOfHash(whole));
    },
  );

  it('is another one for a key that ends in something else than zeros, or begins with them', () => {
    const key = Buffer.alloc(20, 7);
    const others = [Buffer.concat([key, Buffer.of(1)]), Buffer.concat([Buffer.of(0), key])];
    expect(
      others.filter((other) => Buffer.from(hmacBlock('sha256', other)).equals(hmacBlock('sha256', key))),
    ).toEqual([]);
  });
});
