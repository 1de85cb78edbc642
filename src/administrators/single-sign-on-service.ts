import type { Clock, Random } from '../kernel/clock.ts';
import { equalText } from '../kernel/constant-time.ts';
import { type ErrorPayloads, ServiceError } from '../kernel/errors.ts';
import { plainName } from '../kernel/text.ts';
import type { Act } from '../policy/caller.ts';
import { PERSON } from '../policy/policy-conditions.ts';
import type { SealedSignOns } from './json-web-tokens.ts';
import type { Login, LoginService } from './login-service.ts';
import type {
  IdentifiedPerson,
  OpenidProvider,
  OpenidSettings,
  ProviderAnswer,
  ProviderSignIn,
} from './openid-provider.ts';
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

interface SingleSignOnDependencies extends Pick<SingleSignOnSettings, 'groups' | 'lifetime'> {
  readonly provider: Pick<OpenidProvider, 'authorizationUrl' | 'identify'>;
  readonly seal: SealedSignOns;
  readonly attempts: Pick<SignInStore, 'openForPerson'>;
  readonly logins: Pick<LoginService, 'sign'>;
  readonly clock: Clock;
  readonly random: Random;
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
  readonly #deps: SingleSignOnDependencies;

  constructor(dependencies: SingleSignOnDependencies) {
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
    const signIn = await this.#openSignOn(attempt, answer.state);
    const person = await this.#deps.provider.identify(answer, signIn);
    if (person === undefined) {
      throw refused('provider', 'The identity provider did not sign you in');
    }
    const name = nameOf(person);
    const groups = this.#groupsOf(person);
    if (groups.length === 0) {
      throw refused('groups', 'None of your groups may sign in here', name);
    }
    const { attempts, logins, random, clock, lifetime } = this.#deps;
    const session = newSession(random);
    const now = clock.now();
    const expiresAt = new Date(now.getTime() + lifetime * 1000);
    const opened = { hash: sessionHash(session, 'login'), expiresAt };
    const signOn = { hash: secretHash(`sign-on ${signIn.state}`), now, rememberedUntil: dayAfter(now) };
    if (!(await attempts.openForPerson({ name, groups }, opened, signOn, { ...act, actor: name }))) {
      throw ended();
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
    if (signIn === undefined || !equalText(signIn.state, state)) {
      throw ended();
    }
    return signIn;
  }

  #groupsOf({ groups }: IdentifiedPerson): readonly string[] {
    const mapped = groups.flatMap((group) => this.#deps.groups.get(group) ?? []);
    return [...new Set(mapped)].sort();
  }
}

/** A sealed sign-on expires long before, whatever the clocks of the servers differ. */
function dayAfter(now: Date): Date {
  return new Date(now.getTime() + 86_400_000);
}

/** A name is not mended: two accounts at the provider could become one person. */
function nameOf({ name = '' }: IdentifiedPerson): string {
  if (name !== plainName(name) || !/^[\p{L}\p{N}][\p{L}\p{N}\p{M}._@+-]{0,127}$/u.test(name)) {
    throw refused('name', 'The identity provider gave no name that this server takes');
  }
  return PERSON + name;
}

function ended(): ServiceError {
  return new ServiceError(
    'sign-in.ended',
    'This sign-in has ended, or was begun in another browser: begin again',
  );
}

function refused(
  reason: NonNullable<ErrorPayloads['sign-in.refused']['reason']>,
  message: string,
  account?: string,
): ServiceError {
  return new ServiceError('sign-in.refused', message, {
    credentials: 'single sign-on',
    reason,
    ...(account !== undefined && { account }),
  });
}
