import { createHash } from 'node:crypto';
import type { HashName } from './suite.ts';

/** Block length B of each hash in bytes (RFC 2104 §2, FIPS 180-4). */
const BLOCK_BYTES: Readonly<Record<HashName, number>> = { sha1: 64, sha256: 64, sha512: 128 };

/**
 * The key as HMAC uses it (RFC 2104 §2): hashed where it is longer than a block, then filled with zeros. Two keys with the
 * same block give the same responses: K and K followed by zeros; a long key and its hash.
 * @returns one block of the hash: 64 or 128 bytes
 */
export function hmacBlock(hash: HashName, key: Uint8Array): Buffer {
  const block = Buffer.alloc(BLOCK_BYTES[hash]);
  block.set(key.length > block.length ? createHash(hash).update(key).digest() : key);
  return block;
}
