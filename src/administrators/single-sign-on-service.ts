import type { Clock, Random } from '../kernel/clock.ts';
import { equalText } from '../kernel/constant-time.ts';
import { type ErrorPayloads, isServiceError, ServiceError } from '../kernel/errors.ts';
import type { Log } from '../kernel/log.ts';
import { plainName, safeText, storableForm } from '../kernel/text.ts';
import type { Act } from '../policy/caller.ts';
import { PERSON } from '../policy/policy-conditions.ts';
import type { SealedSignOns } from './json-web-tokens.ts';
import type { Login, LoginService } from './login-service.ts';
import type { OpenidProvider, OpenidSettings, ProviderAnswer, ProviderSignIn } from './openid-provider.ts';
import { newSession, secretHash, sessionHash, SIGN_IN_LIFETIME } from './session.ts';
import type { SignInStore } from './sign-in-store.ts';

/** A provider of single sign-on. */
export interface SingleSignOnSettings extends OpenidSettings {
  /** Groups of policies by the provider's. */
  readonly groups: ReadonlyMap<string, string>;
  /** The name of the provider for people. */
  readonly provider?: string | undefined;
  /** Seconds. */
  readonly lifetime: number;
}

/** A sign-in that the browser goes on with at the provider. */
interface BegunSingleSignOn {
  /** The sealed sign-on, for a cookie. */
  readonly attempt: string;
  readonly expiresAt: Date;
  readonly url: string;
}

/**
 * Signs people in by an OpenID Connect provider (authorization code flow with PKCE, state and nonce). They have no
 * password here, and only the rights of policies that name them or their groups.
 */
export class SingleSignOnService {
  readonly #deps;

  constructor(
    dependencies: Pick<SingleSignOnSettings, 'groups' | 'lifetime' | 'nameClaim' | 'groupsClaim'> & {
      readonly provider: Pick<OpenidProvider, 'authorizationUrl' | 'identify'>;
      readonly seal: SealedSignOns;
      readonly attempts: Pick<SignInStore, 'openForPerson'>;
      readonly logins: Pick<LoginService, 'sign'>;
      readonly log: Pick<Log, 'warn'>;
      readonly clock: Clock;
      readonly random: Random;
    },
  ) {
    this.#deps = dependencies;
  }

  /** @throws ServiceError 'sign-in.unavailable' */
  async begin(): Promise<BegunSingleSignOn> {
    const { provider, seal, random, clock } = this.#deps;
    const signIn = { state: newSession(random), nonce: newSession(random), verifier: newSession(random) };
    const url = await provider.authorizationUrl(signIn);
    const expiresAt = new Date(clock.now().getTime() + SIGN_IN_LIFETIME * 1000);
    return { attempt: await seal.seal(signIn, expiresAt), expiresAt, url };
  }

  /**
   * @param attempt the sealed sign-on that the browser keeps
   * @throws ServiceError 'sign-in.ended', 'sign-in.refused', 'sign-in.unavailable'
   */
  async finish(
    attempt: string | undefined,
    answer: ProviderAnswer,
    act: Act,
  ): Promise<{ readonly name: string; readonly login: Login }> {
    try {
      return await this.#finish(attempt, answer, act);
    } catch (error) {
      this.#logRefused(error, act);
      throw error;
    }
  }

  async #finish(
    attempt: string | undefined,
    answer: ProviderAnswer,
    act: Act,
  ): Promise<{ readonly name: string; readonly login: Login }> {
    const signIn = await this.#openSignOn(attempt, answer.state);
    const { nameClaim, groupsClaim, provider } = this.#deps;
    const person = await provider.identify(answer, signIn, act.requestId);
    if ('unproven' in person) {
      throw refused('provider', 'The identity provider did not sign you in', { why: person.unproven });
    }
    if (!isName(person.name)) {
      const why = `no name that can be taken: ${describeClaim(nameClaim, person.name)}`;
      throw refused('name', 'The identity provider gave no name that this server takes', { why });
    }
    const name = PERSON + person.name;
    const groups = this.#groupsOf(person.groups);
    if (groups.length === 0) {
      const why = `no group that may sign in: ${describeClaim(groupsClaim, person.groups)}`;
      throw refused('groups', 'None of your groups may sign in here', { person: name, why });
    }
    const { attempts, logins, random, clock, lifetime } = this.#deps;
    const session = newSession(random);
    const now = clock.now();
    const expiresAt = new Date(now.getTime() + lifetime * 1000);
    const opened = { hash: sessionHash(session, 'login'), expiresAt };
    const signOn = { hash: secretHash(`sign-on ${signIn.state}`), now, rememberedUntil: dayAfter(now) };
    if (!(await attempts.openForPerson({ name, groups }, opened, signOn, { ...act, actor: name }))) {
      throw ended({ person: name, why: 'it has signed in before' });
    }
    return { name, login: await logins.sign(name, { session, expiresAt }) };
  }

  /**
   * That it has served already is noticed when its session is to be opened: only for people whom the provider has named
   * is anything stored.
   * @throws ServiceError 'sign-in.ended' also for the answer to another sign-in, begun by somebody else (login CSRF)
   */
  async #openSignOn(attempt: string | undefined, state = ''): Promise<ProviderSignIn> {
    const { seal, clock } = this.#deps;
    const signIn = attempt === undefined ? undefined : await seal.open(attempt, clock.now());
    if (signIn === undefined) {
      throw ended({ why: 'begun in another browser, or expired' });
    }
    if (!equalText(signIn.state, state)) {
      throw ended({ why: 'the answer to another sign-in' });
    }
    return signIn;
  }

  #groupsOf(claim: unknown): readonly string[] {
    const mapped = textsOf(claim).flatMap((group) => this.#deps.groups.get(group) ?? []);
    return [...new Set(mapped)].sort();
  }

  /** The provider's part has logged its own failures. */
  #logRefused(error: unknown, { requestId }: Act): void {
    if (!isServiceError(error, 'sign-in.ended') && !isServiceError(error, 'sign-in.refused')) {
      return;
    }
    const { why, person } = error.payload;
    if (!('reason' in error.payload) || error.payload.reason !== 'provider') {
      const fields = { component: 'sign-in', requestId, administrator: person, reason: why };
      this.#deps.log.warn('Single sign-on refused', fields);
    }
  }
}

/** A sealed sign-on expires long before, whatever the clocks of the servers differ. */
function dayAfter(now: Date): Date {
  return new Date(now.getTime() + 86_400_000);
}

/** A name is not mended: two accounts at the provider could become one person. */
function isName(name: unknown): name is string {
  return (
    typeof name === 'string' &&
    name === plainName(name) &&
    /^[\p{L}\p{N}][\p{L}\p{N}\p{M}._@+-]{0,127}$/u.test(name)
  );
}

function textsOf(claim: unknown): readonly string[] {
  const values: readonly unknown[] = Array.isArray(claim) ? claim : [claim];
  return values.filter((value) => typeof value === 'string');
}

/** Characters of one text of a claim in log and audit, and of all of them but the last. */
const MAX_SHOWN = 100;
const MAX_SHOWN_TOGETHER = 250;

/** @returns whether the claim is there, and what it has, bounded and harmless */
function describeClaim(claim: string, value: unknown): string {
  if (value === undefined) {
    return `the claim ${claim} is not there`;
  }
  const texts = textsOf(value);
  const shown: string[] = [];
  while (shown.length < texts.length && shown.join(', ').length < MAX_SHOWN_TOGETHER) {
    shown.push(safeText(storableForm(texts[shown.length]?.slice(0, MAX_SHOWN) ?? '')));
  }
  const others = texts.length - shown.length;
  const more = others === 0 ? '' : ` and ${others} others`;
  return `the claim ${claim} has ${texts.length === 0 ? 'no text' : `${shown.join(', ')}${more}`}`;
}

function ended(facts: ErrorPayloads['sign-in.ended']): ServiceError {
  return new ServiceError(
    'sign-in.ended',
    'This sign-in has ended, or was begun in another browser: begin again',
    facts,
  );
}

function refused(
  reason: NonNullable<ErrorPayloads['sign-in.refused']['reason']>,
  message: string,
  facts: ErrorPayloads['sign-in.ended'],
): ServiceError {
  return new ServiceError('sign-in.refused', message, { credentials: 'single sign-on', reason, ...facts });
}
