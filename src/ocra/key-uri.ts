import { base32nopad } from '@scure/base';
import type { OtpAlgorithm } from './otp.ts';

/**
 * The URL that authenticator apps read from a QR code, in the public key-URI format. What is left out is as apps assume:
 * six digits, SHA1, 30 seconds.
 * @param account the name that the app shows below that of the issuer
 * @param counter of HOTP, with which the app begins
 */
export function keyUri(
  { hash, digits, timeStep }: OtpAlgorithm,
  key: Uint8Array,
  {
    issuer,
    account,
    counter,
  }: { readonly issuer: string; readonly account: string; readonly counter: bigint },
): string {
  const parameters = [
    `secret=${base32nopad.encode(key)}`,
    ...(digits === 6 ? [] : [`digits=${digits}`]),
    ...(hash === 'sha1' ? [] : [`algorithm=${hash.toUpperCase()}`]),
    ...(timeStep === undefined ? [`counter=${counter}`] : timeStep === 30 ? [] : [`period=${timeStep}`]),
    `issuer=${encodeURIComponent(issuer)}`,
  ];
  const label = `${encodeURIComponent(issuer)}:${encodeURIComponent(account)}`;
  return `otpauth://${timeStep === undefined ? 'hotp' : 'totp'}/${label}?${parameters.join('&')}`;
}
