import { blockLength, hashOf } from './hashes.ts';
import type { HashName } from './suite.ts';

/**
 * The key as HMAC uses it (RFC 2104 §2): hashed if it is longer than a block, then padded with zeros. Two keys with the
 * same block give the same responses: K and K followed by zeros; a long key and its hash.
 * @returns one block of the hash: 64 or 128 bytes
 */
export function hmacBlock(hash: HashName, key: Uint8Array): Uint8Array {
  const block = new Uint8Array(blockLength(hash));
  block.set(key.length > block.length ? hashOf(hash, key) : key);
  return block;
}
