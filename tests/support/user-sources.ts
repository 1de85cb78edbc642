import type { ManagedUserStore } from '../../src/accounts/ports.ts';
import {
  type OpenUserSources,
  openUserSources,
  type SourceDependencies,
} from '../../src/resolvers/user-sources.ts';
import { ReadableHasher } from './in-memory-user-store.ts';

/** @returns sources over the given table of managed users, whose other resolvers have no secrets unless told */
export function sourcesOver(
  users: ManagedUserStore,
  dependencies: Partial<SourceDependencies> = {},
): OpenUserSources {
  return openUserSources({
    users,
    hasher: new ReadableHasher(),
    secrets: { open: () => Promise.resolve(undefined) },
    ...dependencies,
  });
}
