import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { CompactSign } from 'jose';
import { LicenceSignature } from '../../../src/monitoring/licence.ts';

/** A vendor of licences. */
export interface LicenceVendor {
  /** Verifies this vendor's licences. */
  readonly signature: LicenceSignature;
  /** PEM, for the file of LICENCE_PUBLIC_KEY_FILE. */
  readonly publicKey: string;
  /** @returns the licence with these claims, under a header that may hold more than the algorithm */
  sign(claims: unknown, header?: Readonly<Record<string, unknown>>): Promise<string>;
}

/** Valid claims, on which tests build. */
export const CLAIMS = {
  licensee: 'Sparkasse Köln',
  number: 'TK-0042',
  issued: '2026-01-01',
  expire: '2027-12-31',
  'token-num': 5,
};

/** @returns a vendor with a key pair of its own */
export function licenceVendor(algorithm: 'EdDSA' | 'RS256' = 'EdDSA'): LicenceVendor {
  const { publicKey, privateKey } =
    algorithm === 'EdDSA'
      ? generateKeyPairSync('ed25519')
      : generateKeyPairSync('rsa', { modulusLength: 2048 });
  const pem = publicKey.export({ type: 'spki', format: 'pem' }).toString();
  return {
    signature: new LicenceSignature({ publicKey: pem }),
    publicKey: pem,
    sign: (claims, header = {}) => signedWith(privateKey, claims, { alg: algorithm, ...header }),
  };
}

/** @returns a JWS in compact form */
export function signedWith(
  key: KeyObject | Uint8Array,
  claims: unknown,
  header: Readonly<Record<string, unknown>> & { readonly alg: string },
): Promise<string> {
  return new CompactSign(Buffer.from(typeof claims === 'string' ? claims : JSON.stringify(claims), 'utf8'))
    .setProtectedHeader(header)
    .sign(key);
}

/** @returns the licence with other claims under the same signature */
export function tampered(licence: string, claims: unknown): string {
  const [header = '', , signature = ''] = licence.split('.');
  return [header, Buffer.from(JSON.stringify(claims), 'utf8').toString('base64url'), signature].join('.');
}
