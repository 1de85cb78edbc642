import { composed, formsOf, plainName, requireForm } from '../kernel/text.ts';
import { plainResolverName } from '../policy/policy-conditions.ts';
import { isServiceError, ServiceError } from '../kernel/errors.ts';
import type { Grant } from '../policy/access-control.ts';
import { type Configuration, findRealm, type Realm, type Resolver } from '../configuration/configuration.ts';

/**
 * @returns the resolver's name, case kept, without the class that LinOTP's notation puts in front
 * @throws ServiceError 'parameter.invalid'
 */
export function readResolverName(text: string): string {
  return requireForm(
    plainResolverName(plainName(text)),
    /^[A-Za-z0-9_][A-Za-z0-9._-]{0,254}$/,
    'A resolver has 1 to 255 letters A to Z, digits, dots, dashes and underscores',
  );
}

/**
 * @returns the resolver of that name
 * @throws ServiceError 'resolver.unknown'
 */
export function requireResolver(configuration: Configuration, name: string): Resolver {
  const requested = readResolverName(name);
  const resolver = configuration.resolvers.find((one) => one.name === requested);
  if (resolver === undefined) {
    throw unknownReference('resolver', name);
  }
  return resolver;
}

/**
 * @returns the managed resolver of that name
 * @throws ServiceError 'resolver.unknown', 'resolver.invalid' for another kind
 */
export function requireManaged(configuration: Configuration, name: string): Resolver {
  const resolver = requireResolver(configuration, name);
  if (resolver.kind !== 'managed') {
    throw new ServiceError(
      'resolver.invalid',
      `The users of the resolver '${resolver.name}' are not kept here: it is of kind ${resolver.kind}`,
    );
  }
  return resolver;
}

/**
 * Finds the user of a login in several sources, in their order. The one whose own login is that text in any Unicode form
 * (NFC, NFD: both look alike) is taken wherever they are; where none has it, the first whose login differs in case only;
 * then the first who was found by something else. What a source finds by the e-mail address of somebody may hide nobody.
 * @param finders one for each source; one that throws ends the search, as it may have the user
 * @throws ServiceError 'user.ambiguous' where the first source with alike logins has several, and none the exact one
 */
export async function findInOrder<User extends { readonly login: string }>(
  spellings: readonly string[],
  finders: readonly ((form: string) => Promise<User | undefined>)[],
): Promise<User | undefined> {
  const forms = [...new Set(spellings.flatMap(formsOf))];
  const best: Partial<Record<Likeness, User | ServiceError>> = {};
  for (const find of finders) {
    for (const form of forms) {
      const found = await find(form).catch(severalUsers);
      if (found !== undefined && !(found instanceof ServiceError) && forms.includes(found.login)) {
        return found;
      }
      if (found !== undefined) {
        best[likenessOf(found, forms)] ??= found;
      }
    }
  }
  const taken = best.alike ?? best.other;
  if (taken instanceof ServiceError) {
    throw taken;
  }
  return taken;
}

/** By a login that differs in case only, or by something else. */
type Likeness = 'alike' | 'other';

function likenessOf(found: { readonly login: string } | ServiceError, forms: readonly string[]): Likeness {
  if (found instanceof ServiceError) {
    return 'alike';
  }
  return forms.map(comparableLogin).includes(comparableLogin(found.login)) ? 'alike' : 'other';
}

function severalUsers(error: unknown): ServiceError {
  if (isServiceError(error, 'user.ambiguous')) {
    return error;
  }
  throw error;
}

/**
 * @returns the form in which logins are compared where that of a user is not exactly what was typed: composed, without
 *   blanks at the ends, in lower case. Letters are not replaced by others: `ß` is not `ss`, `ı` and `İ` are not `i`
 */
export function comparableLogin(login: string): string {
  return composed(login.trim()).toLowerCase();
}

/**
 * @param found those whom a source finds by the login, in whatever way it compares
 * @returns the one of exactly that login, or else the only one
 * @throws ServiceError 'user.ambiguous'
 */
export function meantBy<User extends { readonly login: string }>(
  login: string,
  found: readonly User[],
): User | undefined {
  const meant = found.find((user) => user.login === login) ?? found[0];
  if (found.length > 1 && meant?.login !== login) {
    throw new ServiceError(
      'user.ambiguous',
      `The login '${login}' is that of several users: spell it exactly as their resolver does`,
      { login },
    );
  }
  return meant;
}

/**
 * Treats resolvers and realms outside of the grant as unknown.
 * @param where a resolver, or all those of a realm (by default the default realm)
 * @throws ServiceError 'realm.unknown', 'resolver.unknown'
 */
export function visibleResolvers(
  configuration: Configuration,
  { realms: allowed }: Grant,
  where: { realm?: string | undefined; resolver?: string | undefined },
): readonly Resolver[] {
  const visible = configuration.realms.filter(({ name }) => allowed === 'all' || allowed.includes(name));
  if (where.resolver !== undefined) {
    const resolver = requireResolver(configuration, where.resolver);
    if (allowed !== 'all' && !visible.some(({ resolvers }) => resolvers.includes(resolver.name))) {
      throw unknownReference('resolver', where.resolver);
    }
    return [resolver];
  }
  const realm = findRealm(configuration, where.realm ?? '');
  if (realm === undefined || !visible.includes(realm)) {
    throw unknownReference('realm', where.realm ?? '');
  }
  return realm.resolvers.flatMap((name) => configuration.resolvers.filter((one) => one.name === name));
}

/** @throws ServiceError 'realm.unknown', also for an empty name */
export function requireRealm(configuration: Configuration, name: string): Realm {
  const realm = name.trim() === '' ? undefined : findRealm(configuration, name);
  if (realm === undefined) {
    throw unknownReference('realm', name);
  }
  return realm;
}

export function unknownReference(what: 'realm' | 'resolver' | 'user', name: string): ServiceError {
  const shortened = name.slice(0, 255);
  const message = `There is no ${what} '${shortened}'`;
  return what === 'user'
    ? new ServiceError('user.unknown', message, { user: shortened, login: shortened })
    : new ServiceError(`${what}.unknown`, message, { name: shortened });
}

/** @throws ServiceError 'resolver.in-use' that names the realms that use the resolver */
export function assertInNoRealm(
  { realms }: Pick<Configuration, 'realms'>,
  { name }: Pick<Resolver, 'name'>,
): void {
  const users = realms.filter(({ resolvers }) => resolvers.includes(name)).map((realm) => `'${realm.name}'`);
  if (users.length > 0) {
    throw new ServiceError(
      'resolver.in-use',
      `The resolver '${name}' is in use by the realm ${users.join(', ')}`,
    );
  }
}
