import { ResolverSecretStore } from '../resolver-store.ts';
import type { TrialParts } from '../resolver-trial.ts';
import type { ResolverSecrets, UserSource, UserSources } from '../user-source.ts';
import type { ManagedUserStore } from '../../users/managed-user-store.ts';
import type { PasswordHasher } from '../../users/password-hash.ts';
import type { Resolver } from '../../configuration/configuration.ts';
import type { Log } from '../../kernel/log.ts';
import { isServiceError } from '../../kernel/errors.ts';
import { loadOnUse } from './load-on-use.ts';
import { Semaphore } from '../../kernel/bounded-work.ts';
import { DirectoryPasswords } from './directory-password.ts';
import { FileBounds } from './file-bounds.ts';
import { ManagedUsers } from './managed-users.ts';
import { PasswdFile } from './passwd/passwd-file.ts';
import { SqlUsers } from './sql/sql-users.ts';

/** The dependencies of sources. */
export interface SourceDependencies {
  readonly users: ManagedUserStore;
  readonly hasher: PasswordHasher;
  readonly secrets: ResolverSecrets;
  readonly passwords: Pick<DirectoryPasswords, 'verify'>;
  /** The folders of files that were named over HTTP. */
  readonly fileBounds: FileBounds;
  /** Milliseconds for a resolver's answer. */
  readonly timeoutMs: number;
  readonly log: Log;
  /** Told of each use of a resolver; false: it was unavailable. */
  readonly resolverUsed?: (resolver: string, isAnswered: boolean) => void;
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
  /** The same, each of whose uses is told. */
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
  return new Proxy(source, {
    get: (_target, name) => {
      return async (...args: never[]): Promise<unknown> => {
        try {
          const used = source as unknown as Record<string, (...given: never[]) => Promise<unknown>>;
          const answer = await used[String(name)]?.(...args);
          tell(true);
          return answer;
        } catch (error) {
          if (isServiceError(error, 'resolver.unavailable')) {
            tell(false);
          }
          throw error;
        }
      };
    },
  });
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
      // Installations without a directory do not load its library.
      return loadOnUse<Required<UserSource>>(async () => {
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
  const passwords = new DirectoryPasswords({ hasher });
  const bounds = { users, hasher, log, timeoutMs, fileBounds: files, passwords };
  const open = (secrets: ResolverSecrets): OpenUserSources => openUserSources({ ...bounds, secrets });
  const secrets = new ResolverSecretStore(dependencies);
  const told = resolverUsed === undefined ? {} : { resolverUsed };
  const sources = openUserSources({ ...bounds, ...told, secrets });
  return { sources, files, timeoutMs, trial: { secrets, open } };
}
