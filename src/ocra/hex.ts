import { bytesToHex, hexToBytes } from '@noble/hashes/utils.js';
import { ServiceError } from '../kernel/errors.ts';

/**
 * Reads hexadecimal digits of either letter case.
 * @returns the bytes, or undefined where the text has other characters or an odd number of digits
 */
export function decodeHex(text: string): Uint8Array | undefined {
  return /^(?:[0-9A-Fa-f]{2})*$/.test(text) ? hexToBytes(text) : undefined;
}

/** @returns lower-case hexadecimal digits */
export function encodeHex(bytes: Uint8Array): string {
  return bytesToHex(bytes);
}

/**
 * Reads a hexadecimal parameter.
 * @param name of the parameter, for the message, which never holds its value: most are secrets
 * @throws ServiceError 'parameter.invalid'
 */
export function bytesFromHex(text: string, name: string): Uint8Array {
  const bytes = decodeHex(text);
  if (bytes === undefined) {
    throw new ServiceError(
      'parameter.invalid',
      `The parameter ${name} must be hexadecimal digits, an even number of them.`,
      { parameter: name, fault: text.length % 2 === 1 ? 'length' : 'alphabet' },
    );
  }
  return bytes;
}
