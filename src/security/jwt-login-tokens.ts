import { errors, type JWTPayload, jwtVerify, SignJWT } from 'jose';
import type { LoginClaims, LoginTokens } from '../accounts/login-tokens.ts';
import type { DerivedKey, KeyDerivation } from '../accounts/vault.ts';

/** The only one: what a token says of its own algorithm is never followed, `none` least of all (RFC 8725 §3.1). */
const ALGORITHM = 'HS256';
/** Issuer and audience: a token that anybody signed for something else is none of ours (RFC 8725 §3.8, §3.9). */
const OURSELVES = 'tankeeper';
const PURPOSE = 'login tokens';

/**
 * Login tokens as JSON Web Tokens (RFC 7519), signed with keys derived from those of the vault: every server of an
 * installation accepts what another one signed, and nothing is kept for it. A new key of the vault signs from then on,
 * the older ones are still accepted.
 */
export class JwtLoginTokens implements LoginTokens {
  readonly #current: DerivedKey;
  readonly #keys: ReadonlyMap<string, Uint8Array>;

  constructor({ keys }: { keys: KeyDerivation }) {
    const [current, ...older] = keys.derive(PURPOSE);
    this.#current = current;
    this.#keys = new Map([current, ...older].map(({ keyId, bytes }) => [keyId, bytes]));
  }

  sign({ administrator, session, csrfToken, expiresAt }: LoginClaims, now: Date): Promise<string> {
    return new SignJWT({ csrf: csrfToken })
      .setProtectedHeader({ alg: ALGORITHM, typ: 'JWT', kid: this.#current.keyId })
      .setIssuer(OURSELVES)
      .setAudience(OURSELVES)
      .setSubject(administrator)
      .setJti(session)
      .setIssuedAt(now)
      .setExpirationTime(expiresAt)
      .sign(this.#current.bytes);
  }

  async read(token: string, now: Date): Promise<LoginClaims | undefined> {
    try {
      const { payload } = await jwtVerify(token, ({ kid = '' }) => this.#keyOf(kid), {
        algorithms: [ALGORITHM],
        typ: 'JWT',
        issuer: OURSELVES,
        audience: OURSELVES,
        requiredClaims: ['sub', 'jti', 'iat', 'exp', 'csrf'],
        currentDate: now,
      });
      return readClaims(payload);
    } catch (error) {
      if (error instanceof errors.JOSEError) {
        return undefined;
      }
      throw error;
    }
  }

  #keyOf(keyId: string): Uint8Array {
    const key = this.#keys.get(keyId);
    if (key === undefined) {
      throw new errors.JWSInvalid('signed with an unknown key');
    }
    return key;
  }
}

function readClaims({ sub, jti, exp, csrf }: JWTPayload): LoginClaims | undefined {
  return typeof sub === 'string' && typeof jti === 'string' && typeof csrf === 'string' && exp !== undefined
    ? { administrator: sub, session: jti, csrfToken: csrf, expiresAt: new Date(exp * 1000) }
    : undefined;
}
