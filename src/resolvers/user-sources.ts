import type { ManagedUserStore, PasswordHasher, UserSource, UserSources } from '../accounts/ports.ts';
import type { Resolver } from '../accounts/setup.ts';
import { ManagedUsers } from './managed.ts';
import { PasswdFile } from './passwd-file.ts';

/**
 * @returns what opens the users of a resolver by its kind; one source for each resolver as long as the configuration
 *   does not change, so that a source can keep what it has read
 */
export function openUserSources(dependencies: {
  readonly users: ManagedUserStore;
  readonly hasher: PasswordHasher;
}): UserSources {
  const opened = new WeakMap<Resolver, UserSource>();
  return (resolver) => {
    const source = opened.get(resolver) ?? openSource(resolver, dependencies);
    opened.set(resolver, source);
    return source;
  };
}

function openSource(
  { id, name, kind, settings }: Resolver,
  { users, hasher }: { readonly users: ManagedUserStore; readonly hasher: PasswordHasher },
): UserSource {
  switch (kind) {
    case 'managed':
      return new ManagedUsers({ resolverId: id, users, hasher });
    case 'passwd':
      return new PasswdFile({ resolver: name, fileName: settings.fileName ?? '' });
  }
}
