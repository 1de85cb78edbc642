import { ServiceError } from '../kernel/errors.ts';
import type { DirectoryUser, UserSources } from '../resolvers/user-source.ts';
import { findInForms } from '../resolvers/resolver-lookup.ts';
import { ResolverUnavailable } from '../resolvers/resolver-unavailable.ts';
import { plainResolverName } from '../policy/policy-users.ts';
import { findRealm, type Realm, type Resolver, type Configuration } from '../configuration/configuration.ts';
import type { ManagedUserStore } from './managed-user-store.ts';
import type { Owner } from './owner.ts';
import type { ManagedUser } from './user-draft.ts';

/** A user, with the resolver and realm that they were found in. */
export interface ResolvedUser extends DirectoryUser {
  readonly resolver: Resolver;
  readonly realm: Realm;
}

/** The name of a user in a request. */
export interface UserReference {
  /** A login, or `login@realm` where no realm is given. */
  readonly user: string;
  /** In any case; empty or absent: what follows the last `@` of the user, or else the default realm. */
  readonly realm?: string | undefined;
  /** The only resolver to ask; absent: all of the realm. */
  readonly resolver?: string | undefined;
}

const MAX_LOGIN_LENGTH = 320;

/** Finds users in the resolvers of realms. */
export class UserDirectory {
  readonly #sources: UserSources;

  constructor({ sources }: { sources: UserSources }) {
    this.#sources = sources;
  }

  /**
   * @param within names of the realms to search; users of other realms are unknown
   * @throws ServiceError 'user.unknown' with the login without a possible realm, 'resolver.unavailable'
   */
  async resolve(
    configuration: Configuration,
    reference: UserReference,
    within: 'all' | readonly string[] = 'all',
  ): Promise<ResolvedUser> {
    const found = await this.find(configuration, reference, within);
    if (found === undefined) {
      const user = shorten(reference.user);
      throw new ServiceError('user.unknown', `There is no user '${user}'`, {
        user,
        login: shorten(loginOf(reference)),
      });
    }
    return found;
  }

  /**
   * @returns the user of that login in the first resolver of the realm that has them; in each, the exact spelling
   *   comes before another Unicode form of it
   * @throws ServiceError 'resolver.unavailable': a resolver that fails is not skipped, because a later one may have
   *   another user of the same login
   */
  async find(
    configuration: Configuration,
    reference: UserReference,
    within: 'all' | readonly string[] = 'all',
  ): Promise<ResolvedUser | undefined> {
    const { login, realm } = locate(configuration, reference);
    const isWithin = realm !== undefined && (within === 'all' || within.includes(realm.name));
    if (!isWithin || !isLogin(login)) {
      return undefined;
    }
    for (const resolver of resolversOf(configuration, realm, reference.resolver)) {
      const user = await this.#findIn(resolver, login, realm);
      if (user !== undefined) {
        return { ...user, resolver, realm };
      }
    }
    return undefined;
  }

  /** @throws ServiceError 'resolver.unavailable' that names the realm for operators */
  async #findIn(resolver: Resolver, login: string, realm: Realm): Promise<DirectoryUser | undefined> {
    try {
      const source = this.#sources(resolver);
      return await findInForms(login, async (form) => {
        const user = await source.findByLogin(form);
        return user?.login === form ? user : undefined;
      });
    } catch (error) {
      throw error instanceof ResolverUnavailable ? error.inRealm(realm.name) : error;
    }
  }

  /**
   * @returns true if it is the user's password; false where the resolver is gone or keeps no passwords
   * @throws ServiceError 'resolver.unavailable'
   */
  async checkPassword(
    configuration: Configuration,
    owner: Pick<Owner, 'resolverId' | 'userId'>,
    password: string,
  ): Promise<boolean> {
    const resolver = configuration.resolvers.find(({ id }) => id === owner.resolverId);
    return resolver !== undefined && this.#sources(resolver).checkPassword(owner.userId, password);
  }
}

/** @returns the user of a managed resolver; the login of one that was imported may be decomposed, others are composed */
export function findManaged(
  users: Pick<ManagedUserStore, 'findByLogin'>,
  resolverId: string,
  login: string,
): Promise<ManagedUser | undefined> {
  return findInForms(login, (form) => users.findByLogin(resolverId, form));
}

function resolversOf(
  configuration: Configuration,
  realm: Realm,
  only: string | undefined,
): readonly Resolver[] {
  const meant = realm.resolvers.filter((name) => only === undefined || name === plainResolverName(only));
  return meant.flatMap((name) => configuration.resolvers.filter((resolver) => resolver.name === name));
}

function locate(
  configuration: Configuration,
  { user, realm = '', resolver }: UserReference,
): { login: string; realm: Realm | undefined } {
  if (realm.trim() !== '') {
    return { login: user, realm: findRealm(configuration, realm) };
  }
  const at = user.lastIndexOf('@');
  const behind = at < 0 ? '' : user.slice(at + 1).trim();
  const named = behind === '' ? undefined : findRealm(configuration, behind);
  return named === undefined
    ? { login: user, realm: realmWith(configuration, resolver) }
    : { login: user.slice(0, at), realm: named };
}

/** @returns the text before the last `@`, also where no realm has the name after it */
function loginOf({ user, realm = '' }: UserReference): string {
  const at = realm.trim() === '' ? user.lastIndexOf('@') : -1;
  return at < 0 ? user : user.slice(0, at);
}

/** @returns the default realm; for one resolver that it lacks, the first realm by name that has it */
function realmWith(configuration: Configuration, resolver: string | undefined): Realm | undefined {
  const usual = findRealm(configuration, '');
  if (resolver === undefined) {
    return usual;
  }
  const has = ({ resolvers }: Realm): boolean => resolvers.includes(plainResolverName(resolver));
  return usual !== undefined && has(usual) ? usual : configuration.realms.find(has);
}

/** @returns true if to search for it: some sources fail on NUL or on unpaired surrogates */
function isLogin(text: string): boolean {
  return text.length <= MAX_LOGIN_LENGTH && text.trim() !== '' && !/\p{Cc}|\p{Cs}/u.test(text);
}

function shorten(text: string): string {
  return text.length > MAX_LOGIN_LENGTH ? `${text.slice(0, MAX_LOGIN_LENGTH)}…` : text;
}
