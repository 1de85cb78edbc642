import type { Clock, Random } from '../kernel/clock.ts';
import { ServiceError } from '../kernel/errors.ts';
import type { Act } from '../policy/caller.ts';
import type { AdministratorService } from './administrator-service.ts';
import type { Login, LoginService } from './login-service.ts';
import type { ProvenPassword } from './ports.ts';
import type { SecondFactor } from './second-factor.ts';
import { isSessionShaped, newSession, secretHash, sessionHash } from './session-secrets.ts';
import type {
  PasskeyAssertions,
  SecondFactorTokens,
  SignInContent,
  SignInStore,
  UsedPasskey,
} from './sign-in-ports.ts';

interface SignInDependencies {
  readonly administrators: Pick<AdministratorService, 'authenticatePassword'>;
  readonly logins: Pick<LoginService, 'openLogin' | 'sign'>;
  readonly attempts: SignInStore;
  readonly tokens: SecondFactorTokens;
  readonly passkeys: PasskeyAssertions;
  /** The name of this server for people, as in the text that the app displays. */
  readonly host: string;
  /** Seconds. */
  readonly sessionLifetime: number;
  readonly clock: Clock;
  readonly random: Random;
}

/** A sign-in after its first step. */
export type BegunSignIn =
  | { readonly kind: 'signed-in'; readonly login: Login }
  | (Begun & { readonly kind: 'token'; readonly transactionId: string; readonly url: string })
  | (Begun & { readonly kind: 'passkey'; readonly options: object });

interface Begun {
  /** The secret that the second step shows. */
  readonly attempt: string;
  readonly expiresAt: Date;
}

/** The proof of the second step. Neither: the app may have answered at /ocra/check_t itself. */
export interface SecondProof {
  readonly response?: string | undefined;
  /** The assertion of a passkey: JSON, as browsers make it. */
  readonly credential?: string | undefined;
}

/** A sign-in that waits for its second step. */
export interface PendingSignIn {
  readonly hash: Buffer;
  readonly content: SignInContent;
  readonly proven: ProvenPassword;
}

/** Seconds from the password to the second factor. */
export const SIGN_IN_LIFETIME = 300;

/** @returns what the database keeps of the secret of a sign-in */
export function attemptHash(secret: string): Buffer {
  return secretHash(`sign-in ${secret}`);
}

/**
 * Signs administrators in by password and, where they have one, second factor. A sign-in under way is stored for five
 * minutes and ends with its success; a changed password or second factor ends it, too.
 */
export class SignInService {
  readonly #deps: SignInDependencies;

  constructor(dependencies: SignInDependencies) {
    this.#deps = dependencies;
  }

  /**
   * @returns undefined for a wrong password, one that was changed meanwhile, or an unknown name
   * @throws ServiceError 'second-factor.unusable'
   */
  async begin(name: string, password: string, act: Act): Promise<BegunSignIn | undefined> {
    const { administrators, logins } = this.#deps;
    const proven = await administrators.authenticatePassword(name, password);
    if (proven === undefined) {
      return undefined;
    }
    const own = { ...act, actor: proven.administrator };
    if (proven.secondFactor === undefined) {
      const login = await logins.openLogin(proven, own);
      return login && { kind: 'signed-in', login };
    }
    return this.#request(proven, proven.secondFactor, own);
  }

  /** @throws ServiceError 'sign-in.ended' */
  async pending(secret: string | undefined): Promise<PendingSignIn> {
    const { attempts, clock } = this.#deps;
    const hash = attemptHash(secret ?? '');
    const found =
      secret !== undefined && isSessionShaped(secret)
        ? await attempts.find(hash, ['token', 'passkey'], clock.now())
        : undefined;
    if (found?.proven === undefined) {
      throw signInEnded();
    }
    return { hash, content: found.content, proven: found.proven };
  }

  /**
   * @returns the login; undefined for a wrong proof; `waiting` while the app has not answered
   * @throws ServiceError 'sign-in.ended'
   */
  async finish(pending: PendingSignIn, proof: SecondProof, act: Act): Promise<Login | 'waiting' | undefined> {
    const own = { ...act, actor: pending.proven.administrator };
    const { content } = pending;
    if (content.kind === 'token') {
      const answered = await this.#answered(content, proof, own);
      return answered === true
        ? this.#open(pending, { kind: 'token', serial: content.serial }, own)
        : answered;
    }
    return content.kind === 'passkey' ? this.#finishByPasskey(pending, content, proof, own) : undefined;
  }

  async #request(proven: ProvenPassword, factor: SecondFactor, act: Act): Promise<BegunSignIn | undefined> {
    const { tokens, passkeys, host, random, clock } = this.#deps;
    const secret = newSession(random);
    const expiresAt = new Date(clock.now().getTime() + SIGN_IN_LIFETIME * 1000);
    const begun = { attempt: secret, expiresAt };
    const begin = (content: SignInContent): Promise<boolean> =>
      this.#deps.attempts.begin(
        { hash: attemptHash(secret), content, expiresAt, client: act.client, owner: proven },
        clock.now(),
        act,
      );
    if (factor.kind === 'passkey') {
      const { options, challenge } = await passkeys.request(proven.administrator);
      return (await begin({ kind: 'passkey', challenge }))
        ? { ...begun, kind: 'passkey', options }
        : undefined;
    }
    const { serial } = factor;
    const text = `Sign in as ${proven.administrator} at ${host}`;
    const { transactionId, url } = await tokens.issue(serial, text, act);
    return (await begin({ kind: 'token', serial, transactionId }))
      ? { ...begun, kind: 'token', transactionId, url }
      : undefined;
  }

  async #answered(
    { transactionId }: Extract<SignInContent, { kind: 'token' }>,
    { response }: SecondProof,
    act: Act,
  ): Promise<true | 'waiting' | undefined> {
    const { tokens } = this.#deps;
    if (response !== undefined) {
      return (await tokens.check(transactionId, response, act)) ? true : undefined;
    }
    const state = await tokens.state(transactionId, act);
    if (state === 'over') {
      throw signInEnded();
    }
    return state === 'answered' ? true : 'waiting';
  }

  async #finishByPasskey(
    pending: PendingSignIn,
    { challenge }: Extract<SignInContent, { kind: 'passkey' }>,
    { credential }: SecondProof,
    act: Act,
  ): Promise<Login | undefined> {
    const { passkeys, attempts, clock } = this.#deps;
    const used =
      credential === undefined
        ? undefined
        : await passkeys.verify(pending.proven.administrator, challenge, credential);
    if (used === undefined) {
      // A challenge takes one assertion.
      await attempts.take(pending.hash, ['passkey'], clock.now());
      return undefined;
    }
    return this.#open(pending, { kind: 'passkey' }, act, used);
  }

  async #open(
    { hash, proven }: PendingSignIn,
    factor: SecondFactor,
    act: Act,
    used?: UsedPasskey,
  ): Promise<Login> {
    const { attempts, logins, random, clock, sessionLifetime } = this.#deps;
    const session = newSession(random);
    const expiresAt = new Date(clock.now().getTime() + sessionLifetime * 1000);
    const opened = { hash: sessionHash(session, 'login'), expiresAt };
    if (!(await attempts.complete(hash, { proven, factor, used }, opened, act))) {
      throw signInEnded();
    }
    return logins.sign(proven.administrator, { session, expiresAt });
  }
}

/** @returns the refusal of the second step of a sign-in that is not under way any more, or never was */
function signInEnded(): ServiceError {
  return new ServiceError('sign-in.ended', 'This sign-in has ended: begin again with the password');
}
