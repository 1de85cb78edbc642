import type { Clock, Random } from '../kernel/clock.ts';
import { equalText } from '../kernel/constant-time.ts';
import { ServiceError } from '../kernel/errors.ts';
import type { Act } from '../policy/caller.ts';
import { PERSON } from '../policy/policy-users.ts';
import type { Login, LoginService } from './login-service.ts';
import { isSessionShaped, newSession, sessionHash } from './session-secrets.ts';
import { attemptHash, SIGN_IN_LIFETIME } from './sign-in-service.ts';
import type { SignInStore } from './sign-in-ports.ts';

/** The secrets of one sign-in at the provider. */
export interface ProviderSignIn {
  /** Ties the answer to the browser that asked (RFC 6749 section 10.12). */
  readonly state: string;
  /** Ties the ID token to this sign-in (OpenID Connect Core, section 3.1.2.1). */
  readonly nonce: string;
  /** Ties the code to this server (RFC 7636). */
  readonly verifier: string;
}

/** The parameters with which the provider sends the browser back. */
export type ProviderAnswer = Readonly<
  Partial<Record<'code' | 'state' | 'iss' | 'error', string | undefined>>
>;

/** The person whom a provider has identified. */
export interface IdentifiedPerson {
  readonly name: string | undefined;
  /** As the provider names them. */
  readonly groups: readonly string[];
}

/** An OpenID Connect provider. */
export interface IdentityProvider {
  /** @returns the URL that the browser opens. @throws ServiceError 'sign-in.unavailable' */
  authorizationUrl(signIn: ProviderSignIn): Promise<string>;
  /** @returns undefined for an answer that proves nothing. @throws ServiceError 'sign-in.unavailable' */
  identify(answer: ProviderAnswer, signIn: ProviderSignIn): Promise<IdentifiedPerson | undefined>;
}

interface SingleSignOnDependencies {
  readonly provider: IdentityProvider;
  readonly attempts: SignInStore;
  readonly logins: Pick<LoginService, 'sign'>;
  /** Groups of policies by the provider's. */
  readonly groups: ReadonlyMap<string, string>;
  /** Seconds. */
  readonly lifetime: number;
  readonly clock: Clock;
  readonly random: Random;
}

/** A sign-in that the browser goes on with at the provider. */
export interface BegunSingleSignOn {
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

  /**
   * @param client the name under which limits count the client
   * @throws ServiceError 'sign-in.unavailable', 'server.busy'
   */
  async begin(client: string, act: Act): Promise<BegunSingleSignOn> {
    const { provider, attempts, random, clock } = this.#deps;
    const attempt = newSession(random);
    const signIn = { state: newSession(random), nonce: newSession(random), verifier: newSession(random) };
    const url = await provider.authorizationUrl(signIn);
    const expiresAt = new Date(clock.now().getTime() + SIGN_IN_LIFETIME * 1000);
    const content = { kind: 'oidc', ...signIn } as const;
    await attempts.begin({ hash: attemptHash(attempt), content, expiresAt, client }, clock.now(), act);
    return { attempt, expiresAt, url };
  }

  /**
   * @param attempt the secret of the browser
   * @throws ServiceError 'sign-in.ended', 'sign-in.refused', 'sign-in.unavailable'
   */
  async finish(
    attempt: string | undefined,
    answer: ProviderAnswer,
    act: Act,
  ): Promise<{ readonly name: string; readonly login: Login }> {
    const signIn = await this.#take(attempt, answer.state);
    const person = await this.#deps.provider.identify(answer, signIn);
    if (person === undefined) {
      throw refused('The identity provider did not sign you in');
    }
    const name = nameOf(person);
    const groups = this.#groupsOf(person);
    if (groups.length === 0) {
      throw refused('None of your groups may sign in here', name);
    }
    const { attempts, logins, random, clock, lifetime } = this.#deps;
    const session = newSession(random);
    const expiresAt = new Date(clock.now().getTime() + lifetime * 1000);
    const opened = { hash: sessionHash(session, 'login'), expiresAt };
    await attempts.openForPerson({ name, groups }, opened, { ...act, actor: name });
    return { name, login: await logins.sign(name, { session, expiresAt }) };
  }

  /** Ends the sign-in, unless the answer belongs to another one: a page elsewhere must not end it. */
  async #take(attempt: string | undefined, state = ''): Promise<ProviderSignIn> {
    const { attempts, clock } = this.#deps;
    const hash = attemptHash(attempt ?? '');
    const isShaped = attempt !== undefined && isSessionShaped(attempt);
    const found = isShaped ? await attempts.find(hash, ['oidc'], clock.now()) : undefined;
    if (found?.content.kind !== 'oidc' || !equalText(found.content.state, state)) {
      throw ended();
    }
    const taken = await attempts.take(hash, ['oidc'], clock.now());
    if (taken?.content.kind !== 'oidc') {
      throw ended();
    }
    return taken.content;
  }

  #groupsOf({ groups }: IdentifiedPerson): readonly string[] {
    const mapped = groups.flatMap((group) => this.#deps.groups.get(group) ?? []);
    return [...new Set(mapped)].sort();
  }
}

/** A name is not mended: two accounts at the provider could become one person. */
function nameOf({ name = '' }: IdentifiedPerson): string {
  const isComposed = name === name.normalize('NFC');
  if (!isComposed || !/^[\p{L}\p{N}][\p{L}\p{N}\p{M}._@+-]{0,127}$/u.test(name)) {
    throw refused('The identity provider gave no name that this server takes');
  }
  return PERSON + name;
}

function ended(): ServiceError {
  return new ServiceError(
    'sign-in.ended',
    'This sign-in has ended, or was begun in another browser: begin again',
  );
}

function refused(message: string, account?: string): ServiceError {
  return new ServiceError('sign-in.refused', message, {
    credentials: 'single sign-on',
    ...(account !== undefined && { account }),
  });
}
