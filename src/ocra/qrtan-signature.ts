import { createHmac } from 'node:crypto';
import { equalText } from '../kernel/constant-time.ts';
import type { OcraSuite } from './suite.ts';

const SIGNATURE_PARAMETER = '&si=';

/**
 * Signs what an app is to trust.
 * @returns the HMAC with the suite's hash and the token's key, in lower-case hexadecimal
 */
export function qrTanSignature(suite: OcraSuite, key: Uint8Array, data: string | Uint8Array): string {
  return createHmac(suite.hash, key).update(data).digest('hex');
}

/** @returns the URL with its signature as last parameter, `si`: over all that stands before `&si=` */
export function signQrTanUrl(suite: OcraSuite, key: Uint8Array, unsignedUrl: string): string {
  return unsignedUrl + SIGNATURE_PARAMETER + qrTanSignature(suite, key, unsignedUrl);
}

/** @returns whether the URL ends in its right signature, and has no other; compared in constant time */
export function verifyQrTanSignature(suite: OcraSuite, key: Uint8Array, url: string): boolean {
  const end = url.indexOf(SIGNATURE_PARAMETER);
  if (end === -1) {
    return false;
  }
  const given = url.slice(end + SIGNATURE_PARAMETER.length);
  return equalText(given.toLowerCase(), qrTanSignature(suite, key, url.slice(0, end)));
}
