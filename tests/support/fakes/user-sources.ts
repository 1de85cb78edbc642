import type { ManagedUserStore } from '../../../src/resolvers/ports.ts';
import type { Log } from '../../../src/kernel/log.ts';
import { FileBounds } from '../../../src/resolvers/sources/file-bounds.ts';
import {
  type OpenUserSources,
  openUserSources,
  type SourceDependencies,
} from '../../../src/resolvers/sources/user-sources.ts';
import { HashedDirectoryPasswords } from '../../../src/security/passwords/directory-password.ts';
import { ReadableHasher } from './in-memory-user-store.ts';

const SILENT: Log = {
  error: () => undefined,
  warn: () => undefined,
  info: () => undefined,
  debug: () => undefined,
};

/** @returns sources over the given table of managed users; by default the other resolvers have no secrets */
export function sourcesOver(
  users: ManagedUserStore,
  dependencies: Partial<SourceDependencies> = {},
): OpenUserSources {
  return openUserSources({
    users,
    hasher: new ReadableHasher(),
    secrets: { open: () => Promise.resolve(undefined) },
    passwords: new HashedDirectoryPasswords({ hasher: new ReadableHasher() }),
    fileBounds: new FileBounds({ folders: [], timeoutMs: 30_000 }),
    timeoutMs: 30_000,
    log: SILENT,
    ...dependencies,
  });
}
