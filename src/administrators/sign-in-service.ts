import type { Clock, Random } from '../kernel/clock.ts';
import { ServiceError } from '../kernel/errors.ts';
import type { Act } from '../policy/caller.ts';
import type { AdministratorService } from './administrator-service.ts';
import type { Login, LoginService } from './login-service.ts';
import type { ProvenPassword, SecondFactor } from './administrator.ts';
import type { SecondProof, SecondStep, ShownFactor } from './second-step.ts';
import {
  attemptHash,
  isSessionShaped,
  newSession,
  type ProvenFactor,
  type RequestedFactor,
  sessionHash,
  SIGN_IN_LIFETIME,
  type SignInContent,
} from './session.ts';
import type { SignInStore } from './sign-in-store.ts';

/** A sign-in after its first step. */
export type BegunSignIn = { readonly kind: 'signed-in'; readonly login: Login } | (Begun & ShownFactor);

interface Begun {
  /** The secret that the second step shows. */
  readonly attempt: string;
  readonly expiresAt: Date;
}

/** A sign-in that waits for its second step. */
interface PendingSignIn {
  readonly hash: Buffer;
  readonly content: RequestedFactor;
  readonly proven: ProvenPassword;
}

/**
 * Signs administrators in by password and, where they have one, second factor. A sign-in under way is stored for five
 * minutes and ends with its success; a changed password or second factor ends it, too.
 */
export class SignInService {
  readonly #deps;

  constructor(dependencies: {
    readonly administrators: Pick<AdministratorService, 'authenticatePassword'>;
    readonly logins: Pick<LoginService, 'openLogin' | 'sign'>;
    readonly attempts: SignInStore;
    readonly secondStep: Pick<SecondStep, 'request' | 'verify'>;
    /** The name of this server for people, as in the text that the app displays. */
    readonly host: string;
    /** Seconds. */
    readonly sessionLifetime: number;
    readonly clock: Clock;
    readonly random: Random;
  }) {
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
    if (found?.proven === undefined || !isFactor(found.content)) {
      throw ended();
    }
    return { hash, content: found.content, proven: found.proven };
  }

  /**
   * @returns the login; undefined for a wrong proof; `waiting` while the app has not answered
   * @throws ServiceError 'sign-in.ended'
   */
  async finish(pending: PendingSignIn, proof: SecondProof, act: Act): Promise<Login | 'waiting' | undefined> {
    const { secondStep, attempts, clock } = this.#deps;
    const { hash, content, proven } = pending;
    const own = { ...act, actor: proven.administrator };
    const factor = await secondStep.verify(proven.administrator, content, proof, own);
    if (factor === undefined && content.kind === 'passkey') {
      // A challenge takes one assertion.
      await attempts.consume(hash, ['passkey'], clock.now());
    }
    if (factor === 'over') {
      throw ended();
    }
    return factor === undefined || factor === 'waiting' ? factor : this.#open(pending, factor, own);
  }

  async #request(proven: ProvenPassword, factor: SecondFactor, act: Act): Promise<BegunSignIn | undefined> {
    const { secondStep, attempts, host, random, clock } = this.#deps;
    const { administrator } = proven;
    const text = `Sign in as ${administrator} at ${host}`;
    const { requested: content, shown } = await secondStep.request(administrator, factor, text, act);
    const secret = newSession(random);
    const expiresAt = new Date(clock.now().getTime() + SIGN_IN_LIFETIME * 1000);
    const attempt = { hash: attemptHash(secret), content, expiresAt, client: act.client, owner: proven };
    return (await attempts.begin(attempt, clock.now(), act))
      ? { ...shown, attempt: secret, expiresAt }
      : undefined;
  }

  async #open({ hash, proven }: PendingSignIn, factor: ProvenFactor, act: Act): Promise<Login> {
    const { attempts, logins, random, clock, sessionLifetime } = this.#deps;
    const session = newSession(random);
    const expiresAt = new Date(clock.now().getTime() + sessionLifetime * 1000);
    const opened = { hash: sessionHash(session, 'login'), expiresAt };
    if (!(await attempts.complete(hash, { proven, ...factor }, opened, act))) {
      throw ended();
    }
    return logins.sign(proven.administrator, { session, expiresAt });
  }
}

/** Of a sign-in that is not under way any more, or never was. */
function ended(): ServiceError {
  return new ServiceError('sign-in.ended', 'This sign-in has ended: begin again with the password');
}

function isFactor(content: SignInContent): content is RequestedFactor {
  return content.kind === 'token' || content.kind === 'passkey';
}
