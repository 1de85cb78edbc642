import { isServiceError, ServiceError } from '../kernel/errors.ts';
import type { DirectoryUser, UserSources } from '../resolvers/user-source.ts';
import { findInOrder } from '../resolvers/resolver-lookup.ts';
import { plainResolverName } from '../policy/policy-conditions.ts';
import { isNotFalse } from '../configuration/settings.ts';
import { findRealm, type Realm, type Resolver, type Configuration } from '../configuration/configuration.ts';
import type { Owner, OwnerId } from './user.ts';

/** A user, with the resolver and realm that they were found in. */
export interface ResolvedUser extends DirectoryUser {
  readonly resolver: Resolver;
  readonly realm: Realm;
}

/** @returns the user as the owner of a token */
export function ownerOf({ resolver, userId, login }: ResolvedUser): Owner {
  return { resolverId: resolver.id, resolver: resolver.name, userId, login };
}

/**
 * Turns the error of `UserDirectory.find` that several users are meant into none: where anybody may ask, it would tell
 * that they exist.
 */
export function noneOfSeveral(error: unknown): undefined {
  if (!isServiceError(error, 'user.ambiguous')) {
    throw error;
  }
}

/** The name of a user in a request. */
export interface UserReference {
  /**
   * A login in any case that the resolver takes for it; where no realm is given, also `login@realm` or, while `splitAtSign`
   * is on, `realm\\login`. Blanks around do not count.
   */
  readonly user: string;
  /** In any case; empty or absent: the one that the user names, or else the default realm. */
  readonly realm?: string | undefined;
  /** The only resolver to ask; absent: all of the realm. */
  readonly resolver?: string | undefined;
}

const MAX_LOGIN_LENGTH = 320;
/** The setting that decides whether the name of a user may include a realm. */
const SPLIT_AT_SIGN = 'splitAtSign';

/** Finds users in the resolvers of realms. */
export class UserDirectory {
  readonly #sources: UserSources;

  constructor({ sources }: { sources: UserSources }) {
    this.#sources = sources;
  }

  /**
   * @param within names of the realms to search; users of other realms are unknown
   * @throws ServiceError 'user.unknown' with the login without a possible realm, 'user.ambiguous',
   *   'resolver.unavailable'
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
        login: shorten(loginOf(configuration, reference)),
      });
    }
    return found;
  }

  /**
   * @returns the user of exactly that login in the first resolver of the realm that has one; where none has, whomever
   *   the first one finds by it, under their own login
   * @throws ServiceError 'user.ambiguous'; 'resolver.unavailable': a resolver that fails is not skipped, because a later
   *   one may have another user of the same login
   */
  async find(
    configuration: Configuration,
    reference: UserReference,
    within: 'all' | readonly string[] = 'all',
  ): Promise<ResolvedUser | undefined> {
    for (const { login, realm } of meanings(configuration, reference)) {
      // A login may have blanks around in the resolver.
      const spellings = [...new Set([login.trim(), login])].filter(isLogin);
      const isWithin = realm !== undefined && (within === 'all' || within.includes(realm.name));
      if (!isWithin) {
        continue;
      }
      const { resolver: named } = reference;
      const only = named === undefined ? undefined : plainResolverName(named);
      const resolvers = realm.resolvers
        .filter((name) => only === undefined || name === only)
        .flatMap((name) => configuration.resolvers.filter((resolver) => resolver.name === name));
      const found = await findInOrder(
        spellings,
        resolvers.map((resolver) => (form: string) => this.#findIn(resolver, form, realm)),
      );
      if (found !== undefined) {
        return found;
      }
    }
    return undefined;
  }

  async #findIn(resolver: Resolver, login: string, realm: Realm): Promise<ResolvedUser | undefined> {
    const user = await this.#sources(resolver).findByLogin(login);
    return user && { ...user, resolver, realm };
  }

  /**
   * @returns true if it is the user's password; false where the resolver is gone or keeps no passwords
   * @throws ServiceError 'resolver.unavailable'
   */
  async checkPassword(configuration: Configuration, owner: OwnerId, password: string): Promise<boolean> {
    const resolver = configuration.resolvers.find(({ id }) => id === owner.resolverId);
    return resolver !== undefined && this.#sources(resolver).checkPassword(owner.userId, password);
  }
}

/** @returns the login, perhaps with blanks around, and the realm that is meant; undefined: there is none */
export function locate(
  configuration: Configuration,
  { user, realm = '', resolver }: UserReference,
): { login: string; realm: Realm | undefined } {
  if (realm.trim() !== '') {
    return { login: user, realm: findRealm(configuration, realm) };
  }
  for (const { login, name } of splitsOf(configuration, user)) {
    const named = name.trim() === '' ? undefined : findRealm(configuration, name);
    if (named !== undefined) {
      return { login, realm: named };
    }
  }
  return { login: user, realm: realmWith(configuration, resolver) };
}

/** @returns what a name may mean, in order: where `splitAtSign` is off, first all of it as the login, then `login@realm` */
export function meanings(
  configuration: Configuration,
  reference: UserReference,
): readonly ReturnType<typeof locate>[] {
  const first = locate(configuration, reference);
  const { user, realm = '' } = reference;
  if (realm.trim() !== '' || splitsAtSign(configuration)) {
    return [first];
  }
  const at = user.lastIndexOf('@');
  const name = user.slice(at + 1).trim();
  const named = at < 0 || name === '' ? undefined : findRealm(configuration, name);
  return named === undefined ? [first] : [first, { login: user.slice(0, at), realm: named }];
}

function splitsAtSign({ settings }: Pick<Configuration, 'settings'>): boolean {
  return isNotFalse(settings.get(SPLIT_AT_SIGN) ?? 'True');
}

/** @returns the login without what may be a realm, also where no realm has that name */
function loginOf(configuration: Configuration, { user, realm = '' }: UserReference): string {
  const [split] = realm.trim() === '' ? splitsOf(configuration, user) : [];
  return (split?.login ?? user).trim();
}

/** @returns how a name of a user may include a realm's: `login@realm` before `realm\login` */
function splitsOf(
  configuration: Pick<Configuration, 'settings'>,
  user: string,
): readonly { readonly login: string; readonly name: string }[] {
  if (!splitsAtSign(configuration)) {
    return [];
  }
  const at = user.lastIndexOf('@');
  const stroke = user.indexOf('\\');
  return [
    ...(at < 0 ? [] : [{ login: user.slice(0, at), name: user.slice(at + 1) }]),
    ...(stroke < 0 ? [] : [{ login: user.slice(stroke + 1), name: user.slice(0, stroke) }]),
  ];
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
