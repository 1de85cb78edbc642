import type { JWTPayload } from 'jose';
import type { ProviderSignIn, SignOnSeal } from '../administrators/single-sign-on-service.ts';
import type { KeyDerivation } from '../keys/vault.ts';
import { JwtKeys, loadJose, readToken } from './jwt-keys.ts';

/**
 * The only accepted algorithm. Anyone may have a sign-on sealed, so that the number of sealed texts has no bound: with
 * random nonces, AES-GCM would want one (NIST SP 800-38D section 8.3).
 */
const ENCRYPTION = 'A128CBC-HS256';
/** Issuer and audience: a text sealed for another purpose is refused. */
const OURSELVES = 'tankeeper';
const PURPOSE = 'single sign-on';
/** Characters; a sealed sign-on has about 600. */
const MAX_LENGTH = 2048;

/** Sign-ons under way as encrypted JSON Web Tokens (RFC 7516, RFC 7519). No server stores them. */
export class SealedSignOns implements SignOnSeal {
  readonly #keys: JwtKeys;

  constructor({ keys }: { keys: KeyDerivation }) {
    this.#keys = new JwtKeys({ keys, purpose: PURPOSE });
  }

  async seal({ state, nonce, verifier }: ProviderSignIn, expiresAt: Date): Promise<string> {
    const { EncryptJWT } = await loadJose();
    const { current } = this.#keys;
    return new EncryptJWT({ state, nonce, verifier })
      .setProtectedHeader({ alg: 'dir', enc: ENCRYPTION, kid: current.keyId })
      .setIssuer(OURSELVES)
      .setAudience(PURPOSE)
      .setExpirationTime(expiresAt)
      .encrypt(current.bytes);
  }

  async open(sealed: string, now: Date): Promise<ProviderSignIn | undefined> {
    if (sealed.length > MAX_LENGTH) {
      return undefined;
    }
    const opened = await readToken(({ jwtDecrypt }) =>
      jwtDecrypt(sealed, (header) => this.#keys.find(header), {
        keyManagementAlgorithms: ['dir'],
        contentEncryptionAlgorithms: [ENCRYPTION],
        issuer: OURSELVES,
        audience: PURPOSE,
        requiredClaims: ['exp'],
        currentDate: now,
      }),
    );
    return opened && readSignIn(opened.payload);
  }
}

function readSignIn({ state, nonce, verifier }: JWTPayload): ProviderSignIn | undefined {
  return typeof state === 'string' && typeof nonce === 'string' && typeof verifier === 'string'
    ? { state, nonce, verifier }
    : undefined;
}
