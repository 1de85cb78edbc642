import type { RefusalNotes } from '../accounts/audit/ports.ts';
import type { Act } from '../accounts/caller.ts';
import type { SetupStore } from '../accounts/ports.ts';
import type { Setup } from '../accounts/setup.ts';
import type { UserDirectory } from '../accounts/user-directory.ts';
import type { Clock } from '../kernel/clock.ts';
import { isOpen } from './challenge.ts';
import type { OcraService } from './ocra-service.ts';
import { readOcraSettings } from './ocra-settings.ts';
import type { ChallengeFilter, ChallengeOfToken, ChallengeStore } from './ports.ts';

/** Whose response it is: that of the serial or the user, to the transaction where one is named. */
export interface ValidationRequest {
  readonly serial?: string | undefined;
  readonly user?: string | undefined;
  readonly realm?: string | undefined;
  readonly transactionId?: string | undefined;
  /** What precedes the response is as everywhere: see the policy `otppin`. */
  readonly pass: string;
}

/** The end of a look at a response to a transaction. */
export interface ValidatedTransaction {
  /** The token that the transaction is for; undefined: there is no such transaction. */
  readonly token: { readonly serial: string; readonly type: string } | undefined;
  readonly failCount: number;
  readonly result: boolean;
}

export interface ValidationDependencies {
  readonly setup: SetupStore;
  readonly users: UserDirectory;
  readonly challenges: ChallengeStore;
  readonly ocra: Pick<OcraService, 'checkTransaction'>;
  readonly clock: Clock;
  /** Undefined: nobody is told of responses that no decision could be made on. */
  readonly refusals?: RefusalNotes | undefined;
}

type Open = Pick<Act, 'client' | 'requestId'>;

/** Whom nothing belongs to: asked for in place of a user who is not there, so that this takes as long. */
const NOBODY = { resolverId: '999999999999999999', userId: '' };

/** Takes responses from those who know the user, the serial or the transaction. Open to all. */
export class ValidationService {
  readonly #its: ValidationDependencies;

  constructor(dependencies: ValidationDependencies) {
    this.#its = dependencies;
  }

  /**
   * A response answers one transaction: the one that is named, or the only one that is open. Where it is not clear which
   * is meant, or the user or serial is unknown, it is refused and nothing changes, as one wrong response must not count
   * for several.
   * @returns whether it was right, and accepted by this
   * @throws ServiceError 'resolver.unavailable'
   */
  async check(open: Open, request: ValidationRequest): Promise<boolean> {
    const setup = await this.#its.setup.current();
    const filter = await this.#filter(setup, request);
    const found = filter === undefined ? [] : await this.#its.challenges.find({ ...filter, open: true });
    const settings = readOcraSettings(setup.configuration);
    const [meant, other] = found.filter(({ challenge }) =>
      isOpen(challenge, settings, this.#its.clock.now()),
    );
    const act = { ...open, action: request.serial === undefined ? 'validate/check' : 'validate/check_s' };
    if (meant === undefined || other !== undefined) {
      await this.#refuse(act, meant);
      return false;
    }
    const { transactionId } = meant.challenge;
    return (await this.#its.ocra.checkTransaction(act, { transactionId, pass: request.pass })).result;
  }

  /** As `check`, by the transaction alone. */
  async checkTransaction(
    open: Open,
    { transactionId, pass }: { transactionId: string; pass: string },
  ): Promise<ValidatedTransaction> {
    const [found] = transactionId === '' ? [] : await this.#its.challenges.find({ transactionId });
    const act = { ...open, action: 'validate/check_t' };
    const { failCount, result } = await this.#its.ocra.checkTransaction(act, { transactionId, pass });
    return { token: found && { serial: found.token.serial, type: found.token.type }, failCount, result };
  }

  /** There was nothing to decide on, or too much. */
  async #refuse(act: Omit<Act, 'actor'>, meant: ChallengeOfToken | undefined): Promise<void> {
    const { serial: subject = '', realms = [] } = meant?.token ?? {};
    const outcome = meant === undefined ? 'nothing is open' : 'several are open';
    await this.#its.refusals?.note({ ...act, actor: '', outcome, subject, realm: realms.join(',') });
  }

  /** @returns undefined where no serial is given */
  async #filter(
    setup: Setup,
    { serial, user, realm, transactionId = '' }: ValidationRequest,
  ): Promise<ChallengeFilter | undefined> {
    const transaction = transactionId === '' ? {} : { transactionId };
    if (serial !== undefined) {
      return serial === '' ? undefined : { serial, ...transaction };
    }
    const owner = await this.#its.users.find(setup, { user: user ?? '', realm });
    return {
      owner: owner === undefined ? NOBODY : { resolverId: owner.resolver.id, userId: owner.userId },
      ...transaction,
    };
  }
}
