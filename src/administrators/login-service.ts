import type { Clock, Random } from '../kernel/clock.ts';
import type { AdministratorService } from './administrator-service.ts';
import type { Act } from '../policy/caller.ts';
import { ServiceError } from '../kernel/errors.ts';
import type { LoginTokens } from './json-web-tokens.ts';
import type { ProvenPassword } from './administrator.ts';
import type { SessionKind } from './session.ts';

/** A login that succeeded. */
export interface Login {
  /** The login token. */
  readonly token: string;
  readonly csrfToken: string;
  readonly expiresAt: Date;
}

/** The administrator and session of a valid login token. */
interface KnownLogin {
  readonly administrator: string;
  readonly session: string;
  readonly csrfToken: string;
  /** The groups of a person who signed in by single sign-on. */
  readonly groups?: readonly string[] | undefined;
}

/** Characters; a token holds little more than names. */
const MAX_TOKEN_LENGTH = 4096;

/**
 * Logins with a signed token. The token is valid while the session it names is open, of the kind `login`, and belongs
 * to the administrator it names. So a login ends when the session is closed, the password changes or the administrator
 * is removed.
 */
export class LoginService {
  readonly #deps;

  constructor(dependencies: {
    readonly administrators: Pick<
      AdministratorService,
      'authenticatePassword' | 'openSession' | 'findLogin' | 'closeSession'
    >;
    readonly tokens: LoginTokens;
    readonly clock: Clock;
    readonly random: Random;
  }) {
    this.#deps = dependencies;
  }

  /**
   * @returns undefined for a wrong password, one that was changed meanwhile, or an unknown name
   * @throws ServiceError 'second-factor.required' for a right password that is not enough
   */
  async login(name: string, password: string, act: Partial<Act> = {}): Promise<Login | undefined> {
    const { administrators } = this.#deps;
    const proven = await administrators.authenticatePassword(name, password);
    if (proven?.secondFactor !== undefined) {
      throw secondFactorRequired(name);
    }
    return proven && this.openLogin(proven, act);
  }

  /** @returns undefined where the password was changed a moment ago */
  async openLogin(proven: ProvenPassword, act: Partial<Act> = {}): Promise<Login | undefined> {
    const opened = await this.#deps.administrators.openSession(proven, act, 'login');
    return opened && this.sign(proven.administrator, opened);
  }

  /**
   * @param opened a session of the kind `login`
   * @returns the login that names it
   */
  async sign(
    administrator: string,
    opened: { readonly session: string; readonly expiresAt: Date },
  ): Promise<Login> {
    const { tokens, clock, random } = this.#deps;
    const expiresAt = new Date(Math.floor(opened.expiresAt.getTime() / 1000) * 1000);
    const csrfToken = newCsrfToken(random);
    const claims = { administrator, session: opened.session, csrfToken, expiresAt };
    return { token: await tokens.sign(claims, clock.now()), csrfToken, expiresAt };
  }

  /** @returns undefined unless the token is genuine and its login is open */
  async authenticate(token: string): Promise<KnownLogin | undefined> {
    const claims =
      token.length > MAX_TOKEN_LENGTH
        ? undefined
        : await this.#deps.tokens.read(token, this.#deps.clock.now());
    if (claims === undefined) {
      return undefined;
    }
    const { administrator, session, csrfToken } = claims;
    const owner = await this.#deps.administrators.findLogin(session);
    return owner?.administrator === administrator
      ? { administrator, session, csrfToken, ...(owner.groups !== undefined && { groups: owner.groups }) }
      : undefined;
  }

  /** Ends a login, or a session of another kind: old clients log out of either. @returns true if it was open */
  logout(session: string, act: Partial<Act> = {}, kind: SessionKind = 'login'): Promise<boolean> {
    return this.#deps.administrators.closeSession(session, act, kind);
  }
}

/** @returns the refusal of a password that is right, and not enough */
export function secondFactorRequired(account: string): ServiceError {
  return new ServiceError(
    'second-factor.required',
    'This administrator has a second factor: sign in by /admin/sign-in. Programs use an API token',
    { account },
  );
}

/** @returns 128 random bits in the form of an UUID, as the clients of the old service know it */
function newCsrfToken(random: Random): string {
  return random
    .bytes(16)
    .toString('hex')
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
