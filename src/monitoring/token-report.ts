import type { StatusCount, TokenReport } from './outcomes.ts';
import type { TokenCountsSnapshot } from './token-counts.ts';
import { placesOfTokens, placesOfUsers, RealmTally } from './realm-tally.ts';
import { hasStatus, TOTAL, TOTAL_USERS, type CountedTraits, type TokenStatus } from './token-status.ts';

/** All combinations of counted facts: each is a column of the tally, and every status a sum of columns. */
const KINDS: readonly CountedTraits[] = [
  { active: true, assigned: true },
  { active: true, assigned: false },
  { active: false, assigned: true },
  { active: false, assigned: false },
];
const USERS = KINDS.length;

/**
 * Adds up tokens and users by realm, in time proportional to the rows of counts, not to the tokens.
 * @param realms names of realms and perhaps `NO_REALM`
 */
export function tallyTokens(
  { tokens, activeUsers }: TokenCountsSnapshot,
  realms: readonly string[],
): RealmTally {
  const tally = new RealmTally(realms, KINDS.length + 1);
  for (const row of tokens) {
    tally.add(placesOfTokens(row), columnOf(row), row.tokens);
  }
  for (const row of activeUsers) {
    tally.add(placesOfUsers(row), USERS, row.users);
  }
  return tally;
}

/**
 * @param tally of these realms
 * @param realms in the order to show
 * @returns each of these realms by status, and a summary in which a token or user in several of them counts once
 */
export function reportTokens(
  tally: RealmTally,
  realms: readonly string[],
  statuses: readonly TokenStatus[],
): TokenReport {
  const columns = [
    { status: TOTAL, of: KINDS.map((_kind, column) => column) },
    { status: TOTAL_USERS, of: [USERS] },
    ...statuses.map((status) => ({
      status: status.name,
      of: KINDS.flatMap((kind, column) => (hasStatus(kind, status) ? [column] : [])),
    })),
  ];
  const named = (sums: (column: number) => number): StatusCount[] =>
    columns.map(({ status, of }) => ({ status, count: of.reduce((sum, column) => sum + sums(column), 0) }));
  return {
    realms: realms.map((realm) => ({ realm, counts: named((column) => tally.of(realm, column)) })),
    summary: named((column) => tally.overall(column)),
  };
}

/** Computes the index in `KINDS` without a search, as it runs for each row. */
function columnOf({ active, assigned }: CountedTraits): number {
  return (active ? 0 : 2) + (assigned ? 0 : 1);
}
