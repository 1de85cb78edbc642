import { isServiceError, ServiceError } from '../kernel/errors.ts';
import type { AccessControl } from '../policy/access-control.ts';
import { actOf, type Caller } from '../policy/caller.ts';
import { readRealmName } from './realm-name.ts';
import { readResolverName } from '../resolvers/resolver-name.ts';
import { assertPassword } from '../users/password-rule.ts';
import type { DirectoryUser, ManagedUserStore, ResolverFiles, UserSources } from '../resolvers/ports.ts';
import type { PasswordHasher } from '../users/ports.ts';
import type { ConfigurationStore } from '../configuration/ports.ts';
import { assertNoForeignPath, checkResolver, type ResolverDraft } from '../resolvers/resolver-draft.ts';
import { requireManaged, requireResolver, unknown, visibleResolvers } from '../resolvers/resolver-lookup.ts';
import type { Realm, Resolver, Configuration } from '../configuration/configuration.ts';
import { checkUser, type UserDraft } from '../users/user-draft.ts';
import type { Vault } from '../keys/vault.ts';

export interface RealmDependencies {
  readonly configuration: ConfigurationStore;
  readonly users: ManagedUserStore;
  readonly sources: UserSources;
  readonly hasher: PasswordHasher;
  readonly access: AccessControl;
  readonly vault: Pick<Vault, 'seal'>;
  readonly files: ResolverFiles;
}

/** A user, with the name of the resolver that knows them. */
export interface ListedUser extends DirectoryUser {
  readonly resolver: string;
}

/** A login to look for; whether there is such a user is of no interest. */
const NOBODY = 'tankeeper-test';

/** A managed user is named by resolver and login. */
interface UserName {
  readonly resolver: string;
  readonly login: string;
}

/**
 * Realms, the resolvers that feed them, and the users of managed resolvers.
 *
 * Each method throws ServiceError 'right.missing'; reading takes `system/read`, listing users `admin/userlist`, changing
 * anything `system/write`.
 */
export class RealmService {
  readonly #deps: RealmDependencies;

  constructor(dependencies: RealmDependencies) {
    this.#deps = dependencies;
  }

  /** @returns realms by name */
  async listRealms(caller: Caller): Promise<readonly Realm[]> {
    return (await this.#mayRead(caller)).realms;
  }

  /**
   * Creates the realm or replaces its resolvers. The first realm becomes the default one.
   * @throws ServiceError 'parameter.invalid', 'resolver.unknown'
   */
  async setRealm(caller: Caller, realm: { name: string; resolvers: readonly string[] }): Promise<void> {
    await this.#mayWrite(caller);
    const resolvers = [...new Set(realm.resolvers.map(readResolverName))];
    if (resolvers.length === 0) {
      throw new ServiceError('parameter.invalid', 'A realm needs at least one resolver');
    }
    await this.#deps.configuration.putRealm(readRealmName(realm.name), resolvers, actOf(caller, 'realm/set'));
  }

  /** Removes the realm, also from every token that is in it. @throws ServiceError 'realm.unknown' */
  async removeRealm(caller: Caller, name: string): Promise<void> {
    await this.#mayWrite(caller);
    if (!(await this.#deps.configuration.removeRealm(readRealmName(name), actOf(caller, 'realm/remove')))) {
      throw unknown('realm', name);
    }
  }

  /** @param name null: no realm is the default. @throws ServiceError 'realm.unknown' */
  async setDefaultRealm(caller: Caller, name: string | null): Promise<void> {
    await this.#mayWrite(caller);
    const wanted = name === null ? null : readRealmName(name);
    await this.#deps.configuration.setDefaultRealm(wanted, actOf(caller, 'realm/default'));
  }

  /** @returns resolvers by name */
  async listResolvers(caller: Caller): Promise<readonly Resolver[]> {
    return (await this.#mayRead(caller)).resolvers;
  }

  /** @throws ServiceError 'resolver.unknown' */
  async showResolver(caller: Caller, name: string): Promise<Resolver> {
    return requireResolver(await this.#mayRead(caller), name);
  }

  /**
   * Creates or changes a resolver; whether its users can be read, `testResolver` tells. Its secret stays as it is where
   * none is given.
   * @throws ServiceError 'parameter.invalid', 'resolver.invalid' for settings that its kind does not take, when the
   *   kind of an existing one would change, when its secret would be shown to another server, or when anybody but an
   *   operator names a path of the machine that is not for them to name
   */
  async setResolver(caller: Caller, draft: ResolverDraft): Promise<void> {
    await this.#mayWrite(caller);
    const { secret, ...resolver } = checkResolver(draft);
    await assertNoForeignPath(caller, resolver, this.#deps.files);
    const sealed =
      typeof secret === 'string'
        ? this.#deps.vault.seal(Buffer.from(secret, 'utf8'), 'resolver', resolver.name)
        : secret;
    const isBounded = !caller.principal.operator;
    await this.#deps.configuration.putResolver(
      { ...resolver, isBounded, secret: sealed },
      actOf(caller, 'resolver/set'),
    );
  }

  /** @throws ServiceError 'resolver.unknown', 'resolver.in-use' that names who uses it */
  async removeResolver(caller: Caller, name: string): Promise<void> {
    const configuration = await this.#mayWrite(caller);
    const resolver = requireResolver(configuration, name);
    const realms = configuration.realms.filter(({ resolvers }) => resolvers.includes(resolver.name));
    if (realms.length > 0) {
      throw new ServiceError(
        'resolver.in-use',
        `The resolver '${resolver.name}' is in use by the realm ${realms.map((realm) => `'${realm.name}'`).join(', ')}`,
      );
    }
    if (!(await this.#deps.configuration.removeResolver(resolver.name, actOf(caller, 'resolver/remove')))) {
      throw unknown('resolver', name);
    }
  }

  /**
   * Tries whether the users of a resolver can be read.
   * @returns how many there are
   * @throws ServiceError 'resolver.unknown', 'resolver.invalid' that says why not
   */
  async testResolver(caller: Caller, name: string): Promise<number> {
    const configuration = await this.#mayRead(caller);
    try {
      const source = this.#deps.sources(requireResolver(configuration, name));
      // Not only counted: whoever looks for a user needs more of what is configured.
      await source.findByLogin(NOBODY);
      return await source.count();
    } catch (cause) {
      throw isServiceError(cause, 'resolver.unavailable')
        ? new ServiceError('resolver.invalid', cause.message, { cause })
        : cause;
    }
  }

  /**
   * @returns the users of a resolver, or of all resolvers of a realm (the default one if neither is named)
   * @throws ServiceError 'realm.unknown', 'resolver.unknown', 'resolver.unavailable'
   */
  async listUsers(
    caller: Caller,
    where: { realm?: string | undefined; resolver?: string | undefined },
  ): Promise<readonly ListedUser[]> {
    const configuration = await this.#deps.configuration.current();
    const grant = this.#deps.access.authorize(configuration, caller, { scope: 'admin', action: 'userlist' });
    const listed: ListedUser[] = [];
    for (const resolver of visibleResolvers(configuration, grant, where)) {
      const users = await this.#deps.sources(resolver).list();
      listed.push(...users.map((user) => ({ ...user, resolver: resolver.name })));
    }
    return listed;
  }

  /** @throws ServiceError 'resolver.unknown', 'resolver.invalid', 'user.exists', 'parameter.invalid' */
  async addUser(caller: Caller, draft: UserDraft & { resolver: string }): Promise<DirectoryUser> {
    const { id } = requireManaged(await this.#mayWrite(caller), draft.resolver);
    const user = checkUser(draft);
    const { password } = draft;
    const passwordHash = password === undefined ? null : await this.#hash(password);
    const added = await this.#deps.users.insert(id, { ...user, passwordHash }, actOf(caller, 'user/add'));
    return { ...user, userId: added.userId };
  }

  /** @param password null: the user has none from now on. @throws ServiceError 'resolver.unknown', 'resolver.invalid', 'user.unknown', 'parameter.invalid' */
  async setUserPassword(
    caller: Caller,
    { password, ...name }: UserName & { password: string | null },
  ): Promise<void> {
    const { id } = requireManaged(await this.#mayWrite(caller), name.resolver);
    const passwordHash = password === null ? null : await this.#hash(password);
    const userId = await this.#managedUserId(id, name);
    if (!(await this.#deps.users.setPassword(id, userId, passwordHash, actOf(caller, 'user/password')))) {
      throw unknown('user', name.login);
    }
  }

  /** Removes the user; the tokens become unassigned. @throws ServiceError 'resolver.unknown', 'resolver.invalid', 'user.unknown' */
  async removeUser(caller: Caller, name: UserName): Promise<void> {
    const { id } = requireManaged(await this.#mayWrite(caller), name.resolver);
    const userId = await this.#managedUserId(id, name);
    if (!(await this.#deps.users.remove(id, userId, actOf(caller, 'user/remove')))) {
      throw unknown('user', name.login);
    }
  }

  async #managedUserId(resolverId: string, { login }: UserName): Promise<string> {
    const user = await this.#deps.users.findByLogin(resolverId, login);
    if (user === undefined) {
      throw unknown('user', login);
    }
    return user.userId;
  }

  #hash(password: string): Promise<string> {
    assertPassword(password);
    return this.#deps.hasher.hash(password);
  }

  #mayRead(caller: Caller): Promise<Configuration> {
    return this.#allowed(caller, 'read');
  }

  #mayWrite(caller: Caller): Promise<Configuration> {
    return this.#allowed(caller, 'write');
  }

  async #allowed(caller: Caller, action: 'read' | 'write'): Promise<Configuration> {
    const configuration = await this.#deps.configuration.current();
    this.#deps.access.authorize(configuration, caller, { scope: 'system', action });
    return configuration;
  }
}
