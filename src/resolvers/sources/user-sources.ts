import { ResolverSecretStore } from '../resolver-store.ts';
import type { TrialParts } from '../resolver-service.ts';
import type {
  DirectoryUser,
  Examination,
  ResolverSecrets,
  UserSearch,
  UserSource,
  UserSources,
} from '../user-source.ts';
import type { ManagedUserStore } from '../../users/managed-user-store.ts';
import type { PasswordHasher } from '../../users/password-hash.ts';
import type { Resolver } from '../../configuration/configuration.ts';
import type { Log } from '../../kernel/log.ts';
import { isServiceError } from '../../kernel/errors.ts';
import { Semaphore } from '../../kernel/bounded-work.ts';
import { FileBounds } from './file-bounds.ts';
import { PasswdFile } from './passwd/passwd-file.ts';
import { SqlUsers } from './sql/sql-users.ts';
import type { ManagedUser } from '../../users/user.ts';

export interface SourceDependencies {
  readonly users: ManagedUserStore;
  readonly hasher: PasswordHasher;
  readonly secrets: ResolverSecrets;
  /** The folders of files that were named over HTTP. */
  readonly fileBounds: FileBounds;
  /** Milliseconds for a resolver's answer. */
  readonly timeoutMs: number;
  readonly log: Log;
  /** Told of each use of a resolver; false: it was unavailable. */
  readonly resolverUsed?: ((resolver: string, isAnswered: boolean) => void) | undefined;
}

/** Opens sources, and ends them. */
export interface OpenUserSources extends UserSources {
  /** Ends all connections of all sources. */
  close(): Promise<void>;
}

/** Half of a process's default threads for files (UV_THREADPOOL_SIZE). */
const FILES_AT_ONCE = 2;

interface Opened {
  /** The settings that the source was made from. */
  readonly made: string;
  readonly source: UserSource;
  /** The same, each of whose uses is told. It is closed as `source`. */
  readonly used: UserSource;
}

/**
 * @returns a function that opens the users of a resolver by its kind. A resolver has one source as long as its settings
 *   and secret do not change, so that the source can keep its content and connections
 */
export function openUserSources(dependencies: SourceDependencies): OpenUserSources {
  const opened = new Map<string, Opened>();
  const fileReads = new Semaphore(FILES_AT_ONCE);
  const open = (resolver: Resolver): UserSource => {
    const made = JSON.stringify([
      resolver.name,
      resolver.kind,
      resolver.settings,
      resolver.isBounded,
      resolver.secretStamp ?? null,
    ]);
    const known = opened.get(resolver.id);
    if (known?.made === made) {
      return known.used;
    }
    const source = openSource(resolver, { ...dependencies, fileReads });
    const used = observed(source, (isAnswered) => dependencies.resolverUsed?.(resolver.name, isAnswered));
    opened.set(resolver.id, { made, source, used });
    known?.source.close?.().catch((cause: unknown) => {
      dependencies.log.warn('Connections of a resolver were not closed', {
        resolver: resolver.name,
        fault: String(cause),
      });
    });
    return used;
  };
  const close = async (): Promise<void> => {
    await Promise.all([...opened.values()].map(async ({ source }) => source.close?.()));
    opened.clear();
  };
  return Object.assign(open, { close });
}

/** @returns the source; each of its answers is told, and each time that it was unavailable. A fault of ours is neither */
export function observed(source: UserSource, tell: (isAnswered: boolean) => void): UserSource {
  const told = async <Answer>(ask: () => Promise<Answer>): Promise<Answer> => {
    try {
      const answer = await ask();
      tell(true);
      return answer;
    } catch (error) {
      if (isServiceError(error, 'resolver.unavailable')) {
        tell(false);
      }
      throw error;
    }
  };
  return {
    findByLogin: (login) => told(() => source.findByLogin(login)),
    findById: (userId) => told(() => source.findById(userId)),
    list: (search) => told(() => source.list(search)),
    count: () => told(() => source.count()),
    examine: () => told(() => source.examine()),
    checkPassword: (userId, password) => told(() => source.checkPassword(userId, password)),
  };
}

function openSource(
  resolver: Resolver,
  dependencies: SourceDependencies & { readonly fileReads: Semaphore },
): UserSource {
  const { id, name, kind, settings, isBounded } = resolver;
  const { users, hasher, secrets, fileBounds } = dependencies;
  switch (kind) {
    case 'managed':
      return new ManagedUsers({ resolverId: id, users, hasher });
    case 'passwd':
      return new PasswdFile({
        ...dependencies,
        resolver: name,
        fileName: settings.fileName ?? '',
        bounds: isBounded ? fileBounds : undefined,
      });
    case 'sql':
      return new SqlUsers({ ...dependencies, resolver });
    case 'ldap':
      // Commands that ask no directory do not load its library.
      return loadOnUse(async () => {
        const { LdapUsers } = await import('./ldap/ldap-users.ts');
        const password = async (): Promise<string> => (await secrets.open(resolver)) ?? '';
        return new LdapUsers({ resolver: name, settings, password });
      });
  }
}

type SecretStoreDependencies = ConstructorParameters<typeof ResolverSecretStore>[0];

interface InstallationSources
  extends Pick<SourceDependencies, 'users' | 'hasher' | 'log' | 'resolverUsed'>, SecretStoreDependencies {
  /** Seconds. */
  readonly resolverTimeout: number;
  /** Folders whose files may be named over HTTP; by default none. */
  readonly resolverFileDirs?: readonly string[];
}

/** @returns the sources of the resolvers that are stored, each use told; and what trials of others need */
export function sourcesOf(dependencies: InstallationSources): {
  readonly sources: OpenUserSources;
  readonly files: FileBounds;
  readonly timeoutMs: number;
  readonly trial: TrialParts;
} {
  const { users, hasher, log, resolverUsed, resolverFileDirs: folders = [] } = dependencies;
  const timeoutMs = dependencies.resolverTimeout * 1000;
  const files = new FileBounds({ folders, timeoutMs });
  const bounds = { users, hasher, log, timeoutMs, fileBounds: files };
  const open = (secrets: ResolverSecrets): OpenUserSources => openUserSources({ ...bounds, secrets });
  const secrets = new ResolverSecretStore(dependencies);
  const sources = openUserSources({ ...bounds, resolverUsed, secrets });
  return { sources, files, timeoutMs, trial: { secrets, open } };
}

/** The users of a managed resolver, in this server's own database. */
export class ManagedUsers implements UserSource {
  readonly #deps;

  constructor(dependencies: {
    readonly resolverId: string;
    readonly users: ManagedUserStore;
    readonly hasher: PasswordHasher;
  }) {
    this.#deps = dependencies;
  }

  async findByLogin(login: string): Promise<DirectoryUser | undefined> {
    const user = await this.#deps.users.findByLogin(this.#deps.resolverId, login);
    return user && withoutHash(user);
  }

  async findById(userId: string): Promise<DirectoryUser | undefined> {
    const user = await this.#deps.users.findById(this.#deps.resolverId, userId);
    return user && withoutHash(user);
  }

  async list(search?: UserSearch): Promise<readonly DirectoryUser[]> {
    const users = await this.#deps.users.list(this.#deps.resolverId, search);
    return users.map(withoutHash);
  }

  count(): Promise<number> {
    return this.#deps.users.count(this.#deps.resolverId);
  }

  async examine(): Promise<Examination> {
    const users = await this.count();
    return { entries: users, users, withoutId: 0, withoutLogin: 0, sharingId: 0 };
  }

  /** Takes the same time for a user who does not exist or has no password. */
  async checkPassword(userId: string, password: string): Promise<boolean> {
    const passwordHash =
      (await this.#deps.users.findById(this.#deps.resolverId, userId))?.passwordHash ?? null;
    return passwordHash === null
      ? this.#deps.hasher.verifyNothing(password, `${this.#deps.resolverId} ${userId}`)
      : this.#deps.hasher.verify(passwordHash, password);
  }
}

function withoutHash({ userId, login, givenName, surname, email, phone }: ManagedUser): DirectoryUser {
  return { userId, login, givenName, surname, email, phone };
}

/**
 * @param load makes the source; called by the first call of a method but `close`, again only after it has failed
 * @returns a source that loads the other one first
 */
export function loadOnUse(load: () => Promise<UserSource>): Required<UserSource> {
  let loaded: Promise<UserSource> | undefined;
  const source = (): Promise<UserSource> => {
    loaded ??= load().catch((error: unknown) => {
      // The next use tries again.
      loaded = undefined;
      throw error;
    });
    return loaded;
  };
  return {
    findByLogin: async (login) => (await source()).findByLogin(login),
    findById: async (userId) => (await source()).findById(userId),
    list: async (search) => (await source()).list(search),
    count: async () => (await source()).count(),
    examine: async () => (await source()).examine(),
    checkPassword: async (userId, password) => (await source()).checkPassword(userId, password),
    close: async () => (await loaded)?.close?.(),
  };
}
