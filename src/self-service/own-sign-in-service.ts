import { createHash } from 'node:crypto';
import type { SecondStep, ShownFactor } from '../administrators/second-step.ts';
import { isSessionShaped, newSession, SIGN_IN_LIFETIME } from '../administrators/session.ts';
import type { ConfigurationStore } from '../configuration/configuration-store.ts';
import type { Configuration, Realm } from '../configuration/configuration.ts';
import { equalText } from '../kernel/constant-time.ts';
import type { Clock, Random } from '../kernel/clock.ts';
import { isServiceError, ServiceError } from '../kernel/errors.ts';
import type { Act } from '../policy/caller.ts';
import type { TokenStore } from '../tokens/token-store.ts';
import {
  isFactorToken,
  isLocked,
  isOwnedBy,
  isReserved,
  isUsable,
  lastUse,
  type Token,
} from '../tokens/token.ts';
import { meanings, noneOfSeveral, type ResolvedUser, type UserDirectory } from '../users/user-directory.ts';
import type { Asked, OwnSession, OwnSessionStore } from './own-session-store.ts';
import {
  allowedActs,
  type Asks,
  confirmedText,
  isSamePerson,
  MAX_SIGN_INS,
  opening,
  type OwnAct,
  ownAct,
  type OwnLanguage,
  type Person,
  personName,
  personOf,
  writtenName,
} from './person.ts';

/** A user as the sign-in names them. */
interface NamedUser {
  readonly user: string;
  readonly realm?: string | undefined;
}

/** The user who is meant, if anybody is who may sign in. */
interface MeantUser {
  /** The name under which limits count wrong passwords of everybody. */
  readonly limitedAs: string;
  /** The name under which limits count those of one person; nobody has another one. */
  readonly person: string;
  readonly found: ResolvedUser | undefined;
  /** The resolver to ask for the password, also of nobody; undefined: there is none. */
  readonly asked: string | undefined;
}

/** What a token is asked for: the response to a challenge, or of HOTP or TOTP. */
export type AskedToken = Exclude<ShownFactor, { readonly kind: 'passkey' }>;

/** A sign-in whose password was right. */
interface BegunOwnSignIn {
  /** The secret that the second step shows. */
  readonly attempt: string;
  readonly expiresAt: Date;
  readonly asked: AskedToken;
  /** The place in `tokens` of the one that is asked. */
  readonly token: number;
  /** The ends of the serials of all tokens that can be asked: a password alone shows no more. */
  readonly tokens: readonly string[];
}

/** A session that was opened. */
interface OpenedOwnSession {
  readonly secret: string;
  readonly csrfToken: string;
  readonly endsAt: Date;
}

/** A session as its requests find it. */
export interface KnownOwnSession extends OwnSession {
  readonly hash: Buffer;
  readonly acts: ReadonlySet<OwnAct>;
  readonly csrfToken: string;
}

/** Seconds for which a session goes on without a request. */
const IDLE_LIFETIME = 300;
/** Seconds after which a session ends, whatever is done in it. */
const LONGEST_SESSION = 1_800;
/** The id of no user: a password is checked for it where nobody is meant, so that the answer takes as long. */
const NOBODY = 'nobody';

/**
 * Signs users in at the account page: by the password of their directory, and a response of an own token. As long as no
 * policy of the scope selfservice covers the client, there is no such page.
 */
export class OwnSignInService {
  readonly #deps;

  constructor(dependencies: {
    readonly configuration: Pick<ConfigurationStore, 'current'>;
    readonly users: Pick<UserDirectory, 'find' | 'checkPassword'>;
    readonly tokenStore: Pick<TokenStore, 'ofOwner' | 'findBySerial'>;
    readonly sessions: OwnSessionStore;
    readonly secondStep: Pick<SecondStep, 'request' | 'verify'>;
    /** The name of this server for people, as in the text that the app displays. */
    readonly host: string;
    readonly clock: Clock;
    readonly random: Random;
  }) {
    this.#deps = dependencies;
  }

  /** @throws ServiceError 'path.unknown' without a policy, 'resolver.unavailable' */
  async meant(named: NamedUser, client: string): Promise<MeantUser> {
    const configuration = await this.#deps.configuration.current();
    const asks = { client, at: this.#deps.clock.now() };
    assertOffered(configuration, asks);
    const meant = meanings(configuration, named);
    const offered = offeredRealms(configuration, asks).filter(({ name }) =>
      meant.some(({ realm }) => name === realm?.name),
    );
    const found = offered.length > 0 ? await this.#find(configuration, named) : undefined;
    const { login, realm } = meant.at(-1) ?? { login: named.user };
    const limitedAs = writtenName({ login, realm: realm?.name ?? '' });
    return {
      limitedAs,
      person: found === undefined ? `${NOBODY} ${limitedAs}` : personName(personOf(found)),
      found: found && mayDoAnything(configuration, found, asks) ? found : undefined,
      asked: found?.resolver.id ?? insteadOf(configuration, asks, offered),
    };
  }

  #find(configuration: Configuration, named: NamedUser): Promise<ResolvedUser | undefined> {
    return this.#deps.users.find(configuration, named).catch(noneOfSeveral);
  }

  /**
   * @param token the place of the token to ask among those that can be; undefined: the one used last
   * @param count called for a right password, before a token is asked; throws where too many sign-ins were begun
   * @returns undefined for a wrong password and a login that nobody has; `no token` for a person of whom none can answer
   * @throws ServiceError 'sign-in.refused' where a first wrong response would lock each token of the person,
   *   'resolver.unavailable', 'server.busy', 'too-many-requests' for too many that are under way
   */
  async begin(
    { found, asked }: MeantUser,
    { password, token: place }: { readonly password: string; readonly token: string | undefined },
    language: OwnLanguage,
    count: () => Promise<void>,
    act: Act,
  ): Promise<BegunOwnSignIn | 'no token' | undefined> {
    const configuration = await this.#deps.configuration.current();
    const checked = { resolverId: asked ?? '', userId: found?.userId ?? NOBODY };
    const isRight = await this.#deps.users.checkPassword(configuration, checked, password);
    if (!isRight || found === undefined) {
      return undefined;
    }
    const person = personOf(found);
    const ready = await this.#ready(person);
    if (ready.length > 0 && ready.every(locksAtOnce)) {
      await count();
      throw noneIsKept(person);
    }
    const tokens = ready.filter((token) => !isReserved(token));
    const latest = tokens.toSorted((one, other) => lastUse(other) - lastUse(one))[0];
    const token = place === undefined ? latest : tokens.find((_one, index) => String(index) === place);
    if (token === undefined) {
      return 'no token';
    }
    await this.#assertFewPending(person);
    await count();
    return this.#request(person, token, tokens, language, ownAct(act, person));
  }

  /** @throws ServiceError 'too-many-requests' */
  async #assertFewPending(person: Person): Promise<void> {
    if ((await this.#deps.sessions.countPending(person, this.#deps.clock.now())) >= MAX_SIGN_INS) {
      const retryAfter = SIGN_IN_LIFETIME;
      throw new ServiceError('too-many-requests', 'Too many sign-ins are under way', {
        limit: 'begun-sign-ins',
        retryAfter,
      });
    }
  }

  /** @throws ServiceError 'path.unknown', 'sign-in.ended' */
  async pending(secret: string | undefined, client: string): Promise<OwnSession & { readonly hash: Buffer }> {
    const now = this.#deps.clock.now();
    assertOffered(await this.#deps.configuration.current(), { client, at: now });
    const hash = hashOf(secret);
    const found = hash && (await this.#deps.sessions.pending(hash, now));
    return found === undefined ? ended() : { ...found, hash: hash ?? ended() };
  }

  /**
   * @param response undefined: the app may have sent it itself
   * @returns undefined for a wrong response; `waiting` while there is none
   * @throws ServiceError 'sign-in.ended', also where no response is taken any more
   */
  async finish(
    pending: OwnSession & { readonly hash: Buffer },
    response: string | undefined,
    act: Act,
  ): Promise<OpenedOwnSession | 'waiting' | undefined> {
    const verdict = await this.confirmed(pending, response, act);
    if (verdict !== true) {
      return verdict;
    }
    const own = ownAct(act, pending.person);
    const { sessions, clock, random } = this.#deps;
    if ((await this.#present(pending, act.client)).size === 0) {
      await sessions.end(pending.hash, pending.person, own);
      return ended();
    }
    const secret = newSession(random);
    const now = clock.now();
    const endsAt = after(now, LONGEST_SESSION);
    const opened = { hash: ownSessionHash(secret), now, expiresAt: after(now, IDLE_LIFETIME), endsAt };
    return (await sessions.open(pending.hash, pending.person, opened, own))
      ? { secret, csrfToken: csrfTokenOf(secret), endsAt }
      : ended();
  }

  /**
   * Finds the session of a request, and ends it where the token that signed in can no longer answer, or the person may
   * do nothing here any more.
   * @throws ServiceError 'path.unknown', 'sign-in.ended'
   */
  async session(secret: string | undefined, act: Act): Promise<KnownOwnSession> {
    const { configuration, sessions, clock } = this.#deps;
    const now = clock.now();
    assertOffered(await configuration.current(), { client: act.client, at: now });
    const hash = hashOf(secret);
    const found = hash && (await sessions.use(hash, now, after(now, IDLE_LIFETIME)));
    if (found === undefined || hash === undefined || secret === undefined) {
      return ended();
    }
    const acts = await this.#present(found, act.client);
    if (acts.size === 0) {
      await sessions.end(hash, found.person, ownAct(act, found.person));
      return ended();
    }
    return { ...found, hash, acts, csrfToken: csrfTokenOf(secret) };
  }

  /** @throws ServiceError 'sign-in.refused' unless a page of this site has sent the change */
  assertCsrf({ csrfToken }: KnownOwnSession, shown: string | undefined): void {
    if (shown === undefined || !equalText(shown, csrfToken)) {
      throw new ServiceError(
        'sign-in.refused',
        'The value of the header X-CSRF-TOKEN is not that of the session',
        {
          credentials: 'csrf token',
        },
      );
    }
  }

  /** @returns false without a policy that opens the account page to the client: nothing is there then */
  async isOffered(client: string): Promise<boolean> {
    const { policies } = await this.#deps.configuration.current();
    return opening(policies, { client, at: this.#deps.clock.now() }).length > 0;
  }

  /**
   * Asks the token of the session to confirm an act.
   * @throws ServiceError 'token.state' where no response of the token would be taken here
   */
  async ask({ hash, person, serial }: KnownOwnSession, text: string, act: Act): Promise<AskedToken> {
    const { sessions, tokenStore } = this.#deps;
    const token = await tokenStore.findBySerial(serial);
    const asked =
      token !== undefined && !isReserved(token)
        ? await this.#ask(token, text, ownAct(act, person))
        : undefined;
    if (asked === undefined) {
      throw new ServiceError(
        'token.state',
        'The phone with which you signed in confirms nothing here after too many wrong responses: ask your helpdesk',
      );
    }
    return (await sessions.ask(hash, keptOf(asked))) ? asked : ended();
  }

  /**
   * @returns true if the token has confirmed what was asked; undefined for a wrong response
   * @throws ServiceError 'sign-in.ended' where nothing is asked, or no response is taken any more
   */
  async confirmed(
    { person, serial, tokenId, asked }: OwnSession,
    response: string | undefined,
    act: Act,
  ): Promise<true | 'waiting' | undefined> {
    if (asked === null) {
      return ended();
    }
    const requested = { kind: 'token', serial, tokenId, ...asked } as const;
    const verify = (proof: { readonly response?: string | undefined }) =>
      this.#deps.secondStep.verify(act.actor, requested, proof, ownAct(act, person));
    const state = await verify({});
    const verified = state === 'waiting' && response !== undefined ? await verify({ response }) : state;
    if (verified === 'over') {
      return ended();
    }
    return verified === undefined || verified === 'waiting' ? verified : true;
  }

  /** Ends the session. */
  signOut({ hash, person }: KnownOwnSession, act: Act): Promise<void> {
    return this.#deps.sessions.end(hash, person, ownAct(act, person));
  }

  async #request(
    person: Person,
    token: Token,
    tokens: readonly Token[],
    language: OwnLanguage,
    act: Act,
  ): Promise<BegunOwnSignIn | 'no token'> {
    const { sessions, host, random, clock } = this.#deps;
    const { id: tokenId } = token;
    const asked = await this.#ask(token, confirmedText('signIn', language, person, host), act);
    if (asked === undefined) {
      return 'no token';
    }
    const attempt = newSession(random);
    const expiresAt = after(clock.now(), SIGN_IN_LIFETIME);
    const hash = ownSessionHash(attempt);
    if (!(await sessions.begin({ hash, person, tokenId, asked: keptOf(asked), expiresAt }, act))) {
      return 'no token';
    }
    const shown = tokens.map((own) => endOf(own.serial));
    return { attempt, expiresAt, asked, token: tokens.indexOf(token), tokens: shown };
  }

  /** @returns undefined where the token cannot answer: locked, disabled, … meanwhile */
  async #ask(
    { id: tokenId, serial }: Pick<Token, 'id' | 'serial'>,
    text: string,
    act: Act,
  ): Promise<AskedToken | undefined> {
    try {
      const { shown } = await this.#deps.secondStep.request(
        act.actor,
        { kind: 'token', serial, tokenId },
        text,
        act,
      );
      return shown.kind === 'passkey' ? undefined : shown;
    } catch (error) {
      if (isServiceError(error, 'second-factor.unusable')) {
        return undefined;
      }
      throw error;
    }
  }

  /** @returns the tokens of the person that can answer, by serial */
  async #ready(person: Person): Promise<readonly Token[]> {
    const { tokenStore, clock } = this.#deps;
    const { resolverId, userId } = person;
    const tokens = await tokenStore.ofOwner({ resolverId, userId });
    const now = clock.now();
    return tokens.filter((token) => isAnswering(token, person, now) && !isLocked(token));
  }

  /** @returns what the person may do now; nothing where the token can no longer answer, or is another's */
  async #present({ person, serial }: OwnSession, client: string): Promise<ReadonlySet<OwnAct>> {
    const { configuration: store, tokenStore, clock } = this.#deps;
    const token = await tokenStore.findBySerial(serial);
    if (token === undefined || !isOwnedBy(token, person) || !isAnswering(token, person, clock.now())) {
      return new Set();
    }
    const configuration = await store.current();
    const reference = { user: person.login, realm: person.realm };
    const user = await this.#find(configuration, reference);
    return user !== undefined && isSamePerson(personOf(user), person)
      ? allowedActs(configuration.policies, user, { client, at: clock.now() })
      : new Set();
  }
}

/**
 * The sign-in of an administrator is not to be asked for by somebody who knows another password, and policies of the
 * realm are about its tokens, not about those that the person has in other realms.
 */
function isAnswering(token: Token, { realm }: Pick<Person, 'realm'>, now: Date): boolean {
  const isReady = isUsable(token, now) && isFactorToken(token) && token.rollout === 'complete';
  return isReady && !token.isSecondFactor && token.realms.includes(realm);
}

function keptOf(asked: AskedToken): Asked {
  return asked.kind === 'token' ? { transactionId: asked.transactionId } : {};
}

/** The token would keep no wrong response for payments (`isReserved`). */
function locksAtOnce({ maxFail }: Token): boolean {
  return maxFail < 2;
}

function noneIsKept({ login, realm }: Person): ServiceError {
  return new ServiceError(
    'sign-in.refused',
    'A token that the first wrong response locks (maxfail 1) signs nobody in here: ask your helpdesk',
    { credentials: 'token', user: { subject: login, realm } },
  );
}

/** A blank login would name no owner to the services of tokens. */
function mayDoAnything({ policies }: Configuration, user: ResolvedUser, asks: Asks): boolean {
  return user.login.trim() !== '' && allowedActs(policies, user, asks).size > 0;
}

/** @returns the realms for which policies open the account page */
function offeredRealms({ realms, policies }: Configuration, asks: Asks): readonly Realm[] {
  return realms.filter(({ name }) => opening(policies, asks, name).length > 0);
}

/**
 * @param meant the realm that was named, if the page is open for it; empty: any such realm takes its place
 * @returns the id of a resolver, whose check of a password takes the usual time
 */
function insteadOf(configuration: Configuration, asks: Asks, meant: readonly Realm[]): string | undefined {
  const realms = meant.length > 0 ? meant : offeredRealms(configuration, asks);
  const [name] = realms.flatMap(({ resolvers }) => resolvers);
  return configuration.resolvers.find((one) => one.name === name)?.id;
}

/** @throws ServiceError 'path.unknown' without a policy that opens the account page to the client */
function assertOffered({ policies }: Configuration, asks: Asks): void {
  if (opening(policies, asks).length === 0) {
    throw notThere();
  }
}

/** @returns the refusal of what no policy offers: that of a path that does not exist */
export function notThere(): ServiceError {
  return new ServiceError('path.unknown', 'There is nothing at this path');
}

function hashOf(secret: string | undefined): Buffer | undefined {
  return secret !== undefined && isSessionShaped(secret) ? ownSessionHash(secret) : undefined;
}

/** @returns up to four characters, half of the serial at most */
function endOf(serial: string): string {
  return `…${serial.slice(Math.max(serial.length - 4, Math.ceil(serial.length / 2)))}`;
}

function after(now: Date, seconds: number): Date {
  return new Date(now.getTime() + seconds * 1000);
}

/** @throws ServiceError 'sign-in.ended', always */
function ended(): never {
  throw new ServiceError('sign-in.ended', 'This sign-in has ended: begin again with the password');
}

/** @returns the value that the database keeps of the secret of a session: not that of an administrator's with the secret */
function ownSessionHash(secret: string): Buffer {
  return createHash('sha256').update(`user ${secret}`, 'utf8').digest();
}

/** @returns what changes must show beside the cookie, which scripts of other sites cannot read */
function csrfTokenOf(secret: string): string {
  return createHash('sha256').update(`user csrf ${secret}`, 'utf8').digest('base64url');
}
