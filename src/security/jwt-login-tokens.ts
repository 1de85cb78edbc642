import { errors, type JWTPayload, jwtVerify, SignJWT } from 'jose';
import type { LoginClaims, LoginTokens } from '../administrators/ports.ts';
import type { KeyDerivation } from '../keys/vault.ts';

/** The only accepted algorithm: the one that a token itself names is ignored, `none` in particular (RFC 8725 §3.1). */
const ALGORITHM = 'HS256';
/** Issuer and audience: a token signed for another purpose is refused (RFC 8725 §3.8, §3.9). */
const OURSELVES = 'tankeeper';
const PURPOSE = 'login tokens';

/**
 * Login tokens as JSON Web Tokens (RFC 7519), signed with keys derived from those of the vault: every server of an
 * installation accepts the tokens of the others, and stores nothing for them. After a key change the new key signs, and
 * the older ones are accepted while the vault has them. The keys are derived for each token, as the vault's keys change
 * at run time.
 */
export class JwtLoginTokens implements LoginTokens {
  readonly #keys: KeyDerivation;

  constructor({ keys }: { keys: KeyDerivation }) {
    this.#keys = keys;
  }

  sign({ administrator, session, csrfToken, expiresAt }: LoginClaims, now: Date): Promise<string> {
    const [current] = this.#keys.derive(PURPOSE);
    return new SignJWT({ csrf: csrfToken })
      .setProtectedHeader({ alg: ALGORITHM, typ: 'JWT', kid: current.keyId })
      .setIssuer(OURSELVES)
      .setAudience(OURSELVES)
      .setSubject(administrator)
      .setJti(session)
      .setIssuedAt(now)
      .setExpirationTime(expiresAt)
      .sign(current.bytes);
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

  #keyOf(kid: string): Uint8Array {
    const key = this.#keys.derive(PURPOSE).find(({ keyId }) => keyId === kid);
    if (key === undefined) {
      throw new errors.JWSInvalid('signed with an unknown key');
    }
    return key.bytes;
  }
}

function readClaims({ sub, jti, exp, csrf }: JWTPayload): LoginClaims | undefined {
  return typeof sub === 'string' && typeof jti === 'string' && typeof csrf === 'string' && exp !== undefined
    ? { administrator: sub, session: jti, csrfToken: csrf, expiresAt: new Date(exp * 1000) }
    : undefined;
}
