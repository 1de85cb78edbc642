import type { AccessControl, Grant } from '../policy/access-control.ts';
import { actOf, type Act, type Caller } from '../policy/caller.ts';
import type { ConfigurationStore } from '../configuration/configuration-store.ts';
import type { RefusalNotes } from '../audit/refusal-trail.ts';
import type { Configuration } from '../configuration/configuration.ts';
import { isLocked, type Token } from '../tokens/token.ts';
import { isCovered, isVisible } from '../tokens/token-view.ts';
import type { UserDirectory } from '../users/user-directory.ts';
import type { Vault } from '../keys/vault.ts';
import type { Clock, Random } from '../kernel/clock.ts';
import { isServiceError, ServiceError } from '../kernel/errors.ts';
import { encodeActivationCode, randomActivationCode } from '../ocra/activation-code.ts';
import { type CalculationInput, calculateOtp } from './calculation.ts';
import {
  type Decision,
  decide,
  decideWithoutResponse,
  decideUnverifiable,
  expiryOf,
  isDropped,
  isTriggered,
} from './challenge.ts';
import type { ChallengeFactory } from './challenge-factory.ts';
import { type OcraSettings, readOcraSettings } from './ocra-settings.ts';
import type { ChallengeFilter, ChallengeOfToken } from './challenge.ts';
import type { ChallengeStore } from './challenge-store.ts';
import { buildRequestUrl } from '../ocra/qrtan-url.ts';
import { ShownQuestions } from '../ocra/question.ts';
import type { ResponseChecker } from './response-check.ts';
import type { TokenChoice, TokenReference } from './token-choice.ts';
import { keySecrets, requireTokenKey } from './token-key.ts';

/** A challenge that was issued, and the URL by which an app reads it. */
export interface IssuedChallenge {
  readonly serial: string;
  readonly transactionId: string;
  /** RFC 6287 Q. */
  readonly question: string;
  /** The display data, as the client sent it. */
  readonly data: string;
  /** `lseqr://req?…`, the content of the QR code. */
  readonly url: string;
  /** The address that the app sends the response to; empty without a policy. */
  readonly callbackUrl: string;
}

/** The verdict on a response to a transaction. */
export interface CheckedTransaction {
  /** False if there is no such transaction. */
  readonly known: boolean;
  /** True if it was closed before without a right response: after too many wrong ones, or by newer challenges. */
  readonly dropped: boolean;
  readonly failCount: number;
  readonly result: boolean;
}

/** The state of a challenge, as /ocra/checkstatus answers it. */
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
  /** True if the token is enabled. */
  readonly active: boolean;
  /** True if the token has reached its limit of wrong responses. */
  readonly locked: boolean;
  /** True if the challenge was closed without a right response. */
  readonly dropped: boolean;
}

/** A request for a challenge. */
interface ChallengeRequest extends TokenReference {
  /** The text that the app displays. */
  readonly data?: string | undefined;
  /**
   * That of an administrator's sign-in, whose text is always the same: the question has nothing of it, which could fill
   * it and so be the same each time.
   */
  readonly signIn?: true;
}

/** Selection of challenges: all given fields must match, and at least one must be given. */
export interface StatusReference extends TokenReference {
  readonly transactionId?: string | undefined;
}

export interface ChallengeDependencies {
  readonly configuration: Pick<ConfigurationStore, 'current'>;
  readonly access: AccessControl;
  readonly users: UserDirectory;
  readonly tokens: TokenChoice;
  readonly challenges: ChallengeStore;
  readonly factory: ChallengeFactory;
  readonly check: ResponseChecker;
  readonly vault: Vault;
  readonly clock: Clock;
  readonly random: Random;
  /** Receives the responses on which no decision is possible. Undefined: they are not reported. */
  readonly refusals?: RefusalNotes | undefined;
}

/** Maximum number of attempts for a token that gets another owner or key before its challenge is stored. */
const ATTEMPTS = 4;

/** The life of challenges: issue, a single answer, status. */
export class ChallengeService {
  readonly #deps: ChallengeDependencies;

  constructor(dependencies: ChallengeDependencies) {
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
    const { tokens, challenges, factory, vault, random } = this.#deps;
    const token = await tokens.only(configuration, reference, {
      ...grant,
      includes: (one) => isCovered(one, grant),
    });
    this.#authorizeFor(token, caller, configuration);
    const owner = (reference.user ?? '') === '' ? undefined : (token.owner ?? undefined);
    const { suite, key } = requireTokenKey(vault, token);
    const callbackUrl = factory.callbackUrl(configuration, token, actOf(caller, 'ocra/request'));
    const { maxChallenges } = readOcraSettings(configuration.settings);
    const realms = grant.realms === 'all' ? undefined : token.realms;
    const issued = await factory.issue(
      new ShownQuestions(suite, signIn ? '' : data, random),
      (transactionId, question) =>
        buildRequestUrl(suite, key, { message: data, callbackUrl, question, transactionId }),
      ({ transactionId, question, questions, issuedAt }) =>
        challenges.issue(
          {
            transactionId,
            question,
            questions,
            issuedAt,
            tokenId: token.id,
            data,
            signIn,
            owner,
            realms,
            key: keySecrets(token),
            seen: token,
          },
          maxChallenges,
          actOf(caller, 'ocra/request'),
        ),
    );
    return { serial: token.serial, data, callbackUrl, ...issued };
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
    open: Pick<Act, 'client' | 'requestId'> & Partial<Pick<Act, 'action'>>,
    { transactionId, pass }: { transactionId: string; pass: string },
  ): Promise<CheckedTransaction> {
    const configuration = await this.#deps.configuration.current();
    const settings = readOcraSettings(configuration.settings);
    const provided = this.#deps.check.prepare(pass, open.client);
    const decideOn = async ({ challenge, token }: ChallengeOfToken): Promise<Decision> => {
      const unverified = decideWithoutResponse(challenge, token, settings, this.#deps.clock.now());
      if (unverified !== null) {
        return unverified;
      }
      provided.search.begin(1);
      const [verdict] =
        (await this.#deps.check.verify(
          configuration,
          settings,
          token,
          [challenge.question],
          provided,
          isTriggered(challenge),
        )) ?? [];
      return verdict === undefined
        ? decideUnverifiable(token)
        : decide(challenge, token, verdict, settings, this.#deps.clock.now());
    };
    const act: Act = { action: 'ocra/check_t', ...open, actor: '' };
    const decision =
      transactionId === '' ? undefined : await this.#deps.challenges.answer(transactionId, decideOn, act);
    if (decision === undefined) {
      await this.#deps.refusals?.note({ ...act, outcome: 'no such transaction' });
    }
    return decision === undefined
      ? { known: false, dropped: false, failCount: 0, result: false }
      : {
          known: true,
          dropped: decision.reason === 'dropped',
          failCount: decision.failCount,
          result: decision.result,
        };
  }

  /**
   * @returns the challenges that match all given fields, of tokens in the realms of the right, newest first; none where
   *   nothing matches
   * @throws ServiceError 'right.missing', 'parameter.missing'
   */
  async status(caller: Caller, reference: StatusReference): Promise<readonly StatusEntry[]> {
    const configuration = await this.#deps.configuration.current();
    const right = { scope: 'ocra', action: 'status' } as const;
    const grant = this.#deps.access.authorize(configuration, caller, right);
    const filter = await this.#filter(configuration, reference, grant);
    const settings = readOcraSettings(configuration.settings);
    const found = filter === undefined ? [] : await this.#deps.challenges.find(filter);
    return found.filter(({ token }) => isCovered(token, grant)).map((one) => statusEntry(one, settings));
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

  /**
   * @param text the text to encode instead of random bytes, as UTF-8
   * @returns a valid activation code
   * @throws ServiceError 'right.missing'
   */
  async activationCode(caller: Caller, text?: string): Promise<string> {
    const configuration = await this.#deps.configuration.current();
    this.#deps.access.authorize(configuration, caller, { scope: 'ocra', action: 'activationcode' });
    return text === undefined
      ? randomActivationCode(this.#deps.random)
      : encodeActivationCode(Buffer.from(text, 'utf8'));
  }

  /**
   * Computes the response of an app, for tests of apps and portals: from values of the request, never from a token of
   * this server.
   * @throws ServiceError 'right.missing', 'parameter.missing', 'parameter.invalid', 'suite.invalid',
   *   'activation-code.invalid', 'data-input.invalid', 'qrtan-url.invalid'
   */
  async calculateOtp(caller: Caller, input: CalculationInput): Promise<string> {
    const configuration = await this.#deps.configuration.current();
    this.#deps.access.authorize(configuration, caller, { scope: 'ocra', action: 'calcOTP' });
    return calculateOtp(input, this.#deps.clock.now());
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

/** @returns the state of a challenge */
export function statusEntry({ challenge, token }: ChallengeOfToken, settings: OcraSettings): StatusEntry {
  return {
    id: challenge.id,
    serial: token.serial,
    transactionId: challenge.transactionId,
    receivedTan: challenge.receivedTan,
    validTan: challenge.validTan,
    failCount: token.failCount,
    issuedAt: challenge.issuedAt,
    expiresAt: expiryOf(challenge, settings),
    active: token.active,
    locked: isLocked(token),
    dropped: isDropped(challenge),
  };
}
