import { createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import { compactVerify, decodeProtectedHeader, errors } from 'jose';
import { ServiceError } from '../kernel/errors.ts';
import { safeText } from '../kernel/text.ts';

/**
 * The only accepted algorithms, one for each kind of key. `none` and those with a shared secret are refused (RFC 8725
 * §3.1).
 */
type Algorithm = 'EdDSA' | 'RS256';

const COMPACT = /^[\w-]+\.[\w-]+\.[\w-]*$/;
const MIN_MODULUS_BITS = 2048;
const ALLOWED = `an Ed25519 key, or an RSA key of ${MIN_MODULUS_BITS} bits or more`;

/** The result of a check of a licence's signature. The texts name the fault, for operators. */
export type SignedLicence =
  | { readonly kind: 'verified'; readonly claims: unknown }
  | { readonly kind: 'unverified'; readonly why: string }
  | { readonly kind: 'unreadable'; readonly why: string };

/** Licences as JSON Web Signatures in compact form (RFC 7515 §7.1), signed with EdDSA (RFC 8037) or RS256. A key that the licence itself names is ignored. */
export class LicenceSignature {
  readonly #key: KeyObject;
  readonly #algorithm: Algorithm;

  /**
   * @param publicKey PEM (`BEGIN PUBLIC KEY`, RFC 7468 §13) or a JWK (RFC 7517)
   * @throws ServiceError 'configuration.invalid' for any other text, in particular a private key
   */
  constructor({ publicKey }: { readonly publicKey: string }) {
    this.#key = readPublicKey(publicKey);
    this.#algorithm = algorithmOf(this.#key);
  }

  async read(text: string): Promise<SignedLicence> {
    const header = COMPACT.test(text) ? headerOf(text) : undefined;
    if (header === undefined) {
      return { kind: 'unreadable', why: 'it is no JWS in compact form' };
    }
    const { alg } = header;
    if (alg !== this.#algorithm) {
      const named = typeof alg === 'string' ? `'${safeText(alg.slice(0, 20))}'` : 'none';
      return unverified(
        `its algorithm is ${named}, and the key of LICENCE_PUBLIC_KEY_FILE takes ${this.#algorithm}`,
      );
    }
    // A critical extension (RFC 7515 §4.1.11) changes the meaning of a signature; none is supported.
    if ('crit' in header) {
      return unverified("its header has 'crit'");
    }
    return this.#verify(text);
  }

  async #verify(text: string): Promise<SignedLicence> {
    let payload: Uint8Array;
    try {
      ({ payload } = await compactVerify(text, this.#key, { algorithms: [this.#algorithm] }));
    } catch (error) {
      if (error instanceof errors.JOSEError) {
        return unverified('it is not signed with the key of LICENCE_PUBLIC_KEY_FILE');
      }
      throw error;
    }
    try {
      const claims: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(payload));
      return { kind: 'verified', claims };
    } catch {
      return { kind: 'unreadable', why: 'what is signed is not JSON' };
    }
  }
}

function headerOf(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return { ...decodeProtectedHeader(text) };
  } catch {
    return undefined;
  }
}

function unverified(why: string): SignedLicence {
  return { kind: 'unverified', why };
}

function readPublicKey(text: string): KeyObject {
  const trimmed = text.trim();
  if (trimmed.startsWith('{')) {
    return readJwk(trimmed);
  }
  if (/-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(trimmed)) {
    throw privateKey();
  }
  if (!trimmed.startsWith('-----BEGIN PUBLIC KEY-----')) {
    throw unusable('is neither PEM with BEGIN PUBLIC KEY nor a JWK');
  }
  try {
    return createPublicKey(trimmed);
  } catch (cause) {
    throw unusable('holds no key that can be read', cause);
  }
}

function readJwk(text: string): KeyObject {
  let jwk: JsonWebKey;
  try {
    jwk = JSON.parse(text) as JsonWebKey;
  } catch {
    throw unusable('is not JSON');
  }
  if ('d' in jwk || 'k' in jwk) {
    throw privateKey();
  }
  try {
    return createPublicKey({ key: jwk, format: 'jwk' });
  } catch (cause) {
    throw unusable('holds no public key that can be read', cause);
  }
}

function algorithmOf({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): Algorithm {
  if (asymmetricKeyType === 'ed25519') {
    return 'EdDSA';
  }
  if (asymmetricKeyType === 'rsa' && (asymmetricKeyDetails?.modulusLength ?? 0) >= MIN_MODULUS_BITS) {
    return 'RS256';
  }
  throw unusable(`holds another key than is allowed: ${ALLOWED}`);
}

function privateKey(): ServiceError {
  return unusable('holds a secret key, which can sign licences. Only the public key belongs here');
}

function unusable(reason: string, cause?: unknown): ServiceError {
  return new ServiceError('configuration.invalid', `The file of LICENCE_PUBLIC_KEY_FILE ${reason}.`, {
    cause,
  });
}
