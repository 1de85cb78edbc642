import { hmac as nobleHmac } from '@noble/hashes/hmac.js';
import { sha1 } from '@noble/hashes/legacy.js';
import { sha256, sha512 } from '@noble/hashes/sha2.js';
import type { HashName } from './suite.ts';

/** The hash functions of RFC 6287 §5.2, in JavaScript: they run in Node and in browsers alike. */
const HASHES = { sha1, sha256, sha512 } as const;

/** @returns the hash of the data: 20, 32 or 64 bytes */
export function hashOf(hash: HashName, data: Uint8Array): Uint8Array {
  return HASHES[hash](data);
}

/** @returns the HMAC of the data (RFC 2104): 20, 32 or 64 bytes */
export function hmac(hash: HashName, key: Uint8Array, data: Uint8Array): Uint8Array {
  return nobleHmac(HASHES[hash], key, data);
}

/** Prepares an HMAC (RFC 2104) for many data under one key. */
export type KeyedHmac = (hash: HashName, key: Uint8Array) => (data: Uint8Array) => Uint8Array;

/**
 * Prepares the HMAC for many data under one key, which halves the time of each.
 * @returns a function from data to their HMAC
 */
export function keyedHmac(hash: HashName, key: Uint8Array): (data: Uint8Array) => Uint8Array {
  const keyed = nobleHmac.create(HASHES[hash], key);
  return (data) => keyed.clone().update(data).digest();
}

/** @returns the block length B of the hash, in bytes (RFC 2104 §2, FIPS 180-4) */
export function blockLength(hash: HashName): number {
  return HASHES[hash].blockLen;
}

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
