import type { Resolver, ResolverKind } from '../configuration/configuration.ts';
import type { ConfigurationStore } from '../configuration/configuration-store.ts';
import type { AccessControl } from '../policy/access-control.ts';
import { actOf, type Caller } from '../policy/caller.ts';
import {
  type DirectoryUser,
  ResolverUnavailable,
  type UserCondition,
  type UserField,
  type UserSearch,
  type UserSources,
  fieldCondition,
  freeCondition,
  isSearchable,
  matchesAll,
} from '../resolvers/user-source.ts';
import { requireManaged, unknownReference, visibleResolvers } from '../resolvers/resolver-lookup.ts';
import { ServiceError } from '../kernel/errors.ts';
import { Semaphore, withTimeLimit } from '../kernel/bounded-work.ts';
import type { ManagedUserStore } from './managed-user-store.ts';
import { assertPassword, type PasswordHasher } from './password-hash.ts';
import { plainName, readPlainText, requireForm } from '../kernel/text.ts';
import type { ManagedUser } from './user.ts';

/** A user, with the name of their resolver. */
export interface ListedUser extends DirectoryUser {
  readonly resolver: string;
}

/** A listing of users. */
interface UserListing {
  readonly realm?: string | undefined;
  readonly resolver?: string | undefined;
  /** A text in login, names, e-mail or phone; asterisks stand for any text. */
  readonly search?: string | undefined;
  /** The most users; default: all. */
  readonly limit?: number | undefined;
}

/** A search for users by their fields. */
interface UserFilter extends Omit<UserListing, 'limit'> {
  /** Values that the fields must equal but for case; asterisks stand for any text. */
  readonly matching: Readonly<Partial<Record<UserField, string | undefined>>>;
}

/** A user, with the kind of their resolver. */
export interface FoundUser extends ListedUser {
  readonly kind: ResolverKind;
}

/** What is looked for: all conditions hold, and the text is found. */
interface UserQuery extends Pick<UserListing, 'search' | 'limit'> {
  readonly conditions?: readonly UserCondition[];
  /** Milliseconds for each resolver. */
  readonly timeoutMs?: number;
}

const MAX_FOUND = 10_000;
const FIND_TIMEOUT_MS = 20_000;
const FINDS_AT_ONCE = 2;
const MAX_WAITING_FINDS = 8;

/** A user of a managed resolver by name. */
export interface UserName {
  readonly resolver: string;
  readonly login: string;
}

/** The users of all resolvers, and changes of those of managed ones. */
export class UserService {
  readonly #deps;
  readonly #finds = new Semaphore(FINDS_AT_ONCE, {
    waiting: MAX_WAITING_FINDS,
    timeoutMs: FIND_TIMEOUT_MS,
    refuse: () => new ServiceError('server.busy', 'Too many searches for users at once', { retryAfter: 5 }),
  });

  constructor(dependencies: {
    readonly configuration: Pick<ConfigurationStore, 'current'>;
    readonly users: ManagedUserStore;
    readonly sources: UserSources;
    readonly hasher: PasswordHasher;
    readonly access: AccessControl;
  }) {
    this.#deps = dependencies;
  }

  /**
   * @returns the users of a resolver, or of all resolvers of a realm (the default one if neither is named). With a
   *   search, a resolver's users are not all read
   * @throws ServiceError 'realm.unknown', 'resolver.unknown', 'resolver.unavailable'
   */
  async list(caller: Caller, { search, limit, ...where }: UserListing): Promise<readonly ListedUser[]> {
    return this.#list(await this.#visible(caller, where), { search, limit });
  }

  /**
   * Lists users as `list` does, bounded in number and time, for programs.
   * @throws also ServiceError 'parameter.invalid' for more users than an answer may hold, 'server.busy'
   */
  async find(caller: Caller, { matching, search, ...where }: UserFilter): Promise<readonly FoundUser[]> {
    const resolvers = await this.#visible(caller, where);
    const conditions = Object.entries(matching).flatMap(([field, text]) =>
      text === undefined ? [] : [fieldCondition(field as UserField, text)],
    );
    const query = { search, conditions, limit: MAX_FOUND + 1, timeoutMs: FIND_TIMEOUT_MS };
    const found = await this.#finds.run(() => this.#list(resolvers, query));
    if (found.length > MAX_FOUND) {
      throw new ServiceError(
        'parameter.invalid',
        `More than ${MAX_FOUND} users match: narrow the search, as by username=a*`,
      );
    }
    const kinds = new Map(resolvers.map(({ name, kind }) => [name, kind]));
    return found.map((user) => ({ ...user, kind: kinds.get(user.resolver) ?? 'managed' }));
  }

  async #visible(
    caller: Caller,
    { realm, resolver }: Pick<UserListing, 'realm' | 'resolver'>,
  ): Promise<readonly Resolver[]> {
    const { configuration, grant } = await this.#deps.access.authorizeAdmin(
      this.#deps.configuration,
      caller,
      'userlist',
    );
    if (realm === undefined || resolver === undefined) {
      return visibleResolvers(configuration, grant, { realm, resolver });
    }
    const [named] = visibleResolvers(configuration, grant, { resolver });
    return visibleResolvers(configuration, grant, { realm }).filter((one) => one === named);
  }

  async #list(
    resolvers: readonly Resolver[],
    { search, conditions = [], limit = Infinity, timeoutMs }: UserQuery,
  ): Promise<readonly ListedUser[]> {
    const free = search === undefined ? [] : [freeCondition(search)];
    const requested = [...free, ...conditions].filter((condition) => !matchesAll(condition));
    const listed: ListedUser[] = [];
    for (const resolver of requested.every(isSearchable) ? resolvers : []) {
      const left = limit - listed.length;
      if (left > 0) {
        const asked = this.#ask(resolver, { conditions: requested, limit: left });
        const users = await (timeoutMs === undefined
          ? asked
          : withTimeLimit(timeoutMs, asked, () => late(resolver)));
        for (const user of users) {
          listed.push({ ...user, resolver: resolver.name });
        }
      }
    }
    return listed;
  }

  #ask(resolver: Resolver, { conditions, limit }: UserSearch): Promise<readonly DirectoryUser[]> {
    const isAll = conditions.length === 0 && limit === Infinity;
    const search = { conditions, limit: Math.min(limit, Number.MAX_SAFE_INTEGER) };
    return this.#deps.sources(resolver).list(isAll ? undefined : search);
  }

  /** @throws ServiceError 'resolver.unknown', 'resolver.invalid', 'user.exists', 'parameter.invalid' */
  async add(caller: Caller, draft: UserDraft & { resolver: string }): Promise<DirectoryUser> {
    const { id } = requireManaged(await this.#deps.configuration.current(), draft.resolver);
    const user = checkUser(draft);
    if ((await this.#deps.users.findByLogin(id, user.login)) !== undefined) {
      throw new ServiceError('user.exists', `There is a user '${user.login}' already`);
    }
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
    const { id } = requireManaged(await this.#deps.configuration.current(), name.resolver);
    const passwordHash = password === null ? null : await this.#hash(password);
    const userId = await this.#managedUserId(id, name);
    if (!(await this.#deps.users.setPassword(id, userId, passwordHash, actOf(caller, 'user/password')))) {
      throw unknownReference('user', name.login);
    }
  }

  /** Removes the user; the tokens become unassigned. @throws ServiceError 'resolver.unknown', 'resolver.invalid', 'user.unknown' */
  async remove(caller: Caller, name: UserName): Promise<void> {
    const { id } = requireManaged(await this.#deps.configuration.current(), name.resolver);
    const userId = await this.#managedUserId(id, name);
    if (!(await this.#deps.users.remove(id, userId, actOf(caller, 'user/remove')))) {
      throw unknownReference('user', name.login);
    }
  }

  async #managedUserId(resolverId: string, { login }: UserName): Promise<string> {
    const user = await this.#deps.users.findByLogin(resolverId, login);
    if (user === undefined) {
      throw unknownReference('user', login);
    }
    return user.userId;
  }

  #hash(password: string): Promise<string> {
    assertPassword(password);
    return this.#deps.hasher.hash(password);
  }
}

function late({ name }: Resolver): ResolverUnavailable {
  return new ResolverUnavailable({
    resolver: name,
    reason: `it did not list its users within ${FIND_TIMEOUT_MS / 1000} seconds`,
  });
}

/** A user of a managed resolver, as given by an administrator. */
interface UserDraft {
  readonly login: string;
  readonly givenName?: string | undefined;
  readonly surname?: string | undefined;
  readonly email?: string | undefined;
  readonly phone?: string | undefined;
  /** Absent: no password matches. */
  readonly password?: string | undefined;
}

const MAX_TEXT_LENGTH = 255;

/**
 * @returns the user that a draft means, texts trimmed
 * @throws ServiceError 'parameter.invalid'
 */
function checkUser(draft: UserDraft): Omit<ManagedUser, 'userId' | 'passwordHash'> {
  return {
    login: readLogin(draft.login),
    givenName: readPlainText(draft.givenName ?? '', 'given name', MAX_TEXT_LENGTH),
    surname: readPlainText(draft.surname ?? '', 'surname', MAX_TEXT_LENGTH),
    email: readPlainText(draft.email ?? '', 'e-mail address', MAX_TEXT_LENGTH),
    phone: readPlainText(draft.phone ?? '', 'phone number', MAX_TEXT_LENGTH),
  };
}

/**
 * @returns the login of a managed user as it is kept (see `plainName`)
 * @throws ServiceError 'parameter.invalid'
 */
export function readLogin(text: string): string {
  return requireForm(
    plainName(text),
    /^[^,:*!]{1,255}$/u,
    'A login has 1 to 255 letters, digits, blanks and signs of ASCII, but none of , : * !',
  );
}
