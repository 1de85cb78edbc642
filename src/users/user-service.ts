import type { Configuration } from '../configuration/configuration.ts';
import type { ConfigurationStore } from '../configuration/ports.ts';
import type { AccessControl } from '../policy/access-control.ts';
import { actOf, type Caller } from '../policy/caller.ts';
import type { DirectoryUser, ManagedUserStore, UserSources } from '../resolvers/ports.ts';
import { requireManaged, unknown, visibleResolvers } from '../resolvers/resolver-lookup.ts';
import { assertPassword } from './password-rule.ts';
import type { PasswordHasher } from './ports.ts';
import { checkUser, type UserDraft } from './user-draft.ts';

interface UserDependencies {
  readonly configuration: ConfigurationStore;
  readonly users: ManagedUserStore;
  readonly sources: UserSources;
  readonly hasher: PasswordHasher;
  readonly access: AccessControl;
}

/** A user, with the name of their resolver. */
export interface ListedUser extends DirectoryUser {
  readonly resolver: string;
}

/** A user of a managed resolver by name. */
interface UserName {
  readonly resolver: string;
  readonly login: string;
}

/**
 * The users of all resolvers, and changes of those of managed ones.
 *
 * Each method throws ServiceError 'right.missing'; listing takes `admin/userlist`, changing `system/write`.
 */
export class UserService {
  readonly #deps: UserDependencies;

  constructor(dependencies: UserDependencies) {
    this.#deps = dependencies;
  }

  /**
   * @returns the users of a resolver, or of all resolvers of a realm (the default one if neither is named)
   * @throws ServiceError 'realm.unknown', 'resolver.unknown', 'resolver.unavailable'
   */
  async list(
    caller: Caller,
    where: { realm?: string | undefined; resolver?: string | undefined },
  ): Promise<readonly ListedUser[]> {
    const { configuration, grant } = await this.#deps.access.authorizeAdmin(
      this.#deps.configuration,
      caller,
      'userlist',
    );
    const listed: ListedUser[] = [];
    for (const resolver of visibleResolvers(configuration, grant, where)) {
      const users = await this.#deps.sources(resolver).list();
      listed.push(...users.map((user) => ({ ...user, resolver: resolver.name })));
    }
    return listed;
  }

  /** @throws ServiceError 'resolver.unknown', 'resolver.invalid', 'user.exists', 'parameter.invalid' */
  async add(caller: Caller, draft: UserDraft & { resolver: string }): Promise<DirectoryUser> {
    const { id } = requireManaged(await this.#authorizeWrite(caller), draft.resolver);
    const user = checkUser(draft);
    const { password } = draft;
    const passwordHash = password === undefined ? null : await this.#hash(password);
    const added = await this.#deps.users.insert(id, { ...user, passwordHash }, actOf(caller, 'user/add'));
    return { ...user, userId: added.userId };
  }

  /**
   * @param password null: removes the password
   * @throws ServiceError 'resolver.unknown', 'resolver.invalid', 'user.unknown', 'parameter.invalid'
   */
  async setPassword(
    caller: Caller,
    { password, ...name }: UserName & { password: string | null },
  ): Promise<void> {
    const { id } = requireManaged(await this.#authorizeWrite(caller), name.resolver);
    const passwordHash = password === null ? null : await this.#hash(password);
    const userId = await this.#managedUserId(id, name);
    if (!(await this.#deps.users.setPassword(id, userId, passwordHash, actOf(caller, 'user/password')))) {
      throw unknown('user', name.login);
    }
  }

  /** Removes the user; the tokens become unassigned. @throws ServiceError 'resolver.unknown', 'resolver.invalid', 'user.unknown' */
  async remove(caller: Caller, name: UserName): Promise<void> {
    const { id } = requireManaged(await this.#authorizeWrite(caller), name.resolver);
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

  #authorizeWrite(caller: Caller): Promise<Configuration> {
    return this.#deps.access.authorizeSystem(this.#deps.configuration, caller, 'write');
  }
}
