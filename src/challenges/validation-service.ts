import { isLocked, isOcraToken, isUsable, type Token } from '../tokens/token.ts';
import { createHash } from 'node:crypto';
import type { RefusalNotes } from '../audit/refusal-trail.ts';
import type { ConfigurationStore } from '../configuration/configuration-store.ts';
import type { Configuration } from '../configuration/configuration.ts';
import type { Clock } from '../kernel/clock.ts';
import { type ServiceError, isServiceError } from '../kernel/errors.ts';
import { describeFault, type Log } from '../kernel/log.ts';
import { plainQuestion } from '../ocra/question.ts';
import { parseOcraSuite } from '../ocra/suite.ts';
import type { Act } from '../policy/caller.ts';
import type { TokenStore } from '../tokens/token-store.ts';
import { noneOfSeveral, type ResolvedUser, type UserDirectory } from '../users/user-directory.ts';
import { type ChallengeService, type OpenAct, type StatusEntry, statusEntry } from './challenge-service.ts';
import type { ChallengeStore } from './challenge-store.ts';
import type { ChallengeTrigger, TriggeredChallenge } from './challenge-factory.ts';
import {
  type ChallengeOfToken,
  decide,
  decideUnverifiable,
  decideWithoutResponse,
  isOpen,
  type OpenDecision,
  type TokenOrOwner,
  type Verdict,
} from './challenge.ts';
import { readOcraSettings } from '../configuration/settings.ts';
import type { ProvidedResponse, ResponseChecker } from './response-check.ts';

/** A response of a serial or a user, to the transaction if one is named. */
interface ValidationRequest {
  readonly serial?: string | undefined;
  readonly user?: string | undefined;
  readonly realm?: string | undefined;
  readonly transactionId?: string | undefined;
  /** PIN or password, as the policy `otppin` says, followed by the response. */
  readonly pass: string;
  /** The text that the app displays, where a challenge is issued. */
  readonly data?: string | undefined;
}

/** True: the response was accepted; or the challenge that was issued, as `pass` was the PIN alone. */
export type Validated = boolean | TriggeredChallenge;

/** The attributes of a user, by the names that clients of samlcheck read. */
type SamlAttributes = Readonly<
  Record<'username' | 'realm' | 'email' | 'givenname' | 'surname' | 'phone' | 'mobile', string>
>;

export interface ValidatedTransaction {
  /** The token of the transaction; undefined if there is no such transaction. */
  readonly token: { readonly serial: string; readonly type: string } | undefined;
  readonly failCount: number;
  readonly result: boolean;
}

/** An open challenge, and the verdict on the response to it. */
interface TriedChallenge extends ChallengeOfToken {
  readonly verdict: Verdict;
}

/**
 * An owner without tokens, used in place of an unknown user, so that the answer takes as long. It differs by name, so
 * that names do not wait for each other.
 */
function nobody(name: string): TokenOrOwner {
  const userId = createHash('sha256').update(name, 'utf8').digest('base64url');
  return { owner: { resolverId: '999999999999999999', userId } };
}

/** Types of tokens whose responses end, or with `PrependPin=False` begin, with six digits or more. */
const DIGIT_TYPES: readonly string[] = ['hmac', 'totp'];

/**
 * A response of a token of another type cannot be verified here: counted, right ones would lock the user's OCRA tokens;
 * tried and not counted, guesses at these would have no end. So it is neither.
 */
function mayBeOfOtherType(token: Token, pass: string, now: Date): boolean {
  const isShaped = !DIGIT_TYPES.includes(token.type) || /^\d{6}|\d{6}$/.test(pass);
  return !isOcraToken(token) && isUsable(token, now) && isShaped;
}

/** Checks responses by user, serial or transaction. Needs no login. */
export class ValidationService {
  readonly #deps;

  constructor(dependencies: {
    readonly configuration: Pick<ConfigurationStore, 'current'>;
    readonly users: UserDirectory;
    readonly challenges: ChallengeStore;
    readonly ocra: Pick<ChallengeService, 'checkTransaction'>;
    readonly check: ResponseChecker;
    readonly trigger: ChallengeTrigger;
    readonly tokenStore: Pick<TokenStore, 'list' | 'findBySerial'>;
    readonly clock: Clock;
    readonly log: Log;
    /** Receives the responses on which no decision is possible. */
    readonly refusals: RefusalNotes;
  }) {
    this.#deps = dependencies;
  }

  /**
   * Checks a response: against the named transaction, where it belongs to the serial or user; without one,
   * against all their open challenges. Where nothing is open, or the user or serial is unknown,
   * it is refused and nothing changes. A PIN alone issues a challenge to a token that takes part in that
   * (`ChallengeTrigger`); a wrong one counts as a wrong response. By user without a transaction, what may be a response
   * of a token of another type of theirs is refused, and neither tried nor counted.
   * @throws ServiceError 'resolver.unavailable', and as `ChallengeTrigger.issue`
   */
  async check(open: OpenAct, request: ValidationRequest): Promise<Validated> {
    const configuration = await this.#deps.configuration.current();
    const tokenOrOwner = await this.#tokenOrOwner(configuration, request);
    const action = request.serial === undefined ? 'validate/check' : 'validate/check_s';
    const act = { action, ...open, actor: '' };
    const { transactionId = '', pass, data = '' } = request;
    if (tokenOrOwner === undefined) {
      await this.#noteNothingOpen(act);
      return false;
    }
    if (transactionId !== '') {
      const accepted = await this.#checkNamed(act, tokenOrOwner, { transactionId, pass });
      if (accepted === undefined) {
        await this.#noteNothingOpen(act);
      }
      return accepted ?? false;
    }
    return this.#checkUnnamed(act, configuration, tokenOrOwner, { pass, data });
  }

  /**
   * Checks a response as `check` does.
   * @returns also the attributes of the user whose response was accepted, where the setting `AllowSamlAttributes` is on
   */
  async checkWithAttributes(
    open: OpenAct,
    request: ValidationRequest & { readonly user: string },
  ): Promise<{ readonly validated: Validated; readonly attributes: SamlAttributes | undefined }> {
    const validated = await this.check(open, request);
    const configuration = await this.#deps.configuration.current();
    const isAllowed = validated === true && readOcraSettings(configuration.settings).allowSamlAttributes;
    const user = isAllowed ? await this.#deps.users.find(configuration, request) : undefined;
    return { validated, attributes: user && attributesOf(user) };
  }

  /**
   * Tells the state of transactions to their user, by the PIN or password that precedes responses; one of a challenge to
   * a PIN is told alike. A wrong PIN counts as a wrong response, and is not told from an unknown user or transaction.
   * @returns none where nothing matches
   */
  async status(
    open: OpenAct,
    request: ValidationRequest & { readonly user: string },
  ): Promise<readonly StatusEntry[]> {
    const configuration = await this.#deps.configuration.current();
    const act = { action: 'validate/check_status', ...open, actor: '' };
    const { pass } = request;
    const one = await this.#namedOf(configuration, request);
    const provided = this.#deps.check.prepare(pass, open.client);
    const isTheirs =
      one !== undefined && (await this.#deps.check.isSecret(configuration, one.token, provided));
    if (isTheirs && !isLocked(one.token)) {
      return [statusEntry(one)];
    }
    if (!(await this.#deps.challenges.countWrongPin(pass === '' ? undefined : one?.token.id, act))) {
      await this.#noteNothingOpen(act);
    }
    return [];
  }

  /** @returns the challenge of the named transaction, if it is one of the user's or serial's */
  async #namedOf(
    configuration: Configuration,
    request: ValidationRequest,
  ): Promise<ChallengeOfToken | undefined> {
    const { transactionId = '' } = request;
    const tokenOrOwner = await this.#tokenOrOwner(configuration, request);
    if (tokenOrOwner === undefined || transactionId === '') {
      return undefined;
    }
    const [found] = await this.#deps.challenges.find({ ...tokenOrOwner, transactionId });
    return found;
  }

  async #checkUnnamed(
    act: Act,
    configuration: Configuration,
    tokenOrOwner: TokenOrOwner,
    { pass, data }: { pass: string; data: string },
  ): Promise<Validated> {
    const { trigger, challenges } = this.#deps;
    const provided = this.#deps.check.prepare(pass, act.client);
    const { answering, tokens } = await this.#answering(tokenOrOwner, pass);
    const candidates = trigger.candidates(configuration, tokens, provided);
    const issue = (): Promise<TriggeredChallenge | undefined> =>
      trigger.issue(act, configuration, candidates, provided, data);
    const isResponseFirst = trigger.mayBeResponse(configuration, candidates, provided);
    const before = isResponseFirst ? undefined : await issue();
    if (before !== undefined) {
      return before;
    }
    const accepted = await this.#answerOpen(act, configuration, answering, provided);
    if (accepted !== undefined) {
      return accepted;
    }
    const after = isResponseFirst ? await issue() : undefined;
    if (after !== undefined) {
      return after;
    }
    const guessed = pass === '' ? undefined : (candidates.find((one) => !isLocked(one)) ?? candidates[0]);
    if (!(await challenges.countWrongPin(guessed?.id, act))) {
      await this.#noteNothingOpen(act);
    }
    return false;
  }

  /** @returns the tokens that `pass` may be of; as of nobody where it may be of one of another type */
  async #answering(
    tokenOrOwner: TokenOrOwner,
    pass: string,
  ): Promise<{ readonly answering: TokenOrOwner; readonly tokens: readonly Token[] }> {
    const tokens = await this.#tokensOf(tokenOrOwner);
    const now = this.#deps.clock.now();
    return tokens.some((token) => mayBeOfOtherType(token, pass, now))
      ? { answering: nobody(JSON.stringify(tokenOrOwner)), tokens: [] }
      : { answering: tokenOrOwner, tokens };
  }

  async #noteNothingOpen(act: Act): Promise<void> {
    await this.#deps.refusals.note({ ...act, outcome: 'nothing is open', subject: '', realm: '' });
  }

  async #tokensOf(tokenOrOwner: TokenOrOwner): Promise<readonly Token[]> {
    const { tokenStore } = this.#deps;
    if ('owner' in tokenOrOwner) {
      return tokenStore.list({ owner: tokenOrOwner.owner });
    }
    const token = await tokenStore.findBySerial(tokenOrOwner.serial);
    return token === undefined ? [] : [token];
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
    open: OpenAct,
    { transactionId, pass }: { transactionId: string; pass: string },
  ): Promise<ValidatedTransaction> {
    const act = { ...open, action: 'validate/check_t' };
    const { token, failCount, result } = await this.#deps.ocra.checkTransaction(act, { transactionId, pass });
    return { token, failCount, result };
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

  /**
   * Tries the response on each open challenge, and accepts it for one at most: the newest for which it is correct. A
   * wrong response counts once, for one challenge and its token (`chosenOf`).
   * @returns true if it was accepted; undefined: nothing is open, and nothing was changed
   */
  async #answerOpen(
    act: Act,
    configuration: Configuration,
    tokenOrOwner: TokenOrOwner,
    provided: ProvidedResponse,
  ): Promise<boolean | undefined> {
    // A repeated decision is limited to the tokens of the first: another token could need a password check, which must
    // not happen then.
    let known: ReadonlySet<string> | undefined;
    const decideOn = (found: readonly ChallengeOfToken[]): Promise<OpenDecision | undefined> => {
      const now = this.#deps.clock.now();
      known ??= new Set(found.filter(({ token }) => isUsable(token, now)).map(({ token }) => token.id));
      return this.#decide(configuration, found, provided, known);
    };
    return (await this.#deps.challenges.answerOpen(tokenOrOwner, decideOn, act))?.decision.result;
  }

  async #decide(
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
      : { answered: chosen, decision };
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
          this.#reportUnreadable(token, error);
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

  #reportUnreadable({ serial }: Token, error: ServiceError): void {
    const { fault, faultDetail } = describeFault(error);
    this.#deps.log.warn('The secrets of a token cannot be read: no response to it is accepted', {
      serial,
      fault,
      faultDetail,
    });
  }
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
function plainWithoutPosition({ ocraSuite }: Token, question: string): string | undefined {
  const suite = ocraSuite === null ? undefined : parseOcraSuite(ocraSuite);
  const hasPosition = suite === undefined || suite.counter || suite.timeStep !== undefined;
  return hasPosition ? undefined : plainQuestion(suite, question);
}

function attributesOf({ login, realm, email, givenName, surname, phone }: ResolvedUser): SamlAttributes {
  // Resolvers have one telephone number.
  return { username: login, realm: realm.name, email, givenname: givenName, surname, phone, mobile: '' };
}
