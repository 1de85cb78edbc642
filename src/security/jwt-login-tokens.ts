import type { JWTPayload } from 'jose';
import type { LoginClaims, LoginTokens } from '../administrators/login-service.ts';
import type { KeyDerivation } from '../keys/vault.ts';
import { JwtKeys, loadJose, readToken } from './jwt-keys.ts';

/** The only accepted algorithm: the one that a token itself names is ignored, `none` in particular (RFC 8725 §3.1). */
const ALGORITHM = 'HS256';
/** Issuer and audience: a token signed for another purpose is refused (RFC 8725 §3.8, §3.9). */
const OURSELVES = 'tankeeper';
const PURPOSE = 'login tokens';

/** Login tokens as signed JSON Web Tokens (RFC 7519). No server stores them. */
export class JwtLoginTokens implements LoginTokens {
  readonly #keys: JwtKeys;

  constructor({ keys }: { keys: KeyDerivation }) {
    this.#keys = new JwtKeys({ keys, purpose: PURPOSE });
  }

  async sign({ administrator, session, csrfToken, expiresAt }: LoginClaims, now: Date): Promise<string> {
    const { SignJWT } = await loadJose();
    const { current } = this.#keys;
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
    const verified = await readToken(({ jwtVerify }) =>
      jwtVerify(token, (header) => this.#keys.find(header), {
        algorithms: [ALGORITHM],
        typ: 'JWT',
        issuer: OURSELVES,
        audience: OURSELVES,
        requiredClaims: ['sub', 'jti', 'iat', 'exp', 'csrf'],
        currentDate: now,
      }),
    );
    return verified && readClaims(verified.payload);
  }
}

function readClaims({ sub, jti, exp, csrf }: JWTPayload): LoginClaims | undefined {
  return typeof sub === 'string' && typeof jti === 'string' && typeof csrf === 'string' && exp !== undefined
    ? { administrator: sub, session: jti, csrfToken: csrf, expiresAt: new Date(exp * 1000) }
    : undefined;
}
