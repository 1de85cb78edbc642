import type { Configuration, Resolver } from '../../configuration/configuration.ts';
import type { ResolverUse } from '../observation-store.ts';
import type { KeptUserCount } from '../user-count-store.ts';
import { settingsHash } from '../user-counts.ts';
import type { ResolverHealth, ResolverUserOverview } from './overview.ts';

/** The numbers of users of resolvers. */
export interface KnownUsers {
  /** Of managed resolvers, by their ids: present numbers. */
  readonly managed: ReadonlyMap<string, number>;
  /** Of the others: last known numbers. */
  readonly kept: readonly KeptUserCount[];
}

/**
 * Lists the resolvers of realms, with their numbers of users.
 * @param shown names of realms
 */
export function userOverview(
  { realms, resolvers }: Pick<Configuration, 'realms' | 'resolvers'>,
  known: KnownUsers,
  shown: readonly string[],
): readonly ResolverUserOverview[] {
  const visible = new Set(shown);
  const users = realms.filter(({ name }) => visible.has(name));
  return resolvers.flatMap((resolver) => {
    const usedBy = users.filter((realm) => realm.resolvers.includes(resolver.name)).map(({ name }) => name);
    return usedBy.length === 0
      ? []
      : [{ resolver: resolver.name, realms: usedBy, ...usersOf(resolver, known) }];
  });
}

function usersOf(
  resolver: Resolver,
  { managed, kept }: KnownUsers,
): Pick<ResolverUserOverview, 'users' | 'countedAt'> {
  if (resolver.kind === 'managed') {
    return { users: managed.get(resolver.id) ?? 0, countedAt: null };
  }
  const hash = settingsHash(resolver);
  const found = kept.find((one) => one.resolverId === resolver.id && one.settingsHash === hash);
  return { users: found?.users ?? null, countedAt: found?.countedAt ?? null };
}

/** @returns the health of all resolvers. A managed one is as available as the database, which has answered */
export function resolverHealth(
  resolvers: readonly Resolver[],
  uses: readonly ResolverUse[],
): readonly ResolverHealth[] {
  const byName = new Map(uses.map((use) => [use.resolver, use]));
  return resolvers.map(({ name, kind }) => {
    const { succeededAt, failedAt } = byName.get(name) ?? {};
    const state = kind === 'managed' ? 'available' : stateOf(succeededAt, failedAt);
    return { resolver: name, kind, state, succeededAt: succeededAt ?? null, failedAt: failedAt ?? null };
  });
}

function stateOf(succeededAt: Date | undefined, failedAt: Date | undefined): ResolverHealth['state'] {
  if (succeededAt === undefined && failedAt === undefined) {
    return 'unknown';
  }
  return (succeededAt?.getTime() ?? 0) >= (failedAt?.getTime() ?? 0) ? 'available' : 'unavailable';
}
