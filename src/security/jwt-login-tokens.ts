import { errors, type JWTPayload, jwtVerify, SignJWT } from 'jose';
import type { LoginClaims, LoginTokens } from '../administrators/ports.ts';
import type { KeyDerivation } from '../keys/vault.ts';

/** The only one: what a token says of its own algorithm is never followed, `none` least of all (RFC 8725 §3.1). */
const ALGORITHM = 'HS256';
/** Issuer and audience: a token that anybody signed for something else is none of ours (RFC 8725 §3.8, §3.9). */
const OURSELVES = 'tankeeper';
const PURPOSE = 'login tokens';

/**
 * Login tokens as JSON Web Tokens (RFC 7519), signed with keys derived from those of the vault: every server of an
 * installation accepts what another one signed, and nothing is kept for it. A new key of the vault signs from then on,
 * the older ones are still accepted while the vault has them. The vault is asked each time: its keys change while it runs.
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
