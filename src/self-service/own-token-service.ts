import type { EnrolmentService } from '../challenges/enrolment/enrolment-service.ts';
import type { Enrolled } from '../challenges/enrolment/enrolment.ts';
import type { Clock, Random } from '../kernel/clock.ts';
import { ServiceError } from '../kernel/errors.ts';
import { randomActivationCode } from '../ocra/key-derivation.ts';
import { parseOcraSuite } from '../ocra/suite.ts';
import { type Act, serverCaller } from '../policy/caller.ts';
import { nothingSelected, type TokenSelection } from '../tokens/token-selection.ts';
import { type DescribedToken, isLocked, isUsable, type Token } from '../tokens/token.ts';
import type { TokenService } from '../tokens/token-service.ts';
import { readDescription } from '../tokens/token-settings.ts';
import type { OwnSessionStore } from './own-session-store.ts';
import { type KnownOwnSession, notThere, type OwnSignInService } from './own-sign-in-service.ts';
import { confirmedText, type OwnAct, ownAct, type OwnLanguage } from './person.ts';

interface OwnTokenDependencies {
  readonly tokens: Pick<TokenService, 'list' | 'set' | 'lose' | 'copyPin' | 'setRealms' | 'remove'>;
  readonly enrolment: Pick<EnrolmentService, 'init' | 'answerAddress'>;
  readonly signIn: Pick<OwnSignInService, 'ask' | 'confirmed'>;
  readonly sessions: Pick<OwnSessionStore, 'take'>;
  readonly host: string;
  readonly clock: Clock;
  readonly random: Random;
}

/** A token as its owner sees it. */
interface OwnToken extends Pick<DescribedToken, 'serial' | 'description' | 'createdAt' | 'lastSuccessAt'> {
  /** `off`: it takes no responses, as after `lock`. `locked`: after too many wrong ones. */
  readonly state: 'active' | 'locked' | 'off' | 'rollout';
  /** True for the one that signed in. */
  readonly isPresent: boolean;
}

/** The roll-out of another token. Its secrets are shown this once. */
interface OwnEnrolment {
  readonly serial: string;
  /** `lseqr://init?…` */
  readonly init: string;
  readonly activationCode: string;
  /** `lseqr://nonce?…` */
  readonly nonce: string;
  /** The transaction whose response completes the roll-out. */
  readonly transactionId: string;
}

/** Tokens of one person in a realm at most, of any state, that enrolment leads to. */
const MAX_TOKENS = 10;

/**
 * What people do with their own tokens, as far as policies let them. Every act is that of the services of
 * administrators, done for the owner's tokens alone and under the owner's name in the audit.
 */
export class OwnTokenService {
  readonly #deps: OwnTokenDependencies;

  constructor(dependencies: OwnTokenDependencies) {
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
   * Locks the token of a lost phone. That of this session ends it.
   * @throws ServiceError 'path.unknown', 'token.unknown', 'token.state' for the second factor of an administrator, who
   *   could not sign in to undo it
   */
  async lock(session: KnownOwnSession, serial: string, act: Act): Promise<void> {
    assertAllowed(session, 'lock');
    const selection = await this.#selection(session, serial, act);
    await this.#deps.tokens.lose(callerOf(session, act), selection, assertNoSecondFactor);
  }

  /**
   * Asks the token of this session to confirm that another one is enrolled.
   * @throws ServiceError 'path.unknown', 'token.exists' for too many tokens, 'configuration.invalid' where the new one
   *   would get no address for its responses
   */
  async askToEnrol(
    session: KnownOwnSession,
    language: OwnLanguage,
    act: Act,
  ): Promise<{ readonly transactionId: string; readonly url: string }> {
    assertAllowed(session, 'enrol');
    await this.#assertRoom(session, act);
    const { enrolment, signIn, host } = this.#deps;
    const { person } = session;
    const named = { user: person.login, realm: person.realm };
    const { values } = await enrolment.answerAddress(callerOf(session, act), named);
    if (values !== 1) {
      throw new ServiceError(
        'configuration.invalid',
        'No phone can be added now: the policies of this server give it no address for its responses',
      );
    }
    return signIn.ask(session, confirmedText('enrol', language, person, host), act);
  }

  /**
   * Enrols another token, once for each confirmation.
   * @param response undefined: the app may have sent it itself
   * @returns undefined for a wrong response; `waiting` while there is none
   * @throws ServiceError 'path.unknown', 'sign-in.ended', 'token.exists', 'parameter.invalid'
   */
  async enrol(
    session: KnownOwnSession,
    { response, description }: { readonly response: string | undefined; readonly description: string },
    language: OwnLanguage,
    act: Act,
  ): Promise<OwnEnrolment | 'waiting' | undefined> {
    assertAllowed(session, 'enrol');
    readDescription(description);
    const { signIn, sessions } = this.#deps;
    const verdict = await signIn.confirmed(session, response, act);
    if (verdict !== true) {
      return verdict;
    }
    const { hash, transactionId, person } = session;
    if (!(await sessions.take(hash, transactionId ?? '', person, ownAct(act, person)))) {
      throw new ServiceError('sign-in.ended', 'This confirmation has served already');
    }
    await this.#assertRoom(session, act);
    return this.#rollOut(session, description, language, act);
  }

  async #rollOut(
    session: KnownOwnSession,
    description: string,
    language: OwnLanguage,
    act: Act,
  ): Promise<OwnEnrolment> {
    const { enrolment, tokens, random, host } = this.#deps;
    const { person } = session;
    const caller = callerOf(session, act);
    const owner = { type: 'ocra2', user: person.login, realm: person.realm };
    const begun = await enrolment.init(caller, { ...owner, description, genkey: '1', sharedsecret: '1' });
    const { serial } = begun;
    try {
      // Others of the same person may have been enrolled at the same time.
      await this.#assertRoom(session, act, 0);
      await this.#makeAsStrict(session, serial, act);
      const activationCode = randomActivationCode(random);
      const message = confirmedText('first', language, person, host);
      const request = { ...owner, serial, activationcode: activationCode, message };
      return enrolmentOf(begun, await enrolment.init(caller, request), activationCode);
    } catch (error) {
      await tokens.remove(caller, { serial });
      throw error;
    }
  }

  /** The new token asks for as much as the one that confirmed it: its PIN, and what the policies of its realms want. */
  async #makeAsStrict(session: KnownOwnSession, to: string, act: Act): Promise<void> {
    const { tokens } = this.#deps;
    const caller = callerOf(session, act);
    const first = presentOf(session, await this.#tokens(session, act));
    if (first.hasPin) {
      await tokens.copyPin(caller, { from: first.serial, to });
    }
    if (first.realms.join() !== session.person.realm) {
      await tokens.setRealms(caller, { serial: to, realms: first.realms });
    }
  }

  /** @param further tokens to come */
  async #assertRoom(session: KnownOwnSession, act: Act, further = 1): Promise<void> {
    const tokens = await this.#tokens(session, act);
    const { ocraSuite } = presentOf(session, tokens);
    if (ocraSuite !== null && parseOcraSuite(ocraSuite).pin !== undefined) {
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
    const { login: user, realm } = session.person;
    return tokens.some((token) => token.serial === serial)
      ? { serial, user, realm }
      : nothingSelected({ serial });
  }

  #tokens(session: KnownOwnSession, act: Act): Promise<readonly DescribedToken[]> {
    const { login: user, realm } = session.person;
    return this.#deps.tokens.list(callerOf(session, act), { user, userRealm: realm, realm });
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

/** Without a policy, the act is not there at all. @throws ServiceError 'path.unknown' */
function assertAllowed({ acts }: KnownOwnSession, act: OwnAct): void {
  if (!acts.has(act)) {
    throw notThere();
  }
}

/** The session has proven the person, and the policy was asked: the services are asked by the server itself. */
function callerOf({ person }: KnownOwnSession, act: Act) {
  return serverCaller(ownAct(act, person));
}

/** @returns the token of the session. @throws ServiceError 'token.unknown' where it has just gone */
function presentOf({ serial }: KnownOwnSession, tokens: readonly DescribedToken[]): DescribedToken {
  return tokens.find((token) => token.serial === serial) ?? nothingSelected({ serial });
}

function stateOf(token: DescribedToken, now: Date): OwnToken['state'] {
  if (token.rollout !== 'complete') {
    return 'rollout';
  }
  if (!isUsable(token, now)) {
    return 'off';
  }
  return isLocked(token) ? 'locked' : 'active';
}

function enrolmentOf(begun: Enrolled, started: Enrolled, activationCode: string): OwnEnrolment {
  if (begun.kind !== 'phase1' || started.kind !== 'phase2') {
    throw new Error('a roll-out has two phases');
  }
  const { appImport: nonce, transactionId } = started;
  return { serial: begun.serial, init: begun.appImport, activationCode, nonce, transactionId };
}
