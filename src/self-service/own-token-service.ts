import type { EnrolmentService } from '../challenges/enrolment/enrolment-service.ts';
import type { Enrolled } from '../challenges/enrolment/enrolment.ts';
import type { Clock, Random } from '../kernel/clock.ts';
import { isServiceError, ServiceError } from '../kernel/errors.ts';
import { randomActivationCode } from '../ocra/key-derivation.ts';
import { keyUri } from '../ocra/key-uri.ts';
import { parseAlgorithm } from '../ocra/otp.ts';
import { type Act, serverCaller } from '../policy/caller.ts';
import { nothingSelected, type TokenSelection } from '../tokens/token-selection.ts';
import {
  type DescribedToken,
  isLocked,
  isUnproven,
  isUsable,
  type Token,
  type TokenUse,
} from '../tokens/token.ts';
import type { TokenService } from '../tokens/token-service.ts';
import { readDescription, type UseSettings } from '../tokens/token-settings.ts';
import type { SignInResponseService } from '../validation/sign-in-response-service.ts';
import type { OwnSessionStore } from './own-session-store.ts';
import {
  type AskedToken,
  type KnownOwnSession,
  notThere,
  type OwnSignInService,
} from './own-sign-in-service.ts';
import { confirmedText, type OwnAct, ownAct, type OwnLanguage } from './person.ts';

/** A token as its owner sees it. */
interface OwnToken extends Pick<DescribedToken, 'serial' | 'description' | 'createdAt' | 'lastSuccessAt'> {
  /**
   * `off`: it takes no responses, as after `lock`. `locked`: after too many wrong ones. `rollout`: its first response is
   * awaited; `unfinished`: it is not, as after three wrong ones.
   */
  readonly state: 'active' | 'locked' | 'off' | 'rollout' | 'unfinished';
  /** True for the one that signed in. */
  readonly isPresent: boolean;
}

/** What people enrol: a QR-TAN app, or an authenticator app of TOTP. */
export type OwnType = 'ocra2' | 'totp';

/** The roll-out of another token. Its secrets are shown this once. */
type OwnEnrolment = RollOut | UnprovenApp;

/** An authenticator app that has to show its first response (`prove`). */
interface UnprovenApp {
  readonly serial: string;
  /** `otpauth://totp/…` */
  readonly keyUri: string;
}

interface RollOut {
  readonly serial: string;
  /** `lseqr://init?…` */
  readonly init: string;
  readonly activationCode: string;
  /** `lseqr://nonce?…` */
  readonly nonce: string;
  /** The transaction whose response completes the roll-out. */
  readonly transactionId: string;
  readonly expiresAt: Date;
}

/** Tokens of one person in a realm at most, of any state, that enrolment leads to. */
const MAX_TOKENS = 10;

/**
 * What people do with their own tokens, as far as policies let them. Every act is that of the services of
 * administrators, done for the owner's tokens alone and under the owner's name in the audit.
 */
export class OwnTokenService {
  readonly #deps;

  constructor(dependencies: {
    readonly tokens: Pick<TokenService, 'list' | 'set' | 'lose' | 'copyPin' | 'setRealms' | 'remove'>;
    readonly enrolment: Pick<EnrolmentService, 'init' | 'answerAddress'>;
    readonly signIn: Pick<OwnSignInService, 'ask' | 'confirmed'>;
    readonly responses: Pick<SignInResponseService, 'prove'>;
    readonly sessions: Pick<OwnSessionStore, 'take' | 'isOpen'>;
    readonly host: string;
    readonly clock: Clock;
    readonly random: Random;
  }) {
    this.#deps = dependencies;
  }

  /** @returns the tokens of the person, by serial */
  async list(session: KnownOwnSession, act: Act): Promise<readonly OwnToken[]> {
    const now = this.#deps.clock.now();
    const tokens = await this.#tokens(session, act);
    return tokens.map((token) => ({
      serial: token.serial,
      description: token.description,
      createdAt: token.createdAt,
      lastSuccessAt: token.lastSuccessAt,
      state: stateOf(token, now),
      isPresent: token.serial === session.serial,
    }));
  }

  /** @throws ServiceError 'path.unknown', 'token.unknown', 'parameter.invalid' */
  async rename(session: KnownOwnSession, serial: string, description: string, act: Act): Promise<void> {
    assertAllowed(session, 'rename');
    const selection = await this.#selection(session, serial, act);
    await this.#deps.tokens.set(callerOf(session, act), selection, { description });
  }

  /**
   * Locks the token of a lost phone, which ends its sessions, and what the person has begun to enrol: a finder of
   * the phone may have begun it.
   * @throws ServiceError 'path.unknown', 'token.unknown', 'token.state' for the second factor of an administrator, who
   *   could not sign in to undo it
   */
  async lock(session: KnownOwnSession, serial: string, act: Act): Promise<void> {
    assertAllowed(session, 'lock');
    const selection = await this.#selection(session, serial, act);
    await this.#deps.tokens.lose(callerOf(session, act), selection, assertNoSecondFactor);
    await this.#removeUnfinished(session, act);
  }

  /**
   * Removes the person's tokens whose roll-out was begun here and never completed. Those of the helpdesk stay.
   * @throws ServiceError 'path.unknown'
   */
  async cancelEnrolment(session: KnownOwnSession, act: Act): Promise<void> {
    assertAllowed(session, 'enrol', 'enroltotp');
    await this.#removeUnfinished(session, act);
  }

  async #removeUnfinished(session: KnownOwnSession, act: Act): Promise<void> {
    const { tokens } = this.#deps;
    const { login: user, realm } = session.person;
    const caller = callerOf(session, act);
    const own = await tokens.list(caller, { user, userRealm: realm });
    for (const { serial } of own.filter(isUnfinished)) {
      await tokens.remove(caller, { serial, user, realm }, assertUnfinished).catch(unlessCompleted);
    }
  }

  /**
   * Asks the token of this session to confirm that another one is enrolled, in place of one that was begun here before.
   * @throws ServiceError 'path.unknown', 'token.state', 'token.exists' for too many tokens, 'configuration.invalid' where a QR-TAN
   *   app would get no address for its responses
   */
  async askToEnrol(
    session: KnownOwnSession,
    type: OwnType,
    language: OwnLanguage,
    act: Act,
  ): Promise<AskedToken> {
    assertAllowed(session, actOfType[type]);
    await this.#removeUnfinished(session, act);
    await this.#assertRoom(session, act);
    if (type === 'ocra2') {
      await this.#assertAddress(session, act);
    }
    const { signIn, host } = this.#deps;
    return signIn.ask(session, confirmedText('enrol', language, session.person, host), act);
  }

  async #assertAddress(session: KnownOwnSession, act: Act): Promise<void> {
    const { values } = await this.#deps.enrolment.answerAddress(callerOf(session, act), ownerOf(session));
    if (values !== 1) {
      throw new ServiceError(
        'configuration.invalid',
        'No phone can be added now: the policies of this server give it no address for its responses',
      );
    }
  }

  /**
   * Enrols another token, once for each confirmation.
   * @param response undefined: the app may have sent it itself
   * @returns undefined for a wrong response; `waiting` while there is none
   * @throws ServiceError 'path.unknown', 'sign-in.ended', 'token.exists', 'parameter.invalid'
   */
  async enrol(
    session: KnownOwnSession,
    {
      response,
      description,
      type,
    }: { readonly response: string | undefined; readonly description: string; readonly type: OwnType },
    language: OwnLanguage,
    act: Act,
  ): Promise<OwnEnrolment | 'waiting' | undefined> {
    assertAllowed(session, actOfType[type]);
    readDescription(description);
    const { signIn, sessions } = this.#deps;
    const verdict = await signIn.confirmed(session, response, act);
    if (verdict !== true) {
      return verdict;
    }
    const { hash, asked, person } = session;
    if (asked === null || !(await sessions.take(hash, asked, person, ownAct(act, person)))) {
      throw new ServiceError('sign-in.ended', 'This confirmation has served already');
    }
    await this.#assertRoom(session, act);
    return this.#begin(session, { type, description }, act, (begun) =>
      type === 'totp'
        ? Promise.resolve(this.#appOf(begun, session))
        : this.#startRollOut(session, begun, language, act),
    );
  }

  /**
   * Proves another authenticator app by its first response; until then the token takes none elsewhere.
   * @returns undefined for a wrong response
   * @throws ServiceError 'path.unknown', 'token.unknown'
   */
  async prove(
    session: KnownOwnSession,
    { serial, response }: { readonly serial: string; readonly response: string },
    act: Act,
  ): Promise<true | undefined> {
    assertAllowed(session, 'enroltotp');
    const { person } = session;
    const tokens = await this.#tokens(session, act);
    if (!tokens.some((token) => token.serial === serial && isUnproven(token))) {
      return nothingSelected({ serial });
    }
    const isRight = await this.#deps.responses.prove(serial, person, response, ownAct(act, person));
    return isRight || undefined;
  }

  /** @param start goes on with a token that asks for as much as the first; the token is removed where that fails */
  async #begin(
    session: KnownOwnSession,
    { type, description }: { readonly type: OwnType; readonly description: string },
    act: Act,
    start: (begun: Enrolled) => Promise<OwnEnrolment>,
  ): Promise<OwnEnrolment> {
    const { enrolment, tokens, sessions } = this.#deps;
    const caller = callerOf(session, act);
    const secret = { genkey: '1', ...(type === 'ocra2' && { sharedsecret: '1' }) };
    const begun = await enrolment.init(caller, { ...ownerOf(session), type, description, ...secret }, true);
    const { serial } = begun;
    try {
      // Others of the same person may have been enrolled at the same time.
      await this.#assertRoom(session, act, 0);
      await this.#makeAsStrict(session, serial, act);
      const started = await start(begun);
      // The phone that confirmed may have been reported as lost meanwhile.
      if (!(await sessions.isOpen(session.hash))) {
        throw new ServiceError('sign-in.ended', 'This sign-in has ended: begin again with the password');
      }
      return started;
    } catch (error) {
      await tokens.remove(caller, { serial });
      throw error;
    }
  }

  async #startRollOut(
    session: KnownOwnSession,
    begun: Enrolled,
    language: OwnLanguage,
    act: Act,
  ): Promise<RollOut> {
    const { enrolment, random, host } = this.#deps;
    const activationCode = randomActivationCode(random);
    const message = confirmedText('first', language, session.person, host);
    const { serial } = begun;
    const request = { ...ownerOf(session), type: 'ocra2', serial, activationcode: activationCode, message };
    return rollOutOf(begun, await enrolment.init(callerOf(session, act), request, true), activationCode);
  }

  /** The app shows the account under the name of this server. */
  #appOf(begun: Enrolled, { person: { login: account } }: KnownOwnSession): UnprovenApp {
    if (begun.kind !== 'pass' || begun.otpkey === undefined) {
      throw new Error('a token of TOTP has a key');
    }
    const { serial, otpkey } = begun;
    const algorithm = { hash: 'sha1', digits: 6, timeStep: 30 } as const;
    const shown = { issuer: this.#deps.host, account, counter: 0n };
    return { serial, keyUri: keyUri(algorithm, Buffer.from(otpkey, 'hex'), shown) };
  }

  /**
   * The new token asks for as much as the one that confirmed it, and may do no more: its PIN, what the policies of its
   * realms want, its period, and what is left of its counts.
   */
  async #makeAsStrict(session: KnownOwnSession, to: string, act: Act): Promise<void> {
    const { tokens } = this.#deps;
    const caller = callerOf(session, act);
    const own = await this.#tokens(session, act);
    const first = presentOf(session, own);
    if (first.hasPin) {
      await tokens.copyPin(caller, { from: first.serial, to });
    }
    if (first.realms.join() !== session.person.realm) {
      await tokens.setRealms(caller, { serial: to, realms: first.realms });
    }
    const { maxFail } = presentOf({ serial: to }, own);
    const bounds = {
      ...(maxFail !== first.maxFail && { maxFail: first.maxFail }),
      ...(isBounded(first.use) && { use: remainingOf(first.use) }),
    };
    if (Object.keys(bounds).length > 0) {
      await tokens.set(caller, { serial: to }, bounds);
    }
  }

  /** @param further tokens to come */
  async #assertRoom(session: KnownOwnSession, act: Act, further = 1): Promise<void> {
    const tokens = await this.#tokens(session, act);
    const { algorithm } = presentOf(session, tokens);
    if (algorithm !== null && parseAlgorithm(algorithm).pin !== undefined) {
      throw new ServiceError(
        'configuration.invalid',
        'No phone can be added here: the one that confirms it computes with a PIN, and the new one would not',
      );
    }
    if (tokens.length + further > MAX_TOKENS) {
      throw new ServiceError(
        'token.exists',
        `You have ${MAX_TOKENS} tokens or more: no further one is added here. Ask your helpdesk`,
      );
    }
  }

  /** @returns a selection of the person's token in the realm of the session. @throws ServiceError 'token.unknown' */
  async #selection(session: KnownOwnSession, serial: string, act: Act): Promise<TokenSelection> {
    const tokens = await this.#tokens(session, act);
    return tokens.some((token) => token.serial === serial)
      ? { serial, ...ownerOf(session) }
      : nothingSelected({ serial });
  }

  #tokens(session: KnownOwnSession, act: Act): Promise<readonly DescribedToken[]> {
    const { login: user, realm } = session.person;
    return this.#deps.tokens.list(callerOf(session, act), { user, userRealm: realm, realm });
  }
}

/** @returns true if there is a bound */
function isBounded({ validFrom, validUntil, maxUses, maxSuccesses }: TokenUse): boolean {
  return [validFrom, validUntil, maxUses, maxSuccesses].some((bound) => bound !== null);
}

/** @throws ServiceError 'token.state' where nothing is left of a count */
function remainingOf({ validFrom, validUntil, ...counts }: TokenUse): UseSettings {
  return {
    validFrom: validFrom?.toISOString(),
    validUntil: validUntil?.toISOString(),
    maxUses: leftOf(counts.maxUses, counts.useCount),
    maxSuccesses: leftOf(counts.maxSuccesses, counts.successCount),
  };
}

function leftOf(most: number | null, count: number): string | undefined {
  if (most !== null && most <= count) {
    throw new ServiceError('token.state', 'The phone that confirmed it may confirm nothing more');
  }
  return most === null ? undefined : `${most - count}`;
}

/** @returns true for a token whose roll-out was begun here and is not complete; those of the helpdesk are not */
function isUnfinished({ rollout, selfEnrolled }: Pick<DescribedToken, 'rollout' | 'selfEnrolled'>): boolean {
  return selfEnrolled === true && rollout !== 'complete';
}

/** @throws ServiceError 'token.state' where its roll-out was completed, or begun by the helpdesk, a moment ago */
function assertUnfinished(token: Token): void {
  if (!isUnfinished(token)) {
    throw new ServiceError('token.state', 'The roll-out of this token was not begun here, or is complete');
  }
}

/** What is complete, or gone already, stays as it is. */
function unlessCompleted(error: unknown): void {
  if (!isServiceError(error, 'token.state') && !isServiceError(error, 'token.unknown')) {
    throw error;
  }
}

/** @throws ServiceError 'token.state' */
function assertNoSecondFactor({ isSecondFactor }: Pick<Token, 'isSecondFactor'>): void {
  if (isSecondFactor) {
    throw new ServiceError(
      'token.state',
      'This token is the second factor of an administrator and is not locked here: ask your helpdesk',
    );
  }
}

const actOfType: Readonly<Record<OwnType, OwnAct>> = { ocra2: 'enrol', totp: 'enroltotp' };

function ownerOf({ person: { login, realm } }: KnownOwnSession) {
  return { user: login, realm };
}

/** Without a policy for any of them, the act is not there at all. @throws ServiceError 'path.unknown' */
function assertAllowed({ acts }: KnownOwnSession, ...oneOf: readonly OwnAct[]): void {
  if (!oneOf.some((act) => acts.has(act))) {
    throw notThere();
  }
}

/** The session has proven the person, and the policy was asked: the services are asked by the server itself. */
function callerOf({ person }: KnownOwnSession, act: Act) {
  return serverCaller(ownAct(act, person));
}

/** @returns the token of the session. @throws ServiceError 'token.unknown' where it has just gone */
function presentOf(
  { serial }: Pick<KnownOwnSession, 'serial'>,
  tokens: readonly DescribedToken[],
): DescribedToken {
  return tokens.find((token) => token.serial === serial) ?? nothingSelected({ serial });
}

function stateOf(token: DescribedToken, now: Date): OwnToken['state'] {
  if (token.rollout !== 'complete') {
    const isAwaited = isUnproven(token)
      ? !isLocked(token)
      : token.rollout === 'phase2' && isUsable(token, now);
    return isAwaited ? 'rollout' : 'unfinished';
  }
  if (!isUsable(token, now)) {
    return 'off';
  }
  return isLocked(token) ? 'locked' : 'active';
}

function rollOutOf(begun: Enrolled, started: Enrolled, activationCode: string): RollOut {
  if (begun.kind !== 'phase1' || started.kind !== 'phase2') {
    throw new Error('a roll-out has two phases');
  }
  const { appImport: nonce, transactionId, expiresAt } = started;
  return { serial: begun.serial, init: begun.appImport, activationCode, nonce, transactionId, expiresAt };
}
