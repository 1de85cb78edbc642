import { computeResponse } from '../../../src/ocra/compute.ts';
import { parseAlgorithm } from '../../../src/ocra/otp.ts';

/** The key of the app, hexadecimal: that of the vectors of RFC 4226. */
export const APP_KEY = '3132333435363738393031323334353637383930';
const HOTP = parseAlgorithm('HOTP-SHA1-6');
const TOTP = parseAlgorithm('TOTP-SHA1-6:T30S');

/** @returns the response of HOTP that an authenticator app shows */
export function hotpAt(counter: number, key = APP_KEY): string {
  return computeResponse(HOTP, Buffer.from(key, 'hex'), { question: '', counter: BigInt(counter) });
}

/** @returns the response of TOTP that an authenticator app shows then */
export function totpAt(now: Date, key: Uint8Array = Buffer.from(APP_KEY, 'hex')): string {
  const timeStep = BigInt(Math.floor(now.getTime() / 30_000));
  return computeResponse(TOTP, key, { question: '', timeStep });
}
