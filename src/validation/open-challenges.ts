import { readOcraSettings } from '../configuration/settings.ts';
import type { Configuration } from '../configuration/configuration.ts';
import {
  type ChallengeOfToken,
  decide,
  decideUnverifiable,
  decideWithoutResponse,
  isOpen,
  type OpenDecision,
  type Verdict,
} from '../challenges/challenge.ts';
import type { ProvidedResponse, ResponseChecker } from '../challenges/response-check.ts';
import type { Clock } from '../kernel/clock.ts';
import { type ServiceError, isServiceError } from '../kernel/errors.ts';
import { describeFault, type Log } from '../kernel/log.ts';
import { plainQuestion } from '../ocra/question.ts';
import { parseOcraSuite } from '../ocra/suite.ts';
import { isLocked, isUsable, type Token } from '../tokens/token.ts';

/** An open challenge, and the verdict on the response to it. */
interface TriedChallenge extends ChallengeOfToken {
  readonly verdict: Verdict;
}

/** Decides on a response that names no transaction, and may answer any open challenge. */
export class OpenChallenges {
  readonly #deps;

  constructor(dependencies: { readonly check: ResponseChecker; readonly clock: Clock; readonly log: Log }) {
    this.#deps = dependencies;
  }

  /**
   * Tries the response on each open challenge, and accepts it for one at most: the newest for which it is correct. A
   * wrong response counts once, for one challenge and its token (`chosenOf`).
   * @param found newest first
   * @param known ids of the tokens that may be meant
   * @returns undefined: nothing is open
   */
  async decide(
    configuration: Configuration,
    found: readonly ChallengeOfToken[],
    provided: ProvidedResponse,
    known: ReadonlySet<string>,
  ): Promise<OpenDecision | undefined> {
    const settings = readOcraSettings(configuration.settings);
    const now = this.#deps.clock.now();
    const open = found.filter(({ challenge }) => isOpen(challenge, now));
    const [newest] = open;
    if (newest === undefined) {
      return undefined;
    }
    const meant = open.filter(({ token }) => isUsable(token, now) && known.has(token.id));
    const [first = newest] = meant;
    const unverified = decideWithoutResponse(first.challenge, first.token, now);
    if (unverified !== null) {
      return { answered: first, decision: unverified };
    }
    const newestOpen = newestOfEach(meant, settings.maxChallenges);
    provided.search.begin(newestOpen.length);
    const tried = await this.#try(configuration, newestOpen, provided);
    const chosen = chosenOf(tried);
    if (chosen === undefined) {
      return { answered: first, decision: decideUnverifiable(first.token) };
    }
    const { challenge, token, verdict } = chosen;
    const { question } = challenge;
    const { check, clock } = this.#deps;
    const explained = await check.explain(verdict, configuration, token, question, provided);
    const decision = decide(challenge, token, explained, settings, clock.now());
    return decision.result
      ? { answered: chosen, decision, supersedes: sharingResponse(chosen, open) }
      : { answered: chosen, decision, isPin: tried.some(isPinRight) };
  }

  /**
   * Leaves out a token whose secrets cannot be read: it must not block the user's other tokens.
   * @returns newest first, without those of tokens whose responses cannot be verified
   * @throws ServiceError 'secret.unreadable' where no token's secrets can be read
   */
  async #try(
    configuration: Configuration,
    open: readonly ChallengeOfToken[],
    provided: ProvidedResponse,
  ): Promise<readonly TriedChallenge[]> {
    const verdicts = new Map<string, Verdict>();
    let unreadable: ServiceError | undefined;
    for (const token of new Map(open.map((one) => [one.token.id, one.token])).values()) {
      const challenges = open.filter((one) => one.token.id === token.id).map(({ challenge }) => challenge);
      const questions = challenges.map(({ question }) => question);
      const found = await this.#deps.check
        .verify(configuration, token, questions, provided)
        .catch((error: unknown) => {
          if (!isServiceError(error, 'secret.unreadable')) {
            throw error;
          }
          unreadable = error;
          reportUnreadable(this.#deps.log, token, error);
          return null;
        });
      challenges.forEach(({ id }, index) => {
        const verdict = found?.[index];
        if (verdict !== undefined) {
          verdicts.set(id, verdict);
        }
      });
    }
    if (unreadable !== undefined && verdicts.size === 0) {
      throw unreadable;
    }
    return open.flatMap((one) => {
      const verdict = verdicts.get(one.challenge.id);
      return verdict === undefined ? [] : [{ ...one, verdict }];
    });
  }
}

/** That the secrets of a token cannot be read, which leaves it out, so that it does not block the user's other tokens. */
export function reportUnreadable(log: Log, { serial }: Token, error: ServiceError): void {
  const { fault, faultDetail } = describeFault(error);
  log.warn('The secrets of a token cannot be read: no response to it is accepted', {
    serial,
    fault,
    faultDetail,
  });
}

function isPinRight({ token, verdict }: TriedChallenge): boolean {
  return !isLocked(token) && (verdict.kind === 'right' || verdict.isPin === true);
}

/**
 * @returns the newest `max` challenges of each token, in their given order; those that a PIN, or none, has triggered apart:
 *   who knows no more than that pushes no payment out
 */
function newestOfEach(open: readonly ChallengeOfToken[], max: number): readonly ChallengeOfToken[] {
  const counts = new Map<string, number>();
  return open.filter(({ challenge, token }) => {
    const kind = `${token.id} ${String(challenge.isTriggered)}`;
    const count = (counts.get(kind) ?? 0) + 1;
    counts.set(kind, count);
    return count <= max;
  });
}

/**
 * The challenge that a response answers: the newest for which it is correct; or else one of the token for which it is
 * the first half of an automatic resynchronisation; or else the newest. Among several tokens, a locked one is chosen
 * only where all are locked, as it would otherwise absorb the guesses at the others. The choice for a wrong response
 * does not depend on its PIN.
 * @param tried newest first
 */
function chosenOf(tried: readonly TriedChallenge[]): TriedChallenge | undefined {
  const unlocked = tried.filter(({ token }) => !isLocked(token));
  const right = unlocked.find(({ verdict }) => verdict.kind === 'right');
  if (right !== undefined) {
    return right;
  }
  const half = unlocked.find(({ verdict }) => verdict.kind === 'wrong' && verdict.remember !== undefined);
  const newest =
    (half && unlocked.find(({ token }) => token.id === half.token.id)) ?? unlocked[0] ?? tried[0];
  // A locked token's right response is none.
  const wrong: Verdict = newest?.verdict.kind === 'wrong' ? newest.verdict : { kind: 'wrong' };
  return newest && { ...newest, verdict: half?.verdict ?? wrong };
}

/**
 * A suite without counter and time has one response to a question, which is valid for every challenge with that
 * question. Sent once more, it would answer the next of them.
 * @returns the ids of the token's other open challenges for which the response is valid
 */
function sharingResponse(
  { challenge, token }: ChallengeOfToken,
  open: readonly ChallengeOfToken[],
): readonly string[] {
  const plain = plainWithoutPosition(token, challenge.question);
  return open
    .filter((other) => other.token.id === token.id && other.challenge.id !== challenge.id)
    .filter((other) => plain !== undefined && plain === plainWithoutPosition(token, other.challenge.question))
    .map((other) => other.challenge.id);
}

/** @returns the question in the form that a device sees; undefined for a suite whose responses have a position */
function plainWithoutPosition({ algorithm }: Token, question: string): string | undefined {
  const suite = algorithm === null ? undefined : parseOcraSuite(algorithm);
  const hasPosition = suite === undefined || suite.counter || suite.timeStep !== undefined;
  return hasPosition ? undefined : plainQuestion(suite, question);
}
