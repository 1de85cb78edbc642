import type {
  DirectoryPasswords,
  ManagedUserStore,
  ResolverSecrets,
  UserSource,
  UserSources,
} from '../ports.ts';
import type { PasswordHasher } from '../../users/ports.ts';
import type { Resolver } from '../../configuration/configuration.ts';
import type { Log } from '../../kernel/log.ts';
import { Semaphore } from '../../kernel/semaphore.ts';
import type { ClosableUserSource } from './closable-source.ts';
import type { FileBounds } from './file-bounds.ts';
import { LdapUsers } from './ldap/ldap-users.ts';
import { ManagedUsers } from './managed-users.ts';
import { PasswdFile } from './passwd/passwd-file.ts';
import { SqlUsers } from './sql/sql-users.ts';

/** What sources are opened from. */
export interface SourceDependencies {
  readonly users: ManagedUserStore;
  readonly hasher: PasswordHasher;
  readonly secrets: ResolverSecrets;
  readonly passwords: DirectoryPasswords;
  /** Where the files of resolvers are that were not set at the machine. */
  readonly fileBounds: FileBounds;
  /** Milliseconds that a resolver may take to answer. */
  readonly timeLimit: number;
  readonly log: Log;
}

/** Opens sources, and ends them. */
export interface OpenUserSources extends UserSources {
  /** Ends all connections of all sources. */
  close(): Promise<void>;
}

/** Half of the threads that a process has for files, unless UV_THREADPOOL_SIZE says otherwise. */
const FILES_AT_ONCE = 2;

interface Opened {
  /** What the source was made from. */
  readonly made: string;
  readonly source: ClosableUserSource;
}

/**
 * @returns what opens the users of a resolver by its kind; one source for each resolver as long as its own settings and
 *   secret do not change, so that a source can keep what it has read, and connections
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
      return known.source;
    }
    const source = openSource(resolver, { ...dependencies, fileReads });
    opened.set(resolver.id, { made, source });
    known?.source.close?.().catch((cause: unknown) => {
      dependencies.log.warn('Connections of a resolver were not closed', {
        resolver: resolver.name,
        fault: String(cause),
      });
    });
    return source;
  };
  const close = async (): Promise<void> => {
    await Promise.all([...opened.values()].map(async ({ source }) => source.close?.()));
    opened.clear();
  };
  return Object.assign(open, { close });
}

function openSource(
  resolver: Resolver,
  dependencies: SourceDependencies & { readonly fileReads: Semaphore },
): ClosableUserSource {
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
      return new LdapUsers({
        resolver: name,
        settings,
        password: async () => (await secrets.open(resolver)) ?? '',
      });
  }
}
