import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { hmac } from './hashes.ts';
import { textComparison } from './text-comparison.ts';
import { hashLength, type OcraSuite } from './suite.ts';

const SIGNATURE_PARAMETER = '&si=';

/**
 * Signs data for an app.
 * @returns the HMAC with the suite's hash and the token's key, in lower-case hexadecimal
 */
export function qrTanSignature(suite: OcraSuite, key: Uint8Array, data: string | Uint8Array): string {
  return bytesToHex(hmac(suite.hash, key, typeof data === 'string' ? utf8ToBytes(data) : data));
}

/** @returns the URL with its signature as last parameter, `si`: over the text before `&si=` */
export function signQrTanUrl(suite: OcraSuite, key: Uint8Array, unsignedUrl: string): string {
  return unsignedUrl + SIGNATURE_PARAMETER + qrTanSignature(suite, key, unsignedUrl);
}

/** @returns true if the URL ends in its correct signature, and has no other; compared in constant time */
export function verifyQrTanSignature(suite: OcraSuite, key: Uint8Array, url: string): boolean {
  const end = url.indexOf(SIGNATURE_PARAMETER);
  if (end === -1) {
    return false;
  }
  const signature = url.slice(end + SIGNATURE_PARAMETER.length);
  const isEqual = textComparison(signature.toLowerCase(), 2 * hashLength(suite.hash));
  return isEqual(qrTanSignature(suite, key, url.slice(0, end)));
}
