import type { ActiveUserRow, LockedTokenRow, TokenCountRow } from '../token-counts.ts';
import { placesOfTokens, placesOfUsers, RealmTally } from '../realm-tally.ts';
import type { ActiveUserOverview, TokenNumbers, TokenOverview } from './overview.ts';

const COLUMNS = ['total', 'active', 'inactive', 'assigned', 'unassigned', 'locked'] as const;

/**
 * Adds up tokens by realm and status, in time proportional to the rows of counts.
 * @param realms names of realms and perhaps `NO_REALM`
 */
export function tokenOverview(
  tokens: readonly TokenCountRow[],
  locked: readonly LockedTokenRow[],
  realms: readonly string[],
): TokenOverview {
  const tally = new RealmTally(realms, COLUMNS.length);
  const add = (places: readonly string[], column: (typeof COLUMNS)[number], amount: number): void => {
    tally.add(places, COLUMNS.indexOf(column), amount);
  };
  for (const row of tokens) {
    const places = placesOfTokens(row);
    add(places, 'total', row.tokens);
    add(places, row.active ? 'active' : 'inactive', row.tokens);
    add(places, row.assigned ? 'assigned' : 'unassigned', row.tokens);
  }
  for (const row of locked) {
    add(placesOfTokens(row), 'locked', row.tokens);
  }
  return {
    realms: realms.map((realm) => ({ realm, ...numbers((column) => tally.of(realm, column)) })),
    summary: numbers((column) => tally.overall(column)),
  };
}

/** Adds up users with active tokens by realm. @param realms names of realms and perhaps `NO_REALM` */
export function activeUserOverview(
  rows: readonly ActiveUserRow[],
  realms: readonly string[],
): ActiveUserOverview {
  const tally = new RealmTally(realms, 1);
  for (const row of rows) {
    tally.add(placesOfUsers(row), 0, row.users);
  }
  return { realms: realms.map((realm) => ({ realm, users: tally.of(realm, 0) })), total: tally.overall(0) };
}

function numbers(sum: (column: number) => number): TokenNumbers {
  const [total = 0, active = 0, inactive = 0, assigned = 0, unassigned = 0, locked = 0] = COLUMNS.map(
    (_name, column) => sum(column),
  );
  return { total, active, inactive, assigned, unassigned, locked };
}
