import type { Act } from '../policy/caller.ts';
import type { SecondFactor } from './second-factor.ts';
import type { SessionKind } from './session-secrets.ts';

export interface Administrator {
  readonly id: string;
  readonly name: string;
  readonly passwordHash: string;
  readonly createdAt: Date;
  /** Undefined: the password alone is enough. */
  readonly secondFactor?: SecondFactor | undefined;
}

/** A password that was verified, with its version, because it may change before it is used. */
export interface ProvenPassword {
  readonly administrator: string;
  /** SHA-256 of the hash that the password was verified against. */
  readonly version: Buffer;
  /** The second factor that the administrator has: with one, the password alone opens nothing. */
  readonly secondFactor?: SecondFactor | undefined;
}

/** A session that is open until it expires, unless it is revoked before. */
export interface OpenSession {
  readonly administrator: string;
  readonly expiresAt: Date;
  /** The groups of a person who signed in by single sign-on; undefined: an administrator of this server. */
  readonly groups?: readonly string[] | undefined;
}

export interface ApiToken {
  readonly name: string;
  readonly administrator: string;
  readonly rights: readonly string[];
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
}

/** Administrators, their API tokens and their sessions. Tokens and sessions are stored as hashes. */
export interface AdministratorStore {
  find(name: string): Promise<Administrator | undefined>;
  list(): Promise<readonly Administrator[]>;
  /** @throws 'administrator.exists' */
  insert(name: string, passwordHash: string, act: Act): Promise<void>;
  /** For several servers that start at once. @returns false when there is an administrator already */
  insertFirst(name: string, passwordHash: string, act: Act): Promise<boolean>;
  /**
   * Also ends every session of the administrator, and removes the API tokens on request.
   * @returns the number of API tokens; undefined for an unknown administrator, or where the password is not `replaces`
   */
  setPassword(
    name: string,
    passwordHash: string,
    act: Act,
    options?: { readonly revokesApiTokens?: boolean; readonly replaces?: ProvenPassword },
  ): Promise<{ readonly apiTokens: number } | undefined>;
  /**
   * Replaces the hash of a password by another hash of the same password. Sessions stay open.
   * @param proven names the hash that is replaced
   * @returns false if the password or its hash has been changed since it was proven, or the administrator is gone
   */
  renewHash(proven: ProvenPassword, passwordHash: string, act: Act): Promise<boolean>;
  /**
   * Also removes sessions and API tokens.
   * @throws 'administrator.invalid' for the last one.
   * @returns true if there was one
   */
  remove(name: string, act: Act): Promise<boolean>;
  /** @throws 'administrator.unknown', 'administrator.exists' when the name is taken for that administrator */
  insertApiToken(token: Omit<ApiToken, 'createdAt'>, tokenHash: Buffer, act: Act): Promise<void>;
  listApiTokens(administrator: string): Promise<readonly ApiToken[]>;
  removeApiToken(administrator: string, name: string, act: Act): Promise<boolean>;
  /** @returns the token of that hash, unless it has expired by `now` */
  findApiToken(tokenHash: Buffer, now: Date): Promise<ApiToken | undefined>;
  /**
   * @returns false where the password has been changed since it was proven, the administrator has a second factor, or
   *   is gone
   */
  insertSession(
    proven: ProvenPassword,
    sessionHash: Buffer,
    expiresAt: Date,
    act: Act,
    kind?: SessionKind,
  ): Promise<boolean>;
  /** @returns the administrator's name, unless the session has expired by `now` or was revoked */
  findSession(sessionHash: Buffer, now: Date): Promise<string | undefined>;
  /** @returns the session, unless it has expired by `now` or was revoked */
  openSession(sessionHash: Buffer, now: Date): Promise<OpenSession | undefined>;
  revokeSession(sessionHash: Buffer, act: Act): Promise<boolean>;
}

/** The signed content of a login token. */
export interface LoginClaims {
  readonly administrator: string;
  /** The session of the login: the token ends with it, also before it expires. */
  readonly session: string;
  /** The value that a request other than GET and HEAD must repeat (CSRF). */
  readonly csrfToken: string;
  /** In whole seconds. */
  readonly expiresAt: Date;
}

/** Signs and reads login tokens. */
export interface LoginTokens {
  /** @returns a JSON Web Token (RFC 7519) */
  sign(claims: LoginClaims, now: Date): Promise<string>;
  /** @returns its claims; undefined for an expired token, another form, another key or another algorithm */
  read(token: string, now: Date): Promise<LoginClaims | undefined>;
}
