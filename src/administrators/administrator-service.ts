import { parseExpiry, type Random, randomText } from '../kernel/clock.ts';
import { ServiceError } from '../kernel/errors.ts';
import { composed, plainName } from '../kernel/text.ts';
import type { AccessControl } from '../policy/access-control.ts';
import { isFactorToken, type Token } from '../tokens/token.ts';
import { mayPassOn, readRights } from '../policy/api-token-rights.ts';
import { type Act, actOf, type Caller } from '../policy/caller.ts';
import {
  type Administrator,
  type ApiToken,
  type ProvenPassword,
  readAdministratorName,
} from './administrator.ts';
import { assertPassword, isPasswordSized, type PasswordHasher } from '../users/password-hash.ts';
import type { AdministratorStore } from './administrator-store.ts';
import {
  type OpenSession,
  isSessionShaped,
  newSession,
  secretHash,
  sessionHash,
  type SessionKind,
} from './session.ts';
import { assertConfirmed, type ConfirmedLogins } from '../policy/recent-proof.ts';
import type { ConfigurationStore } from '../configuration/configuration-store.ts';
import type { RecalledPassword, RememberedCredentials } from './remembered-credentials.ts';

export interface AdministratorDependencies extends ConfirmedLogins {
  readonly administrators: AdministratorStore;
  readonly configuration: Pick<ConfigurationStore, 'current'>;
  readonly access: AccessControl;
  readonly hasher: PasswordHasher;
  /** The memory of passwords that were verified. */
  readonly credentials: Pick<RememberedCredentials, 'current'>;
  readonly random: Random;
  /** Seconds until a session ends. */
  readonly sessionLifetime: number;
}

/** A new API token. */
export interface ApiTokenDraft {
  readonly name: string;
  /** `*`, or `scope:action`, each part may be `*`. */
  readonly rights: readonly string[];
  /** A date, a time or a duration from now (`90D`); left out or empty: never. */
  readonly expires?: string | undefined;
}

const FIRST_NAME = 'admin';
/** Nothing that reads like something else; 20 of these are 114 bits. */
const PASSWORD_ALPHABET = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789';

const API_TOKEN_PREFIX = 'tk_';
const SESSION_ACT: Act = { actor: '', action: 'administrator/session', client: '', requestId: '' };
const RENEWAL_ACT: Act = { actor: '', action: 'administrator/rehash', client: '', requestId: '' };
const FIRST_ACT: Act = { actor: '', action: 'administrator/first', client: '', requestId: '' };

/**
 * Administrators: who they are, what they carry instead of a password, and their sessions. Changes are for holders
 * of `system:write`, who can write any policy, so that nobody has more rights. What makes or changes a credential also
 * takes a confirmed login, and throws ServiceError 'confirmation.required' without.
 */
export class AdministratorService {
  readonly #deps: AdministratorDependencies;

  constructor(dependencies: AdministratorDependencies) {
    this.#deps = dependencies;
  }

  /** @returns administrators by name */
  async list(): Promise<readonly Omit<Administrator, 'id' | 'passwordHash'>[]> {
    const administrators = await this.#deps.administrators.list();
    return administrators.map(({ name, createdAt, secondFactor }) => ({ name, createdAt, secondFactor }));
  }

  /** @throws ServiceError 'administrator.exists', 'administrator.invalid', 'parameter.invalid' for an unfit password */
  async add(caller: Caller, name: string, password: string): Promise<void> {
    await assertConfirmed(caller, this.#deps);
    const known = readAdministratorName(name);
    const hash = await this.#confirmedHash(caller, password);
    await this.#deps.administrators.insert(known, hash, actOf(caller, 'administrator/add'));
  }

  /** @throws ServiceError 'administrator.unknown', 'administrator.invalid' for oneself and for the last one */
  async remove(caller: Caller, named: string): Promise<void> {
    await assertConfirmed(caller, this.#deps);
    const name = composed(named);
    if (name === caller.principal.administrator) {
      throw new ServiceError('administrator.invalid', 'Nobody can remove themselves');
    }
    if (!(await this.#deps.administrators.remove(name, actOf(caller, 'administrator/remove')))) {
      throw unknownAdministrator(name);
    }
  }

  /**
   * Also ends every session of the administrator, those included that are being opened with the password of before. API
   * tokens are credentials of their own and stay, unless `revokesApiTokens` says otherwise.
   * @returns the number of API tokens that the administrator had
   * @throws ServiceError 'administrator.unknown', 'parameter.invalid', 'administrator.invalid' for oneself: that takes
   *   the present password
   */
  async setPassword(
    caller: Caller,
    named: string,
    password: string,
    options: { readonly revokesApiTokens: boolean } = { revokesApiTokens: false },
  ): Promise<{ readonly apiTokens: number }> {
    await assertConfirmed(caller, this.#deps);
    const name = composed(named);
    if (name === caller.principal.administrator) {
      throw new ServiceError(
        'administrator.invalid',
        'A password of one’s own is changed with the present one',
      );
    }
    const hash = await this.#confirmedHash(caller, password);
    const act = actOf(caller, 'administrator/password');
    const changed = await this.#deps.administrators.setPassword(name, hash, act, options);
    if (changed === undefined) {
      throw unknownAdministrator(name);
    }
    return changed;
  }

  /**
   * Changes the caller's own password, which takes no right, but a confirmed login: the present password alone is not
   * enough where there is a second factor. Ends every session of theirs; API tokens stay.
   * @returns false where the present password is wrong
   * @throws ServiceError 'confirmation.required', 'parameter.invalid' for an unfit new one, 'administrator.invalid' for
   *   a person of single sign-on
   */
  async changeOwnPassword(caller: Caller, present: string, password: string): Promise<boolean> {
    const { administrator: name, groups } = caller.principal;
    if (groups !== undefined) {
      throw new ServiceError('administrator.invalid', 'People of single sign-on have no password here');
    }
    await assertConfirmed(caller, this.#deps);
    const proven = await this.authenticatePassword(name, present);
    if (proven === undefined) {
      return false;
    }
    const hash = await this.#hash(password);
    // Both hashes are slow: the login, or its confirmation, may have ended meanwhile.
    await assertConfirmed(caller, this.#deps);
    const act = actOf(caller, 'administrator/password');
    return (await this.#deps.administrators.setPassword(name, hash, act, { replaces: proven })) !== undefined;
  }

  /**
   * Binds a token to an administrator, with the key that it has, in place of another second factor. Ends all sessions.
   * @param serial undefined: leaves the password alone
   * @throws ServiceError 'administrator.unknown', 'token.unknown', 'token.state' before the end of its roll-out
   */
  async setSecondFactor(caller: Caller, administrator: string, serial: string | undefined): Promise<void> {
    await assertConfirmed(caller, this.#deps);
    const act = actOf(caller, 'administrator/second-factor');
    const { administrators } = this.#deps;
    const assertFit = (token: Token | undefined): asserts token is Token => {
      assertFactor(token, serial ?? '');
    };
    if (!(await administrators.setSecondFactor(composed(administrator), serial, assertFit, act))) {
      throw unknownAdministrator(administrator);
    }
  }

  /**
   * @returns the API token, which is stored only as a hash and cannot be shown again
   * @throws ServiceError 'administrator.unknown', 'administrator.exists', 'administrator.invalid' for unknown rights,
   *   an end that is past, or rights beyond those of the caller
   */
  async addApiToken(caller: Caller, administrator: string, draft: ApiTokenDraft): Promise<{ token: string }> {
    await assertConfirmed(caller, this.#deps);
    const expiresAt = readExpiry(draft.expires, this.#deps.clock.now());
    const rights = readRights(draft.rights);
    if (!mayPassOn(caller.principal.rights, rights)) {
      throw new ServiceError('administrator.invalid', 'An API token cannot have more rights than its maker');
    }
    if (expiresAt !== null && !(expiresAt > this.#deps.clock.now())) {
      throw new ServiceError('administrator.invalid', 'The API token would have expired already');
    }
    const token = newApiToken(this.#deps.random);
    await this.#deps.administrators.insertApiToken(
      { name: readApiTokenName(draft.name), administrator: composed(administrator), rights, expiresAt },
      secretHash(token),
      actOf(caller, 'api-token/add'),
    );
    return { token };
  }

  /** @throws ServiceError 'administrator.unknown' */
  async listApiTokens(named: string): Promise<readonly ApiToken[]> {
    const administrator = composed(named);
    if ((await this.#deps.administrators.find(administrator)) === undefined) {
      throw unknownAdministrator(administrator);
    }
    return this.#deps.administrators.listApiTokens(administrator);
  }

  /** @throws ServiceError 'administrator.unknown' when there is no such API token */
  async removeApiToken(caller: Caller, administrator: string, name: string): Promise<void> {
    const act = actOf(caller, 'api-token/remove');
    const remove = (label: string): Promise<boolean> =>
      this.#deps.administrators.removeApiToken(composed(administrator), label, act);
    // Labels of before may be decomposed.
    if (!(await remove(name)) && !(await remove(composed(name)))) {
      throw new ServiceError(
        'administrator.unknown',
        `The administrator '${administrator.slice(0, 128)}' has no API token '${name.slice(0, 128)}'`,
      );
    }
  }

  /**
   * Looks for a password that was verified within ten seconds, without hashing it slowly. `other` is a refusal that needs
   * no further proof: the caller must count it as a wrong password, even if its verification fails.
   */
  recallPassword(name: string, password: string): RecalledPassword {
    return this.#deps.credentials.current?.passwords.recall(composed(name), password);
  }

  /**
   * Verifies a password by its slow hash, and remembers the right one. It takes as long for a name that does not exist.
   * An imported hash is replaced by one of this server.
   * @returns the proof that it is the administrator's password; undefined where it is not
   */
  async authenticatePassword(named: string, password: string): Promise<ProvenPassword | undefined> {
    const name = composed(named);
    if (!isPasswordSized(password)) {
      return undefined;
    }
    const { administrators, hasher, credentials } = this.#deps;
    // Taken before the read: a change during the read replaces the memory, and the stale result goes to the old one.
    const memory = credentials.current;
    const administrator = await administrators.find(name);
    const isRight =
      administrator === undefined
        ? await hasher.verifyNothing(password, name)
        : await hasher.verify(administrator.passwordHash, password);
    if (administrator === undefined || !isRight) {
      return undefined;
    }
    const proven = provenBy(administrator);
    if (hasher.isForeign(administrator.passwordHash)) {
      return this.#renew(proven, password);
    }
    memory?.passwords.remember(proven, password);
    return proven;
  }

  /** Replaces an imported hash, which may take a second to verify, by one of this server. */
  async #renew(proven: ProvenPassword, password: string): Promise<ProvenPassword | undefined> {
    const { administrators, hasher } = this.#deps;
    const { administrator: name } = proven;
    const passwordHash = await hasher.hash(password);
    if (await administrators.renewHash(proven, passwordHash, { ...RENEWAL_ACT, actor: name })) {
      return { ...proven, version: secretHash(passwordHash) };
    }
    // Another login has renewed it, or the password has changed.
    const changed = await administrators.find(name);
    return changed !== undefined && (await hasher.verify(changed.passwordHash, password))
      ? provenBy(changed)
      : undefined;
  }

  /** @returns a new session and when it ends; undefined where the password was changed a moment ago */
  async openSession(
    proven: ProvenPassword,
    act: Partial<Act> = {},
    kind: SessionKind = 'session',
  ): Promise<{ session: string; expiresAt: Date } | undefined> {
    const { administrators, clock, random, sessionLifetime } = this.#deps;
    const session = newSession(random);
    const expiresAt = new Date(clock.now().getTime() + sessionLifetime * 1000);
    const opening: Act = { ...SESSION_ACT, actor: proven.administrator, ...act };
    const hash = sessionHash(session, kind);
    const isOpen = await administrators.insertSession(proven, hash, expiresAt, opening, kind);
    return isOpen ? { session, expiresAt } : undefined;
  }

  /** @returns the administrator's name, unless the session is unknown, a login's, has expired or was closed */
  async findSession(session: string): Promise<string | undefined> {
    return isSessionShaped(session)
      ? this.#deps.administrators.findSession(sessionHash(session, 'session'), this.#deps.clock.now())
      : undefined;
  }

  /** @returns the session of a login, unless it is unknown, has expired or was closed */
  async findLogin(session: string): Promise<OpenSession | undefined> {
    return isSessionShaped(session)
      ? this.#deps.administrators.findOpenSession(sessionHash(session, 'login'), this.#deps.clock.now())
      : undefined;
  }

  /** @returns true if it was open */
  async closeSession(
    session: string,
    act: Partial<Act> = {},
    kind: SessionKind = 'session',
  ): Promise<boolean> {
    const { administrators } = this.#deps;
    const closing: Act = { ...SESSION_ACT, ...act };
    return isSessionShaped(session) && administrators.revokeSession(sessionHash(session, kind), closing);
  }

  /** @returns the identity of the API token, unless it is unknown or has expired */
  async authenticateApiToken(token: string): Promise<ApiToken | undefined> {
    return isApiTokenShaped(token)
      ? this.#deps.administrators.findApiToken(secretHash(token), this.#deps.clock.now())
      : undefined;
  }

  /**
   * Creates the first administrator where there is none; of several servers at once, one does.
   * @param password absent: a random one
   * @returns the new administrator, with the password if it is a random one; undefined when one exists
   * @throws ServiceError 'parameter.invalid' for an unfit password
   */
  async ensureFirstAdministrator(
    password?: string,
  ): Promise<{ name: string; password?: string } | undefined> {
    const { administrators, random } = this.#deps;
    if ((await administrators.list()).length > 0) {
      return undefined;
    }
    const chosen = password ?? randomText(random, PASSWORD_ALPHABET, 20);
    if (!(await administrators.insertFirst(FIRST_NAME, await this.#hash(chosen), FIRST_ACT))) {
      return undefined;
    }
    return { name: FIRST_NAME, ...(password === undefined && { password: chosen }) };
  }

  /** The hash is slow: the caller's right or login, or its confirmation, may have ended meanwhile. */
  async #confirmedHash(caller: Caller, password: string): Promise<string> {
    const hash = await this.#hash(password);
    const { access, configuration } = this.#deps;
    access.authorize(await configuration.current(), caller, { scope: 'system', action: 'write' });
    await assertConfirmed(caller, this.#deps);
    return hash;
  }

  #hash(password: string): Promise<string> {
    assertPassword(password);
    return this.#deps.hasher.hash(password);
  }
}

function provenBy({ name, passwordHash, secondFactor }: Administrator): ProvenPassword {
  return {
    administrator: name,
    version: secretHash(passwordHash),
    ...(secondFactor !== undefined && { secondFactor }),
  };
}

function assertFactor(token: Token | undefined, serial: string): asserts token is Token {
  if (token === undefined || !isFactorToken(token)) {
    throw new ServiceError(
      'token.unknown',
      `There is no token of OCRA, HOTP or TOTP '${serial.slice(0, 128)}'`,
    );
  }
  if (token.rollout !== 'complete') {
    throw new ServiceError('token.state', `The roll-out of the token '${token.serial}' is not finished`);
  }
}

/** @returns the error for an unknown name */
export function unknownAdministrator(name: string): ServiceError {
  const shortened = name.slice(0, 128);
  return new ServiceError('administrator.unknown', `There is no administrator '${shortened}'`, {
    name: shortened,
  });
}

/** @returns a new API token: `tk_` and 43 characters of base64url, so that a leaked one is recognised */
export function newApiToken(random: Random): string {
  return API_TOKEN_PREFIX + newSession(random);
}

/** @returns true if it can be an API token at all */
function isApiTokenShaped(text: string): boolean {
  return text.startsWith(API_TOKEN_PREFIX) && isSessionShaped(text.slice(API_TOKEN_PREFIX.length));
}

/**
 * @returns the label as it is kept: what people call an API token
 * @throws ServiceError 'administrator.invalid'
 */
export function readApiTokenName(text: string): string {
  const name = plainName(text);
  if (!/^[\p{L}\p{N}][\p{L}\p{N}\p{M} ._@+-]{0,127}$/u.test(name)) {
    throw new ServiceError(
      'administrator.invalid',
      'The name of an API token has 1 to 128 letters, digits, blanks and any of . _ @ + -',
    );
  }
  return name;
}

/** @throws ServiceError 'parameter.invalid' */
function readExpiry(text = '', now: Date): Date | null {
  const expiry = text === '' ? null : parseExpiry(text, now);
  if (expiry === undefined) {
    throw new ServiceError(
      'parameter.invalid',
      'expires must be a date (2027-01-31), a time (2027-01-31T12:00:00Z) or a duration from now (90D, 12H)',
      { parameter: 'expires' },
    );
  }
  return expiry;
}
