import type { Clock, Random } from '../kernel/clock.ts';
import { isServiceError, ServiceError } from '../kernel/errors.ts';
import { type Act, actOf, type Caller } from '../policy/caller.ts';
import type { AdministratorService } from './administrator-service.ts';
import type { ProvenPassword, SecondFactor } from './administrator.ts';
import type { SecondProof, SecondStep, ShownFactor } from './second-step.ts';
import {
  attemptHash,
  isSessionShaped,
  newSession,
  type ProvenFactor,
  type RequestedFactor,
  SIGN_IN_LIFETIME,
} from './session.ts';
import type { SignInStore } from './sign-in-store.ts';

/** A login that is confirmed. */
export interface Confirmed {
  readonly kind: 'confirmed';
  readonly until: Date;
}

/** A confirmation after its first step. */
export type BegunConfirmation =
  | Confirmed
  | (ShownFactor & {
      /** The secret that the second step shows. */
      readonly attempt: string;
      readonly expiresAt: Date;
    });

/** A confirmation that waits for its second step. */
interface PendingConfirmation {
  readonly hash: Buffer;
  readonly login: Buffer;
  readonly factor: RequestedFactor;
  readonly proven: ProvenPassword;
}

/** Seconds for which a login stays confirmed. */
const CONFIRMATION_LIFETIME = 300;

/**
 * Confirms a login: its owner gives the password and, where there is one, the second factor again. What makes or changes
 * credentials takes a login that was confirmed within five minutes, see `assertConfirmed`.
 */
export class ConfirmationService {
  readonly #deps;

  constructor(dependencies: {
    readonly administrators: Pick<AdministratorService, 'authenticatePassword'>;
    readonly secondStep: Pick<SecondStep, 'request' | 'verify'>;
    readonly attempts: Pick<SignInStore, 'begin' | 'find' | 'consume' | 'confirm'>;
    /** The name of this server for people. */
    readonly host: string;
    readonly clock: Clock;
    readonly random: Random;
  }) {
    this.#deps = dependencies;
  }

  /**
   * @returns undefined for a wrong password
   * @throws ServiceError 'confirmation.required' for a caller without a login, 'confirmation.refused' for a second factor
   *   that cannot be used
   */
  async begin(caller: Caller, password: string): Promise<BegunConfirmation | undefined> {
    const { administrators, attempts, random, clock } = this.#deps;
    const login = loginOf(caller);
    const { administrator } = caller.principal;
    const proven = await administrators.authenticatePassword(administrator, password);
    if (proven?.secondFactor === undefined) {
      return proven && this.#confirm(caller, { login, proven }, { factor: undefined });
    }
    const act = actOf(caller, 'admin/confirmation');
    const { requested: factor, shown } = await this.#request(administrator, proven.secondFactor, act);
    const secret = newSession(random);
    const expiresAt = new Date(clock.now().getTime() + SIGN_IN_LIFETIME * 1000);
    const content = { kind: 'confirmation', login: login.toString('base64'), factor } as const;
    const attempt = { hash: attemptHash(secret), content, expiresAt, client: act.client, owner: proven };
    return (await attempts.begin(attempt, clock.now(), act))
      ? { ...shown, attempt: secret, expiresAt }
      : undefined;
  }

  /** @throws ServiceError 'confirmation.required' also for the confirmation of another login */
  async pending(caller: Caller, secret: string | undefined): Promise<PendingConfirmation> {
    const { attempts, clock } = this.#deps;
    const login = loginOf(caller);
    const hash = attemptHash(secret ?? '');
    const found =
      secret !== undefined && isSessionShaped(secret)
        ? await attempts.find(hash, ['confirmation'], clock.now())
        : undefined;
    const { content, proven } = found ?? {};
    if (
      content?.kind !== 'confirmation' ||
      proven === undefined ||
      !login.equals(Buffer.from(content.login, 'base64'))
    ) {
      throw ended();
    }
    return { hash, login, factor: content.factor, proven };
  }

  /**
   * @returns undefined for a wrong proof; `waiting` while the app has not answered
   * @throws ServiceError 'confirmation.required'
   */
  async finish(
    caller: Caller,
    pending: PendingConfirmation,
    proof: SecondProof,
  ): Promise<Confirmed | 'waiting' | undefined> {
    const { secondStep, attempts, clock } = this.#deps;
    const { hash, factor, proven } = pending;
    const act = actOf(caller, 'admin/confirmation/finish');
    const verified = await secondStep.verify(proven.administrator, factor, proof, act);
    if (verified === undefined && factor.kind === 'passkey') {
      // A challenge takes one assertion.
      await attempts.consume(hash, ['confirmation'], clock.now());
    }
    if (verified === undefined || verified === 'waiting') {
      return verified;
    }
    const confirmed = verified === 'over' ? undefined : await this.#confirm(caller, pending, verified);
    if (confirmed === undefined) {
      throw ended();
    }
    return confirmed;
  }

  /** The login goes on with a second factor that cannot be used, unlike a sign-in. */
  async #request(administrator: string, factor: SecondFactor, act: Act): ReturnType<SecondStep['request']> {
    const { secondStep, host } = this.#deps;
    try {
      return await secondStep.request(administrator, factor, `Confirm as ${administrator} at ${host}`, act);
    } catch (cause) {
      throw isServiceError(cause, 'second-factor.unusable')
        ? new ServiceError('confirmation.refused', cause.message, {
            credentials: 'second factor',
            account: administrator,
            cause,
          })
        : cause;
    }
  }

  async #confirm(
    caller: Caller,
    { login, proven, hash }: Pick<PendingConfirmation, 'login' | 'proven'> & { readonly hash?: Buffer },
    { factor, used }: Omit<ProvenFactor, 'factor'> & { readonly factor: ProvenFactor['factor'] | undefined },
  ): Promise<Confirmed | undefined> {
    const { attempts, clock } = this.#deps;
    const until = new Date(clock.now().getTime() + CONFIRMATION_LIFETIME * 1000);
    const act = actOf(caller, hash === undefined ? 'admin/confirmation' : 'admin/confirmation/finish');
    const proof = { proven, factor, used };
    const isConfirmed = await attempts.confirm(login, proof, { attempt: hash, until }, act);
    return isConfirmed ? { kind: 'confirmed', until } : undefined;
  }
}

/**
 * @returns the hash of the caller's login
 * @throws ServiceError 'confirmation.required'
 */
function loginOf({ principal: { proof, groups } }: Caller): Buffer {
  if (groups !== undefined) {
    throw new ServiceError(
      'confirmation.required',
      'People of single sign-on have no password here: an administrator of this server can do this',
    );
  }
  if (proof === 'password' || proof?.kind !== 'login') {
    throw new ServiceError('confirmation.required', 'A login is confirmed, no other credential');
  }
  return proof.hash;
}

function ended(): ServiceError {
  return new ServiceError(
    'confirmation.required',
    'This confirmation has ended: begin again with the password',
  );
}
