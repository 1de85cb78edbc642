import type { StatusCount, TokenReport } from './outcomes.ts';
import type { TokenCountsSnapshot } from './ports.ts';
import { placesOfTokens, placesOfUsers, RealmTally } from './realm-tally.ts';
import { hasStatus, TOTAL, TOTAL_USERS, type TokenStatus } from './token-status.ts';

/**
 * Adds up tokens and users by realm and status. The work grows with the rows of counts, not with the tokens.
 * @param realms names of realms and perhaps `NO_REALM`, in the order to show
 * @returns each of these realms, and a summary in which a token or user in several of them counts once
 */
export function reportTokens(
  { tokens, activeUsers }: TokenCountsSnapshot,
  realms: readonly string[],
  statuses: readonly TokenStatus[],
): TokenReport {
  const names = [TOTAL, TOTAL_USERS, ...statuses.map(({ name }) => name)];
  const [total, totalUsers, firstStatus] = [0, 1, 2];
  const tally = new RealmTally(realms, names.length);
  for (const row of tokens) {
    const places = placesOfTokens(row);
    tally.add(places, total, row.tokens);
    statuses.forEach((status, index) => {
      tally.add(places, firstStatus + index, hasStatus(row, status) ? row.tokens : 0);
    });
  }
  for (const row of activeUsers) {
    tally.add(placesOfUsers(row), totalUsers, row.users);
  }
  const named = (count: (column: number) => number): StatusCount[] =>
    names.map((status, column) => ({ status, count: count(column) }));
  return {
    realms: realms.map((realm) => ({ realm, counts: named((column) => tally.of(realm, column)) })),
    summary: named((column) => tally.overall(column)),
  };
}
