import type * as Jose from 'jose';
import type { JWTPayload } from 'jose';
import type { DerivedKey, Vault } from '../keys/vault.ts';
import type { ProviderSignIn } from './openid-provider.ts';

/**
 * The keys of tokens are derived from those of the vault for one purpose: every server of an installation reads the
 * tokens of the others. They are derived for each token, as the vault's keys change at run time; a new key is then the
 * current one, and older ones are accepted while the vault has them.
 */
type Keys = Pick<Vault, 'derive'>;

/** Loads the library where it is used: a command does not wait for it. */
function loadJose(): Promise<typeof Jose> {
  return import('jose');
}

/**
 * @param derive derives the keys of the purpose, once jose finds that the text has the form of a token
 * @param read reads a token with the key that its header names
 * @returns its content; undefined for a token that jose refuses, or that was made with another key
 */
async function readToken(
  derive: () => readonly DerivedKey[],
  read: (
    jose: typeof Jose,
    keyOf: (header: { readonly kid?: string }) => Uint8Array,
  ) => Promise<{ readonly payload: JWTPayload }>,
): Promise<JWTPayload | undefined> {
  const jose = await loadJose();
  const keyOf = ({ kid }: { readonly kid?: string }): Uint8Array => {
    const key = derive().find(({ keyId }) => keyId === kid);
    if (key === undefined) {
      throw new jose.errors.JOSEError('made with an unknown key');
    }
    return key.bytes;
  };
  try {
    return (await read(jose, keyOf)).payload;
  } catch (error) {
    if (error instanceof jose.errors.JOSEError) {
      return undefined;
    }
    throw error;
  }
}

/** The only accepted algorithm: the one that a token itself names is ignored, `none` in particular (RFC 8725 §3.1). */
const ALGORITHM = 'HS256';
/** Issuer and audience: a token signed for another purpose is refused (RFC 8725 §3.8, §3.9). */
const OURSELVES = 'tankeeper';
const LOGIN_PURPOSE = 'login tokens';

/** The signed content of a login token. */
interface LoginClaims {
  readonly administrator: string;
  /** The session of the login: the token ends with it, also before it expires. */
  readonly session: string;
  /** The value that a request other than GET and HEAD must repeat (CSRF). */
  readonly csrfToken: string;
  /** In whole seconds. */
  readonly expiresAt: Date;
}

/** Login tokens as signed JSON Web Tokens (RFC 7519). No server stores them. */
export class LoginTokens {
  readonly #keys: Keys;

  constructor({ keys }: { keys: Keys }) {
    this.#keys = keys;
  }

  /** @returns a JSON Web Token */
  async sign({ administrator, session, csrfToken, expiresAt }: LoginClaims, now: Date): Promise<string> {
    const { SignJWT } = await loadJose();
    const [current] = this.#keys.derive(LOGIN_PURPOSE);
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

  /** @returns its claims; undefined for an expired token, another form, another key or another algorithm */
  async read(token: string, now: Date): Promise<LoginClaims | undefined> {
    const derive = (): readonly DerivedKey[] => this.#keys.derive(LOGIN_PURPOSE);
    const claims = await readToken(derive, ({ jwtVerify }, keyOf) =>
      jwtVerify(token, keyOf, {
        algorithms: [ALGORITHM],
        typ: 'JWT',
        issuer: OURSELVES,
        audience: OURSELVES,
        requiredClaims: ['sub', 'jti', 'iat', 'exp', 'csrf'],
        currentDate: now,
      }),
    );
    return claims && readClaims(claims);
  }
}

function readClaims({ sub, jti, exp, csrf }: JWTPayload): LoginClaims | undefined {
  return typeof sub === 'string' && typeof jti === 'string' && typeof csrf === 'string' && exp !== undefined
    ? { administrator: sub, session: jti, csrfToken: csrf, expiresAt: new Date(exp * 1000) }
    : undefined;
}

/**
 * The only accepted algorithm. Anyone may have a sign-on sealed, so that the number of sealed texts has no bound: with
 * random nonces, AES-GCM would want one (NIST SP 800-38D section 8.3).
 */
const ENCRYPTION = 'A128CBC-HS256';
/** Audience, too: a text sealed for another purpose is refused. */
const SIGN_ON_PURPOSE = 'single sign-on';
/** Characters; a sealed sign-on has about 600. */
const MAX_LENGTH = 2048;

/**
 * Sign-ons under way as encrypted JSON Web Tokens (RFC 7516, RFC 7519), which browsers keep: stored ones would let anyone
 * fill the database.
 */
export class SealedSignOns {
  readonly #keys: Keys;

  constructor({ keys }: { keys: Keys }) {
    this.#keys = keys;
  }

  /** @returns text for a cookie */
  async seal({ state, nonce, verifier }: ProviderSignIn, expiresAt: Date): Promise<string> {
    const { EncryptJWT } = await loadJose();
    const [current] = this.#keys.derive(SIGN_ON_PURPOSE);
    return new EncryptJWT({ state, nonce, verifier })
      .setProtectedHeader({ alg: 'dir', enc: ENCRYPTION, kid: current.keyId })
      .setIssuer(OURSELVES)
      .setAudience(SIGN_ON_PURPOSE)
      .setExpirationTime(expiresAt)
      .encrypt(current.bytes);
  }

  /** @returns undefined for a text that is not sealed by this installation, or that has expired by `now` */
  async open(sealed: string, now: Date): Promise<ProviderSignIn | undefined> {
    if (sealed.length > MAX_LENGTH) {
      return undefined;
    }
    const derive = (): readonly DerivedKey[] => this.#keys.derive(SIGN_ON_PURPOSE);
    const opened = await readToken(derive, ({ jwtDecrypt }, keyOf) =>
      jwtDecrypt(sealed, keyOf, {
        keyManagementAlgorithms: ['dir'],
        contentEncryptionAlgorithms: [ENCRYPTION],
        issuer: OURSELVES,
        audience: SIGN_ON_PURPOSE,
        requiredClaims: ['exp'],
        currentDate: now,
      }),
    );
    return opened && readSignIn(opened);
  }
}

function readSignIn({ state, nonce, verifier }: JWTPayload): ProviderSignIn | undefined {
  return typeof state === 'string' && typeof nonce === 'string' && typeof verifier === 'string'
    ? { state, nonce, verifier }
    : undefined;
}
