import { createHash } from 'node:crypto';
import type { RefusalNotes } from '../audit/refusal-trail.ts';
import type { Act } from '../policy/caller.ts';
import type { ConfigurationStore } from '../configuration/configuration-store.ts';
import type { Configuration } from '../configuration/configuration.ts';
import { isServiceError } from '../kernel/errors.ts';
import type { UserDirectory } from '../users/user-directory.ts';
import type { ChallengeService } from './challenge-service.ts';
import type { OpenAnswers } from './open-answers.ts';
import type { ChallengeFilter, TokenOrOwner } from './challenge.ts';
import type { ChallengeStore } from './challenge-store.ts';

/** A response of a serial or a user, to the transaction if one is named. */
export interface ValidationRequest {
  readonly serial?: string | undefined;
  readonly user?: string | undefined;
  readonly realm?: string | undefined;
  readonly transactionId?: string | undefined;
  /** PIN or password, as the policy `otppin` says, followed by the response. */
  readonly pass: string;
}

/** The result of a response to a transaction. */
export interface ValidatedTransaction {
  /** The token of the transaction; undefined if there is no such transaction. */
  readonly token: { readonly serial: string; readonly type: string } | undefined;
  readonly failCount: number;
  readonly result: boolean;
}

export interface ValidationDependencies {
  readonly configuration: Pick<ConfigurationStore, 'current'>;
  readonly users: UserDirectory;
  readonly challenges: ChallengeStore;
  readonly ocra: Pick<ChallengeService, 'checkTransaction'>;
  readonly openAnswers: Pick<OpenAnswers, 'answer'>;
  /** Receives the responses on which no decision is possible. Undefined: they are not reported. */
  readonly refusals?: RefusalNotes | undefined;
}

type Open = Pick<Act, 'client' | 'requestId'>;

/**
 * An owner without tokens, used in place of an unknown user, so that the answer takes as long. It differs by name, so
 * that names do not wait for each other.
 */
function nobody(name: string): Required<Pick<ChallengeFilter, 'owner'>> {
  const userId = createHash('sha256').update(name, 'utf8').digest('base64url');
  return { owner: { resolverId: '999999999999999999', userId } };
}

/** Anybody may ask: that several users are meant tells that they exist. */
function noneOfSeveral(error: unknown): undefined {
  if (!isServiceError(error, 'user.ambiguous')) {
    throw error;
  }
}

/** Checks responses by user, serial or transaction. Needs no login. */
export class ValidationService {
  readonly #deps: ValidationDependencies;

  constructor(dependencies: ValidationDependencies) {
    this.#deps = dependencies;
  }

  /**
   * Checks a response: against the named transaction, where it belongs to the serial or user; without one,
   * against all their open challenges, as `OpenAnswers` does. Where nothing is open, or the user or serial is unknown,
   * it is refused and nothing changes.
   * @returns true if it was correct and this call accepted it
   * @throws ServiceError 'resolver.unavailable'
   */
  async check(open: Open, request: ValidationRequest): Promise<boolean> {
    const configuration = await this.#deps.configuration.current();
    const tokenOrOwner = await this.#tokenOrOwner(configuration, request);
    const action = request.serial === undefined ? 'validate/check' : 'validate/check_s';
    const act = { ...open, actor: '', action };
    const { transactionId = '', pass } = request;
    const accepted =
      transactionId === ''
        ? tokenOrOwner && (await this.#deps.openAnswers.answer(act, tokenOrOwner, pass))
        : tokenOrOwner && (await this.#checkNamed(act, tokenOrOwner, { transactionId, pass }));
    if (accepted === undefined) {
      await this.#deps.refusals?.note({ ...act, outcome: 'nothing is open', subject: '', realm: '' });
    }
    return accepted ?? false;
  }

  /** @returns undefined where there is no such transaction. A closed or expired one gets the audit row of its refusal */
  async #checkNamed(
    act: Act,
    tokenOrOwner: TokenOrOwner,
    { transactionId, pass }: { transactionId: string; pass: string },
  ): Promise<boolean | undefined> {
    const [found] = await this.#deps.challenges.find({ ...tokenOrOwner, transactionId });
    return found && (await this.#deps.ocra.checkTransaction(act, { transactionId, pass })).result;
  }

  /** Checks a response as `check` does, by the transaction alone. */
  async checkTransaction(
    open: Open,
    { transactionId, pass }: { transactionId: string; pass: string },
  ): Promise<ValidatedTransaction> {
    const [found] = transactionId === '' ? [] : await this.#deps.challenges.find({ transactionId });
    const act = { ...open, action: 'validate/check_t' };
    const { failCount, result } = await this.#deps.ocra.checkTransaction(act, { transactionId, pass });
    return { token: found && { serial: found.token.serial, type: found.token.type }, failCount, result };
  }

  /** @returns undefined where no serial is given */
  async #tokenOrOwner(
    configuration: Configuration,
    { serial, user, realm }: ValidationRequest,
  ): Promise<TokenOrOwner | undefined> {
    if (serial !== undefined) {
      return serial === '' ? undefined : { serial };
    }
    const owner = await this.#deps.users
      .find(configuration, { user: user ?? '', realm })
      .catch(noneOfSeveral);
    return owner === undefined
      ? nobody(user ?? '')
      : { owner: { resolverId: owner.resolver.id, userId: owner.userId } };
  }
}
