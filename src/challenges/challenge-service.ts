import type { AccessControl, Grant } from '../policy/access-control.ts';
import { actOf, type Act, type Caller } from '../policy/caller.ts';
import type { ConfigurationStore } from '../configuration/configuration-store.ts';
import type { RefusalNotes } from '../audit/refusal-trail.ts';
import type { Configuration } from '../configuration/configuration.ts';
import { isCovered, isLocked, isVisible, type Token } from '../tokens/token.ts';
import type { UserDirectory } from '../users/user-directory.ts';
import type { Clock } from '../kernel/clock.ts';
import { isServiceError, ServiceError } from '../kernel/errors.ts';
import type { DeclineKind } from '../ocra/decline.ts';
import {
  type Challenge,
  type Decision,
  decide,
  decideDecline,
  decideWithoutResponse,
  decideUnverifiable,
  declineOf,
  isDropped,
} from './challenge.ts';
import type { ChallengeFactory, IssuedChallenge } from './challenge-factory.ts';
import { readOcraSettings } from '../configuration/settings.ts';
import type { ChallengeFilter, ChallengeOfToken } from './challenge.ts';
import type { ChallengeStore } from './challenge-store.ts';
import type { ResponseChecker } from './response-check.ts';
import type { TokenChoice, TokenReference } from './token-choice.ts';

export interface CheckedTransaction {
  /** False if there is no such transaction. */
  readonly known: boolean;
  /** That of the transaction, for a response. */
  readonly token?: Pick<Token, 'serial' | 'type'> | undefined;
  /** True for a response to one that was closed without a right one (`ClosedBy`), or is now: its token is reserved. */
  readonly dropped: boolean;
  readonly failCount: number;
  readonly result: boolean;
  /** Present for a decline: true if the user has declined the transaction, now or before. */
  readonly declined?: boolean;
  /** True for a decline that ended the transaction or reported it, and did not only repeat another. */
  readonly isNews?: boolean;
}

export interface StatusEntry {
  readonly id: string;
  readonly serial: string;
  readonly transactionId: string;
  readonly receivedTan: boolean;
  readonly validTan: boolean;
  readonly failCount: number;
  readonly issuedAt: Date;
  /** From this time on it takes no responses. */
  readonly expiresAt: Date;
  readonly active: boolean;
  /** True if the token has reached its limit of wrong responses. */
  readonly locked: boolean;
  /** True if the challenge was closed without a right response. */
  readonly dropped: boolean;
  /** The way in which the user has declined it on the device; undefined: not at all. */
  readonly declined: DeclineKind | undefined;
}

interface ChallengeRequest extends TokenReference {
  readonly data?: string | undefined;
  /**
   * That of an administrator's sign-in, whose text is always the same: the question has nothing of it, which could fill
   * it and so be the same each time.
   */
  readonly signIn?: true;
}

/** The act of a caller without a login; by default at /ocra/check_t. */
export type OpenAct = Pick<Act, 'client' | 'requestId'> & Partial<Pick<Act, 'action'>>;

/** Selection of challenges: all given fields must match, and at least one must be given. */
export interface StatusReference extends TokenReference {
  readonly transactionId?: string | undefined;
}

/** Maximum number of attempts for a token that gets another owner or key before its challenge is stored. */
const ATTEMPTS = 4;

/** The life of challenges: issue, a single answer, status. */
export class ChallengeService {
  readonly #deps;

  constructor(dependencies: {
    readonly configuration: Pick<ConfigurationStore, 'current'>;
    readonly access: AccessControl;
    readonly users: UserDirectory;
    readonly tokens: TokenChoice;
    readonly challenges: ChallengeStore;
    readonly factory: ChallengeFactory;
    readonly check: ResponseChecker;
    readonly clock: Clock;
    /** Receives the responses on which no decision is possible. */
    readonly refusals: RefusalNotes;
  }) {
    this.#deps = dependencies;
  }

  /**
   * Issues a challenge for a token. Reads the token again where its owner, key or realms change meanwhile.
   * @throws ServiceError 'right.missing', 'parameter.missing', 'user.unknown', 'token.unknown', 'token.ambiguous',
   *   'token.not-ocra', 'token.not-ready', 'token.state', 'challenge.too-long', 'challenge.url-ambiguous',
   *   'challenge.no-question'
   */
  async requestChallenge(caller: Caller, request: ChallengeRequest): Promise<IssuedChallenge> {
    const configuration = await this.#deps.configuration.current();
    const { access } = this.#deps;
    const grant = access.authorize(configuration, caller, { scope: 'ocra', action: 'request' });
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#issue(caller, grant, configuration, request);
      } catch (error) {
        if (attempt === ATTEMPTS || !isServiceError(error, 'token.state')) {
          throw error;
        }
      }
    }
  }

  async #issue(
    caller: Caller,
    grant: Grant,
    configuration: Configuration,
    { data = '', signIn, ...reference }: ChallengeRequest,
  ): Promise<IssuedChallenge> {
    const { tokens, factory } = this.#deps;
    const token = await tokens.only(configuration, reference, {
      ...grant,
      includes: (one) => isCovered(one, grant),
    });
    this.#authorizeFor(token, caller, configuration);
    const owner = (reference.user ?? '') === '' ? undefined : (token.owner ?? undefined);
    const realms = grant.realms === 'all' ? undefined : token.realms;
    const act = actOf(caller, 'ocra/request');
    return factory.issue(configuration, token, { data, signIn, owner, realms }, act);
  }

  /** @throws ServiceError 'right.missing' where the token is a second factor, whose challenges need a further right */
  #authorizeFor(token: Token, caller: Caller, configuration: Configuration): void {
    if (!token.isSecondFactor) {
      return;
    }
    const { access } = this.#deps;
    const right = { scope: 'ocra', action: 'secondfactor' } as const;
    const granted = access.grantOf(configuration, caller, right);
    if (granted !== undefined && isVisible(token, granted)) {
      return;
    }
    access.authorize(configuration, caller, right);
    throw new ServiceError('right.missing', `No policy gives the right ocra:secondfactor for this token`, {
      policy: right,
    });
  }

  /**
   * Checks a response and accepts it at most once, over all servers. Needs no login: the transaction id suffices.
   * @param pass token PIN and response
   */
  async checkTransaction(
    open: OpenAct,
    { transactionId, pass }: { transactionId: string; pass: string },
  ): Promise<CheckedTransaction> {
    const configuration = await this.#deps.configuration.current();
    const settings = readOcraSettings(configuration.settings);
    const provided = this.#deps.check.prepare(pass, open.client);
    let decided: Token | undefined;
    const decideOn = async (
      { challenge, token }: ChallengeOfToken,
      isRemembered?: true,
    ): Promise<Decision> => {
      decided = token;
      // A directory may count passwords: it is asked for a challenge that is open for sure.
      if (isRemembered && this.#deps.check.secretOf(configuration, token, open.client) === 'password') {
        return decideUnverifiable(token);
      }
      const unverified = decideWithoutResponse(challenge, token, this.#deps.clock.now());
      if (unverified !== null) {
        return unverified;
      }
      provided.search.begin(1);
      const { check, clock } = this.#deps;
      const isPinGiven = challenge.isTriggered === true;
      const { question } = challenge;
      const [verdict] = (await check.verify(configuration, token, [question], provided, isPinGiven)) ?? [];
      if (verdict === undefined) {
        return decideUnverifiable(token);
      }
      const explained = await check.explain(verdict, configuration, token, question, provided, isPinGiven);
      return decide(challenge, token, explained, settings, clock.now());
    };
    const decision = await this.#answer(configuration, transactionId, decideOn, open);
    return decision === undefined
      ? { known: false, dropped: false, failCount: 0, result: false }
      : {
          known: true,
          token: decided && { serial: decided.serial, type: decided.type },
          dropped: decision.reason === 'dropped',
          failCount: decision.failCount,
          result: decision.result,
        };
  }

  /**
   * Ends a transaction that the user declines on the device. Needs no login: the token's key has signed the decline. One
   * that it has not signed is answered as an unknown transaction.
   * @param decline of `computeDecline`
   */
  async declineTransaction(
    open: OpenAct,
    { transactionId, decline }: { transactionId: string; decline: string },
  ): Promise<CheckedTransaction> {
    const { check, clock } = this.#deps;
    const configuration = await this.#deps.configuration.current();
    const decideOn = (found: ChallengeOfToken): Promise<Decision> => {
      const kind = check.verifyDecline(found, decline);
      return Promise.resolve(
        kind === null
          ? decideUnverifiable(found.token)
          : decideDecline(found.challenge, found.token, kind, clock.now()),
      );
    };
    const decision = await this.#answer(configuration, transactionId, decideOn, open);
    return decision === undefined || decision.reason === 'wrong' || decision.reason === 'unverifiable'
      ? { known: false, dropped: false, failCount: 0, result: false, declined: false }
      : {
          known: true,
          dropped: false,
          failCount: decision.failCount,
          result: false,
          declined: decision.change !== null || decision.repeats !== undefined,
          isNews: decision.change !== null,
        };
  }

  /** @returns undefined, after a note of it, where there is no such transaction */
  async #answer(
    { revision }: Configuration,
    transactionId: string,
    decideOn: (found: ChallengeOfToken, isRemembered?: true) => Promise<Decision>,
    open: OpenAct,
  ): Promise<Decision | undefined> {
    const { challenges, refusals } = this.#deps;
    const act: Act = { action: 'ocra/check_t', ...open, actor: '' };
    const decision =
      transactionId === '' ? undefined : await challenges.answer(transactionId, decideOn, act, revision);
    if (decision === undefined) {
      await refusals.note({ ...act, outcome: 'no such transaction' });
    }
    return decision;
  }

  /**
   * @returns the challenges that match all given fields, of tokens in the realms of the right, newest first; none where
   *   nothing matches. Those that no portal has asked for only by their transaction: a confirmed sign-in is no payment
   * @throws ServiceError 'right.missing', 'parameter.missing'
   */
  async status(caller: Caller, reference: StatusReference): Promise<readonly StatusEntry[]> {
    const configuration = await this.#deps.configuration.current();
    const right = { scope: 'ocra', action: 'status' } as const;
    const grant = this.#deps.access.authorize(configuration, caller, right);
    const filter = await this.#filter(configuration, reference, grant);
    const found = filter === undefined ? [] : await this.#deps.challenges.find(filter);
    return found
      .filter(({ token, challenge }) => isCovered(token, grant) && isListed(challenge, reference))
      .map(statusEntry);
  }

  /** @returns undefined where the user is unknown: then nothing matches, rather than everything */
  async #filter(
    configuration: Configuration,
    reference: StatusReference,
    { realms }: Grant,
  ): Promise<ChallengeFilter | undefined> {
    const named = namedChallenges(reference);
    const { user = '', realm } = reference;
    if (user === '') {
      return named;
    }
    const owner = await this.#deps.users.find(configuration, { user, realm }, realms);
    return owner && { ...named, owner: { resolverId: owner.resolver.id, userId: owner.userId } };
  }
}

/** @throws ServiceError 'parameter.missing' where neither transaction nor serial nor user is given */
function namedChallenges({ transactionId = '', serial = '', user = '' }: StatusReference): ChallengeFilter {
  if (`${transactionId}${serial}${user}` === '') {
    throw new ServiceError(
      'parameter.missing',
      'No challenge is named: neither a transaction nor a user nor a serial is given',
      { parameters: ['transactionid', 'user', 'serial'] },
    );
  }
  return { ...(transactionId !== '' && { transactionId }), ...(serial !== '' && { serial }) };
}

/** @returns false for those of sign-ins, and to PINs, unless the transaction is named */
function isListed(challenge: Challenge, { transactionId = '' }: StatusReference): boolean {
  return transactionId !== '' || (challenge.signIn !== true && challenge.isTriggered !== true);
}

export function statusEntry({ challenge, token }: ChallengeOfToken): StatusEntry {
  return {
    id: challenge.id,
    serial: token.serial,
    transactionId: challenge.transactionId,
    receivedTan: challenge.receivedTan,
    validTan: challenge.validTan,
    failCount: token.failCount,
    issuedAt: challenge.issuedAt,
    expiresAt: challenge.expiresAt,
    active: token.active,
    locked: isLocked(token),
    dropped: isDropped(challenge),
    declined: declineOf(challenge),
  };
}
