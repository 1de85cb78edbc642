import { isLocked, isOcraToken, isUsable, type Token } from '../tokens/token.ts';
import type { Configuration } from '../configuration/configuration.ts';
import type { Clock } from '../kernel/clock.ts';
import { isServiceError } from '../kernel/errors.ts';
import { parseOcraSuite } from '../ocra/suite.ts';
import type { Act } from '../policy/caller.ts';
import { valuesForToken } from '../policy/read-policy.ts';
import type { ChallengeFactory, IssuedChallenge } from './challenge-factory.ts';
import type { ChallengeIssueStore } from './challenge-issue-store.ts';
import { readOcraSettings } from '../configuration/settings.ts';
import { mayHoldResponse, type ProvidedResponse, type ResponseChecker } from './response-check.ts';

/** A challenge that was issued to a PIN or password. */
export interface TriggeredChallenge extends IssuedChallenge {
  /** The type of the token: `ocra` or `ocra2`. */
  readonly tokenType: string;
  /** The words that ask a person for the response. */
  readonly prompt: string;
}

interface TriggerDependencies {
  readonly issues: ChallengeIssueStore;
  readonly factory: ChallengeFactory;
  readonly check: ResponseChecker;
  readonly clock: Clock;
}

const PROMPT = 'Otp: ';

/**
 * The most challenges to a PIN, in multiples of those that may be open, within the lifetime of one: who knows a PIN
 * neither fills the database nor keeps its owner's own from being answered.
 */
const MOST = 10;

/**
 * Issues challenges to a PIN or password alone, without an administrator. A token takes part where the policy
 * `challenge_response` names its type, or where it is of the type ocra2, and only with a secret: where a policy asks for
 * none (`otppin=2`), or the token has no PIN, anybody could have challenges issued.
 */
export class ChallengeTrigger {
  readonly #deps: TriggerDependencies;

  constructor(dependencies: TriggerDependencies) {
    this.#deps = dependencies;
  }

  /** @returns those of the tokens that take part: the one used last first */
  candidates(configuration: Configuration, tokens: readonly Token[], client: string): readonly Token[] {
    const { check, clock } = this.#deps;
    const asks = { client, at: clock.now() };
    return tokens
      .filter((token) => isUsable(token, asks.at) && !token.isSecondFactor && isComputing(token))
      .filter((token) => token.type === 'ocra2' || isNamed(configuration, token, asks))
      .filter((token) => check.secretOf(configuration, token, client) !== undefined)
      .sort((one, other) => lastUse(other) - lastUse(one));
  }

  /**
   * A directory may count wrong passwords, so that only one text is tried as password in a request.
   * @returns true if `pass` is first to be tried as a password with a response, where a challenge is open
   */
  mayBeResponse(
    configuration: Configuration,
    candidates: readonly Token[],
    provided: ProvidedResponse,
  ): boolean {
    const settings = readOcraSettings(configuration.settings);
    return candidates.some(
      (token) =>
        this.#deps.check.secretOf(configuration, token, provided.client) === 'password' &&
        mayHoldResponse(parseOcraSuite(token.ocraSuite ?? ''), provided.pass, settings),
    );
  }

  /**
   * Issues a challenge to the first token that is not locked and whose secret `provided.pass` is. Changes no counter.
   * @returns undefined: there is none, or too many have been issued to it
   * @throws ServiceError 'challenge.too-long', 'challenge.url-ambiguous', 'challenge.no-question',
   *   'resolver.unavailable', 'key.unavailable'
   */
  async issue(
    act: Act,
    configuration: Configuration,
    candidates: readonly Token[],
    provided: ProvidedResponse,
    data: string,
  ): Promise<TriggeredChallenge | undefined> {
    const meant: Token[] = [];
    for (const token of candidates) {
      // Of each, so that the time does not tell which one it is, or that it is locked.
      if ((await this.#isSecret(configuration, token, provided)) && !isLocked(token)) {
        meant.push(token);
      }
    }
    const [token] = meant;
    if (token === undefined || (await this.#isFlooded(configuration, token))) {
      return undefined;
    }
    try {
      return await this.#issueTo(act, configuration, token, data);
    } catch (error) {
      // Changed meanwhile: locked, disabled, or with another owner, key or PIN.
      if (isServiceError(error, 'token.state') || isServiceError(error, 'token.unknown')) {
        return undefined;
      }
      throw error;
    }
  }

  async #isSecret(configuration: Configuration, token: Token, provided: ProvidedResponse): Promise<boolean> {
    try {
      return await this.#deps.check.isSecret(configuration, token, provided);
    } catch (error) {
      if (isServiceError(error, 'secret.unreadable')) {
        return false;
      }
      throw error;
    }
  }

  async #isFlooded({ settings }: Configuration, { id }: Token): Promise<boolean> {
    const { maxChallenges, challengeTimeout } = readOcraSettings(settings);
    const since = new Date(Math.max(0, this.#deps.clock.now().getTime() - challengeTimeout * 1000));
    return (await this.#deps.issues.countTriggered(id, since)) >= MOST * maxChallenges;
  }

  async #issueTo(
    act: Act,
    configuration: Configuration,
    token: Token,
    data: string,
  ): Promise<TriggeredChallenge> {
    const request = { data, owner: token.owner ?? undefined, isTriggered: true } as const;
    const issued = await this.#deps.factory.issue(configuration, token, request, act);
    return { ...issued, tokenType: token.type, prompt: PROMPT };
  }
}

function isComputing(token: Token): boolean {
  const hasKey = token.secrets.seed !== null && token.rollout !== 'phase1' && token.ocraSuite !== null;
  return isOcraToken(token) && hasKey && parseOcraSuite(token.ocraSuite).session === undefined;
}

function isNamed(
  { policies }: Configuration,
  token: Token,
  asks: { readonly client: string; readonly at: Date },
): boolean {
  const types = valuesForToken(policies, 'challenge_response', token, asks).flatMap((value) =>
    value.toLowerCase().trim().split(/\s+/),
  );
  return types.includes('*') || types.includes(token.type);
}

function lastUse({ lastSuccessAt }: Token): number {
  return lastSuccessAt?.getTime() ?? 0;
}
