import { bytesToHex } from '@noble/hashes/utils.js';
import { ServiceError } from '../kernel/errors.ts';
import { type DataInputs, encodeDataInput } from './data-input.ts';
import type { HashName, OcraSuite } from './suite.ts';
import { hmac as nobleHmac } from '@noble/hashes/hmac.js';
import { sha1 } from '@noble/hashes/legacy.js';
import { sha256, sha512 } from '@noble/hashes/sha2.js';

/**
 * Computes the response of a token (RFC 6287 §5: `CryptoFunction(K, DataInput)`).
 * @returns four to ten decimal digits as the suite says, or the whole HMAC in lower-case hexadecimal (truncation 0)
 * @throws ServiceError 'data-input.invalid', naming the part that is missing or wrong
 */
export function computeResponse(suite: OcraSuite, key: Uint8Array, inputs: DataInputs): string {
  return responder(suite, key)(encodeDataInput(suite, inputs));
}

/**
 * Prepares the crypto function alone (RFC 6287 §5.2) for many data inputs.
 * @param prepareHmac computes the HMAC; in JavaScript by default
 * @returns a function from an encoded data input to the response, in the form of `computeResponse`
 * @throws ServiceError 'data-input.invalid' where the key is empty: anyone could compute such responses
 */
export function responder(
  suite: OcraSuite,
  key: Uint8Array,
  prepareHmac: KeyedHmac = keyedHmac,
): (dataInput: Uint8Array) => string {
  if (key.length === 0) {
    throw new ServiceError('data-input.invalid', 'No response can be computed: the key is empty.');
  }
  const mac = prepareHmac(suite.hash, key);
  return (dataInput) =>
    suite.truncation === 0 ? bytesToHex(mac(dataInput)) : truncate(mac(dataInput), suite.truncation);
}

/**
 * Truncates an HMAC (RFC 4226 §5.3): the low four bits of the last byte give the place of 31 bits; their last decimal
 * digits are the response. 31 bits have ten digits at most, so a response of ten is the number itself, padded.
 */
function truncate(mac: Uint8Array, digits: number): string {
  const view = new DataView(mac.buffer, mac.byteOffset, mac.byteLength);
  const offset = view.getUint8(mac.length - 1) & 0x0f;
  const number = view.getUint32(offset) & 0x7fff_ffff;
  return number.toString().padStart(10, '0').slice(-digits);
}

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
function keyedHmac(hash: HashName, key: Uint8Array): (data: Uint8Array) => Uint8Array {
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
