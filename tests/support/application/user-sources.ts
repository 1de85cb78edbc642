import {
  type DirectoryUser,
  type Examination,
  type UserSources,
  matchesUser,
} from '../../../src/resolvers/user-source.ts';
import type { ManagedUserStore } from '../../../src/users/managed-user-store.ts';
import type { Log } from '../../../src/kernel/log.ts';
import { FileBounds } from '../../../src/resolvers/sources/file-bounds.ts';
import {
  type OpenUserSources,
  openUserSources,
  type SourceDependencies,
} from '../../../src/resolvers/sources/user-sources.ts';
import { ReadableHasher } from './readable-hasher.ts';

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
    fileBounds: new FileBounds({ folders: [], timeoutMs: 30_000 }),
    timeoutMs: 30_000,
    log: SILENT,
    ...dependencies,
  });
}

/** A user of a resolver; what is left out is empty. */
interface HeldUser extends Partial<DirectoryUser> {
  readonly login: string;
  readonly password?: string;
}

/** @returns sources that hold these users, by the id of the resolver; the id of a user is `LOGIN-id` */
export function sourcesHolding(held: Readonly<Record<string, readonly (HeldUser | string)[]>>): UserSources {
  return ({ id }) => {
    const known = (held[id] ?? []).map((user) => (typeof user === 'string' ? { login: user } : user));
    const users = known.map(heldUser);
    const find = (isIt: (user: DirectoryUser) => boolean): Promise<DirectoryUser | undefined> =>
      Promise.resolve(users.find(isIt));
    return {
      findByLogin: (login) => find((user) => user.login === login),
      findById: (userId) => find((user) => user.userId === userId),
      list: (search = { conditions: [], limit: users.length }) =>
        Promise.resolve(users.filter((user) => matchesUser(user, search.conditions)).slice(0, search.limit)),
      count: () => Promise.resolve(users.length),
      examine: () => Promise.resolve(examination(users.length)),
      checkPassword: (userId, password) =>
        Promise.resolve(known.some((user) => heldUser(user).userId === userId && user.password === password)),
    };
  };
}

function heldUser({ login, userId = `${login}-id`, ...more }: HeldUser): DirectoryUser {
  const { givenName = '', surname = '', email = '', phone = '' } = more;
  return { userId, login, givenName, surname, email, phone };
}

/** @returns sources that can only count: as the given function says, by the resolver's name */
export function countingSources(count: (resolver: string) => Promise<number>): UserSources {
  const none = sourcesHolding({});
  return (resolver) => ({ ...none(resolver), count: () => count(resolver.name) });
}

/** @returns what a source has found out of its entries, which all are users unless something else is told */
export function examination(entries: number, more: Partial<Examination> = {}): Examination {
  return { entries, users: entries, withoutId: 0, withoutLogin: 0, sharingId: 0, ...more };
}
