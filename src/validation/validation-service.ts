import { isLocked, isOcraToken, isPassToken, isUsable, type Token } from '../tokens/token.ts';
import { createHash } from 'node:crypto';
import type { RefusalNotes } from '../audit/refusal-trail.ts';
import type { ConfigurationStore } from '../configuration/configuration-store.ts';
import type { Configuration } from '../configuration/configuration.ts';
import type { Clock } from '../kernel/clock.ts';
import { isServiceError, ServiceError } from '../kernel/errors.ts';
import type { Act } from '../policy/caller.ts';
import type { TokenStore } from '../tokens/token-store.ts';
import { noneOfSeveral, type ResolvedUser, type UserDirectory } from '../users/user-directory.ts';
import {
  type ChallengeService,
  type OpenAct,
  type StatusEntry,
  statusEntry,
} from '../challenges/challenge-service.ts';
import type { ChallengeStore } from '../challenges/challenge-store.ts';
import type { ChallengeTrigger, TriggeredChallenge } from '../challenges/challenge-factory.ts';
import type { ChallengeOfToken, OpenDecision, TokenOrOwner } from '../challenges/challenge.ts';
import { type OcraSettings, readOcraSettings } from '../configuration/settings.ts';
import { type ProvidedResponse, type ResponseChecker, splitPass } from '../challenges/response-check.ts';
import type { OpenChallenges } from './open-challenges.ts';
import type { PassChecker } from './pass-checker.ts';
import type { PassStore, SeenByPass } from './pass-store.ts';
import { decidePass, isRightResponse, isUncountedFor, type PassDecision, type TriedToken } from './pass.ts';

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

/** What a pass comes to where the period of each token is over, or its count used up. */
const NOT_VALID = 'not valid';

/** True: the response was accepted; or the challenge that was issued, as `pass` was the PIN alone. */
export type Validated = boolean | typeof NOT_VALID | TriggeredChallenge;

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

/**
 * An owner without tokens, used in place of an unknown user, so that the answer takes as long. It differs by name, so
 * that names do not wait for each other.
 */
function nobody(name: string): TokenOrOwner {
  const userId = createHash('sha256').update(name, 'utf8').digest('base64url');
  return { owner: { resolverId: '999999999999999999', userId } };
}

interface Shape {
  readonly length: number;
  readonly form: RegExp;
}
const DIGITS: Shape = { length: 6, form: /^\d{6}$/ };
/** What the responses of types that are only kept look like, or end with; with `PrependPin=False`, begin with. */
const SHAPES: ReadonlyMap<string, Shape> = new Map([
  ['hmac', DIGITS],
  ['totp', DIGITS],
  ['dpw', DIGITS],
  // Hexadecimal; digits alone, as one of 17 is, are taken for those of other tokens.
  ['motp', { length: 6, form: /^(?!\d{6})[\da-f]{6}$/i }],
  // In "modhex", after the characters that name the device.
  ['yubikey', { length: 32, form: /^[b-lnrtuv]{32}$/i }],
]);
/** Types of tokens whose responses a server sends first: as this one sends none, no pass is one. */
const SENT_TYPES: readonly string[] = ['sms', 'email', 'voice', 'push', 'qr'];

/**
 * A response of a token of another type cannot be verified here: counted, right ones would lock the user's other tokens;
 * tried and not counted, guesses at these would have no end. So it is neither.
 */
function mayBeOfOtherType(token: Token, pass: string, settings: OcraSettings, now: Date): boolean {
  const isOther = !isOcraToken(token) && !isPassToken(token) && !SENT_TYPES.includes(token.type);
  const shape = SHAPES.get(token.type);
  const isShaped = shape === undefined || shape.form.test(splitPass(shape.length, pass, settings).response);
  return isOther && isUsable(token, now) && isShaped;
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
    readonly open: OpenChallenges;
    readonly passes: PassStore;
    readonly passCheck: PassChecker;
    readonly trigger: ChallengeTrigger;
    readonly tokenStore: Pick<TokenStore, 'ofOwner' | 'findBySerial'>;
    readonly clock: Clock;
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
   * a PIN is told alike. A wrong PIN counts as a wrong response, and is answered as an unknown user or transaction; with a
   * password, for one that is theirs alone: unknown names would let anybody occupy hashes and directories. So the time
   * tells whose a transaction is.
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
    const { trigger } = this.#deps;
    const provided = this.#deps.check.prepare(pass, act.client);
    const { answering, tokens } = await this.#answering(configuration, tokenOrOwner, pass);
    const candidates = trigger.candidates(configuration, tokens, provided);
    const issue = async (): Promise<TriggeredChallenge | false | undefined> => {
      const issued = await trigger.issue(act, configuration, candidates, provided, data);
      if (issued !== 'not issued') {
        return issued;
      }
      // The PIN was right: nothing is counted.
      await this.#noteNothingOpen(act);
      return false;
    };
    const isResponseFirst = trigger.mayBeResponse(configuration, candidates, provided);
    const before = isResponseFirst ? undefined : await issue();
    if (before !== undefined) {
      return before;
    }
    const guessed = pass === '' ? undefined : (candidates.find((one) => !isLocked(one)) ?? candidates[0]);
    const first = this.#takingPasses(tokens);
    const accepted =
      first === undefined
        ? await this.#answerOpen(act, configuration, answering, provided, guessed)
        : await this.#settlePass(act, configuration, answering, { tokens, first, guessed }, provided);
    if (accepted !== undefined) {
      return accepted;
    }
    const after = isResponseFirst ? await issue() : undefined;
    return after ?? this.#refuse(act, tokens, guessed);
  }

  async #refuse(act: Act, tokens: readonly Token[], guessed: Token | undefined): Promise<Validated> {
    if (!(await this.#deps.challenges.countWrongPin(guessed?.id, act))) {
      await this.#noteNothingOpen(act);
    }
    const isOutOfBounds = tokens.length > 0 && tokens.every((token) => isPassToken(token) && token.active);
    return isOutOfBounds ? NOT_VALID : false;
  }

  /** @returns the first of the tokens that takes a pass without a challenge now */
  #takingPasses(tokens: readonly Token[]): Token | undefined {
    const now = this.#deps.clock.now();
    return tokens.find((token) => isPassToken(token) && isUsable(token, now));
  }

  /** @returns the tokens that `pass` may be of; as of nobody where it may be of one of another type */
  async #answering(
    configuration: Configuration,
    tokenOrOwner: TokenOrOwner,
    pass: string,
  ): Promise<{ readonly answering: TokenOrOwner; readonly tokens: readonly Token[] }> {
    const tokens = await this.#tokensOf(tokenOrOwner);
    const settings = readOcraSettings(configuration.settings);
    const now = this.#deps.clock.now();
    return tokens.some((token) => mayBeOfOtherType(token, pass, settings, now))
      ? { answering: nobody(JSON.stringify(tokenOrOwner)), tokens: [] }
      : { answering: tokenOrOwner, tokens };
  }

  async #noteNothingOpen(act: Act): Promise<void> {
    await this.#deps.refusals.note({ ...act, outcome: 'nothing is open', subject: '', realm: '' });
  }

  async #tokensOf(tokenOrOwner: TokenOrOwner): Promise<readonly Token[]> {
    const { tokenStore } = this.#deps;
    if ('owner' in tokenOrOwner) {
      return tokenStore.ofOwner(tokenOrOwner.owner);
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
   * Settles a pass of somebody who has tokens without a challenge: for these and open challenges together.
   * @param whose.first the first of the tokens that takes a pass
   * @param whose.guessed the token that a PIN would have issued a challenge to
   */
  async #settlePass(
    act: Act,
    configuration: Configuration,
    tokenOrOwner: TokenOrOwner,
    { tokens, first, guessed }: { tokens: readonly Token[]; first: Token; guessed: Token | undefined },
    given: ProvidedResponse,
  ): Promise<boolean> {
    const { check, clock, open, passCheck, passes } = this.#deps;
    const meant = tokens.filter((token) => isPassToken(token) || isOcraToken(token));
    // A budget of its own: the windows of a user's challenges may use theirs up.
    const { search } = check.prepare(given.pass, given.client);
    const known = knownOnce(clock);
    const providedOnce = askedOnce(given);
    const decideOn = async (seen: SeenByPass): Promise<PassDecision> => {
      const provided = providedOnce();
      const now = clock.now();
      const usable = seen.tokens.filter((token) => isPassToken(token) && isUsable(token, now));
      const reads = await passCheck.read(configuration, usable, { ...provided, search });
      const withPins = (): Promise<readonly TriedToken[]> =>
        passCheck.withPins(configuration, reads, provided);
      const right = reads.some(isRightResponse) ? await withPins() : undefined;
      const decided = await open
        .decide(configuration, seen.open, provided, known(seen.open))
        .catch((error: unknown) => noneOfUnreadable(error, reads));
      const compared = await passCheck.withTexts(right ?? (await withPins()), provided);
      const tried = { tokens: compared, open: decided, first };
      if (decided === undefined && tried.tokens.length === 0 && usable.length > 0) {
        throw new ServiceError('secret.unreadable', 'The secrets of no token can be read');
      }
      // As it is now: others may have guessed meanwhile.
      const guessedNow = seen.tokens.find(({ id }) => id === guessed?.id);
      const pass = decidePass({ ...tried, guessed: guessedNow }, now);
      return passCheck.explain(configuration, pass, compared, { ...provided, search });
    };
    return (await passes.settle(tokenOrOwner, meant, decideOn, act)).result;
  }

  /**
   * Answers the newest open challenge for which the response is correct (`OpenChallenges`).
   * @returns true if it was accepted; undefined: nothing is open that counts a guess at the token
   */
  async #answerOpen(
    act: Act,
    configuration: Configuration,
    tokenOrOwner: TokenOrOwner,
    provided: ProvidedResponse,
    guessed: Token | undefined,
  ): Promise<boolean | undefined> {
    const known = knownOnce(this.#deps.clock);
    const providedOnce = askedOnce(provided);
    const decideOn = (found: readonly ChallengeOfToken[]): Promise<OpenDecision | undefined> =>
      this.#deps.open.decide(configuration, found, providedOnce(), known(found));
    const answered = await this.#deps.challenges.answerOpen(tokenOrOwner, decideOn, act);
    const isOver = guessed === undefined ? answered !== undefined : !isUncountedFor(guessed, answered);
    return isOver ? answered?.decision.result : undefined;
  }
}

/**
 * A repeated decision is limited to the tokens of the first: another token could need a password check, which must not
 * happen then.
 * @returns a function that returns the ids of the usable tokens of its first call
 */
function knownOnce(clock: Clock): (found: readonly ChallengeOfToken[]) => ReadonlySet<string> {
  let known: ReadonlySet<string> | undefined;
  return (found) => {
    const now = clock.now();
    known ??= new Set(found.filter(({ token }) => isUsable(token, now)).map(({ token }) => token.id));
    return known;
  };
}

/**
 * A repeated decision holds locks, and asks nobody: a token may have got another owner meanwhile.
 * @returns a function that returns the response, and from the second call on that of a repeated decision
 */
function askedOnce(provided: ProvidedResponse): () => ProvidedResponse {
  let next = provided;
  return () => {
    const given = next;
    next = { ...provided, isRepeated: true };
    return given;
  };
}

/** Open challenges whose tokens cannot be read must not block tokens that can. */
function noneOfUnreadable(error: unknown, { length }: readonly unknown[]): OpenDecision | undefined {
  if (length === 0 || !isServiceError(error, 'secret.unreadable')) {
    throw error;
  }
  return undefined;
}

function attributesOf({ login, realm, email, givenName, surname, phone }: ResolvedUser): SamlAttributes {
  // Resolvers have one telephone number.
  return { username: login, realm: realm.name, email, givenname: givenName, surname, phone, mobile: '' };
}
