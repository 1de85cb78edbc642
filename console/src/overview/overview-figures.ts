import type { Overview } from './use-overview.ts';

type Responses = NonNullable<Overview['responses']>;
type Tokens = NonNullable<Overview['tokens']>;
type Outcomes = Responses['outcomes'];

/** The name of the tokens and users without a realm, as the server writes it. */
export const NO_REALM = '/:no realm:/';

/** The groups of outcomes that a chart can tell apart; a table has every outcome. */
const OUTCOME_GROUPS = ['accepted', 'wrong', 'over', 'blocked', 'other'] as const;
export type OutcomeGroup = (typeof OUTCOME_GROUPS)[number];

const GROUP_OF: Readonly<Record<string, OutcomeGroup>> = {
  accepted: 'accepted',
  wrong: 'wrong',
  exhausted: 'wrong',
  closed: 'over',
  dropped: 'over',
  expired: 'over',
  locked: 'blocked',
  disabled: 'blocked',
};

/** @returns the numbers of responses by group and minute, of the groups that there were */
export function responseSeries({ minutes }: Pick<Responses, 'minutes'>): readonly {
  readonly group: OutcomeGroup;
  readonly counts: readonly number[];
}[] {
  return OUTCOME_GROUPS.map((group) => ({
    group,
    counts: minutes.map(({ outcomes }) => sumOfGroup(outcomes, group)),
  })).filter(({ counts }) => counts.some((count) => count > 0));
}

function sumOfGroup(outcomes: Outcomes, group: OutcomeGroup): number {
  return Object.entries(outcomes)
    .filter(([outcome]) => (GROUP_OF[outcome] ?? 'other') === group)
    .reduce((sum, [, count]) => sum + count, 0);
}

/** @returns the outcomes that there were, the most frequent first */
export function outcomeRows(outcomes: Outcomes): readonly (readonly [outcome: string, count: number])[] {
  return Object.entries(outcomes).sort(([, one], [, other]) => other - one);
}

/** The numbers of a realm. */
export interface RealmRow {
  readonly realm: string;
  /** Undefined: they may not be seen. */
  readonly tokens: Omit<Tokens['realms'][number], 'realm'> | undefined;
  readonly activeUsers: number | undefined;
}

/** @returns all realms of the overview, those with most tokens first; the tokens without a realm last */
export function realmRows({
  tokens,
  active_users,
}: Pick<Overview, 'tokens' | 'active_users'>): readonly RealmRow[] {
  const users = new Map(active_users?.realms.map((row) => [row.realm, row.users]));
  const numbers = new Map(tokens?.realms.map((row) => [row.realm, row]));
  return [...new Set([...numbers.keys(), ...users.keys()])]
    .map((realm) => ({ realm, tokens: numbers.get(realm), activeUsers: users.get(realm) }))
    .sort(bySize);
}

function bySize(one: RealmRow, other: RealmRow): number {
  if ((one.realm === NO_REALM) !== (other.realm === NO_REALM)) {
    return one.realm === NO_REALM ? 1 : -1;
  }
  return sizeOf(other) - sizeOf(one) || one.realm.localeCompare(other.realm);
}

function sizeOf({ tokens, activeUsers }: RealmRow): number {
  return tokens?.total ?? activeUsers ?? 0;
}

/**
 * @param sought a part of names
 * @param max the most rows
 * @returns the first rows whose name has that part, and the number of all of these
 */
export function soughtRows(
  rows: readonly RealmRow[],
  sought: string,
  max: number,
): { readonly rows: readonly RealmRow[]; readonly found: number } {
  const part = sought.trim().toLowerCase();
  const found = rows.filter(({ realm }) => realm.includes(part));
  return { rows: found.slice(0, max), found: found.length };
}

/** A resolver, as far as it may be seen. */
export interface ResolverRow {
  readonly resolver: string;
  readonly health: NonNullable<Overview['resolvers']>[number] | undefined;
  readonly users: NonNullable<Overview['users']>[number] | undefined;
}

const WORST_FIRST = ['unavailable', 'unknown', 'available'] as const;

/** @returns all resolvers, those that are unavailable first */
export function resolverRows({
  resolvers,
  users,
}: Pick<Overview, 'resolvers' | 'users'>): readonly ResolverRow[] {
  const health = new Map(resolvers?.map((row) => [row.resolver, row]));
  const counts = new Map(users?.map((row) => [row.resolver, row]));
  return [...new Set([...health.keys(), ...counts.keys()])]
    .map((resolver) => ({ resolver, health: health.get(resolver), users: counts.get(resolver) }))
    .sort((one, other) => placeOf(one) - placeOf(other) || one.resolver.localeCompare(other.resolver));
}

function placeOf({ health }: ResolverRow): number {
  return WORST_FIRST.indexOf(health?.state ?? 'unknown');
}
