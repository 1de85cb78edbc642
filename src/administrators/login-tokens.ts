/** What a login token says, and what its signature vouches for. */
export interface LoginClaims {
  readonly administrator: string;
  /** The session that it stands on: it ends with that session, also before it expires. */
  readonly session: string;
  /** What a request that is neither GET nor HEAD must repeat (CSRF). */
  readonly csrfToken: string;
  /** In whole seconds. */
  readonly expiresAt: Date;
}

/** Signs and reads what a browser carries as proof of a login. */
export interface LoginTokens {
  /** @returns a JSON Web Token (RFC 7519) */
  sign(claims: LoginClaims, now: Date): Promise<string>;
  /** @returns its claims, unless it is no such token, was signed by another key or in another way, or has expired */
  read(token: string, now: Date): Promise<LoginClaims | undefined>;
}
