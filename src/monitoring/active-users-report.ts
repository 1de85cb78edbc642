import type { Realm } from '../configuration/configuration.ts';
import type { ActiveUserReport, RealmUsers } from './outcomes.ts';
import type { ActiveUserRow } from './token-counts.ts';
import { NO_REALM } from './realm-choice.ts';
import { placesOfUsers, RealmTally } from './realm-tally.ts';

/**
 * Adds up the users with active tokens by realm and resolver.
 * @param rows active users of all resolvers
 * @param chosen names of realms and perhaps `NO_REALM`, in the order to show
 * @param realms all realms, for their resolvers; `NO_REALM` shows the resolvers of its users
 */
export function reportActiveUsers(
  rows: readonly ActiveUserRow[],
  chosen: readonly string[],
  realms: readonly Realm[],
): ActiveUserReport {
  const overall = new RealmTally(chosen, 1);
  const byResolver = new Map<string, RealmTally>();
  for (const row of rows) {
    const tally = byResolver.get(row.resolver) ?? new RealmTally(chosen, 1);
    byResolver.set(row.resolver, tally);
    const places = placesOfUsers(row);
    tally.add(places, 0, row.users);
    overall.add(places, 0, row.users);
  }
  const usersIn = (realm: string, resolver: string): number => byResolver.get(resolver)?.of(realm, 0) ?? 0;
  const resolversOf = new Map(realms.map(({ name, resolvers }) => [name, resolvers]));
  const withoutRealm = [...byResolver.keys()].filter((resolver) => usersIn(NO_REALM, resolver) > 0).sort();
  const report = (realm: string): RealmUsers => {
    const resolvers = realm === NO_REALM ? withoutRealm : (resolversOf.get(realm) ?? []);
    return { realm, resolvers: resolvers.map((resolver) => ({ resolver, users: usersIn(realm, resolver) })) };
  };
  return { realms: chosen.map(report), total: overall.overall(0) };
}
