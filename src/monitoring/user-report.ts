import type { Realm } from '../configuration/configuration.ts';
import type { StaleUsers, UserReport } from './outcomes.ts';
import type { CountedUsers } from './user-counts.ts';

/**
 * Lists the users of realms by resolver.
 * @param shown the realms, in the order to show
 * @param counts of every resolver of these realms, by its name
 */
export function reportUsers(
  shown: readonly Realm[],
  counts: ReadonlyMap<string, CountedUsers>,
  now: Date,
): UserReport {
  const usersOf = (resolver: string): number => {
    const counted = counts.get(resolver);
    if (counted === undefined) {
      throw new Error('A resolver was not counted');
    }
    return counted.users;
  };
  const realms = shown.map(({ name, resolvers }) => ({
    realm: name,
    resolvers: resolvers.map((resolver) => ({ resolver, users: usersOf(resolver) })),
  }));
  const stale = [...counts].flatMap(([resolver, counted]) => staleUsers(resolver, counted, now));
  return stale.length === 0 ? { realms } : { realms, stale };
}

function staleUsers(resolver: string, { users, stale }: CountedUsers, now: Date): StaleUsers[] {
  if (stale === undefined) {
    return [];
  }
  const age = Math.max(0, Math.floor((now.getTime() - stale.countedAt.getTime()) / 1000));
  return [{ resolver, users, age, ...stale }];
}
