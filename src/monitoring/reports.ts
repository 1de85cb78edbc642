import type { ConfigurationStore } from '../configuration/configuration-store.ts';
import type {
  Configuration,
  Realm,
  Resolver,
  ResolverKind,
  Revision,
} from '../configuration/configuration.ts';
import { type Licence, LICENCE_KEY, readLicence } from '../configuration/licence.ts';
import type { Clock } from '../kernel/clock.ts';
import {
  type CountedTraits,
  hasStatus,
  NO_REALM,
  type TokenStatus,
  TOTAL,
  TOTAL_USERS,
} from './monitoring-query.ts';
import type { ActiveUserRow, TokenCountRow, TokenCountsSnapshot } from './token-counts.ts';
import type { CountedUsers } from './user-counts.ts';

/** A number of tokens, or for `total users` of users, and the name of the status that they share. */
export interface StatusCount {
  /** `total`, `total users`, or a status as requested (`unassigned&inactive`). */
  readonly status: string;
  readonly count: number;
}

interface RealmTokens {
  /** The realm's name, or `NO_REALM`. */
  readonly realm: string;
  /** `total`, `total users`, then each requested status, in the requested order. */
  readonly counts: readonly StatusCount[];
}

export interface TokenReport {
  readonly realms: readonly RealmTokens[];
  /** Over all these realms; a token or user in several of them counts once. Same order as in each realm. */
  readonly summary: readonly StatusCount[];
}

interface ResolverUsers {
  readonly resolver: string;
  readonly users: number;
}

interface RealmUsers {
  /** The realm's name; among active users also `NO_REALM`. */
  readonly realm: string;
  /** Users of the realm's resolvers, in its order. */
  readonly resolvers: readonly ResolverUsers[];
}

/** The last known number of users of a resolver that is unavailable now. */
interface StaleUsers {
  readonly resolver: string;
  readonly users: number;
  /** Age of the number, in whole seconds. */
  readonly age: number;
  readonly countedAt: Date;
  /** The reason why the resolver is unavailable, in words that may reach the client. */
  readonly reason: string;
}

export interface UserReport {
  readonly realms: readonly RealmUsers[];
  /** The resolvers whose last known number is in `realms`; absent if there is none. */
  readonly stale?: readonly StaleUsers[];
}

export interface ActiveUserReport {
  readonly realms: readonly RealmUsers[];
  /** Users with an active token in any of these realms, each user of a resolver once. */
  readonly total: number;
}

export interface ConfigurationReport {
  /** True if this server uses the configuration of the database. */
  readonly sync: boolean;
  /** Time at which this server read its configuration. */
  readonly readAt: Date;
  /** Time of the last change of the configuration in the database, by the database's clock. */
  readonly changedAt: Date;
  readonly now: Date;
  /** Number of all values, resolvers, policies and realms. */
  readonly total: number;
  /** Number of values alone. */
  readonly values: number;
  readonly resolvers: Readonly<Record<ResolverKind, number>>;
  /** Includes inactive policies. */
  readonly policies: number;
  readonly realms: number;
}

/** The state of the licence. `none`: support comes from the community. */
export type LicenceReport =
  | { readonly kind: 'none' }
  | {
      readonly kind: 'valid';
      readonly licence: Licence;
      /** Present number of units; may exceed the licensed number by the grace. */
      readonly active: number;
    }
  | ({ readonly kind: 'invalid' } & (
      | { readonly reason: 'unreadable'; readonly licence?: undefined }
      | { readonly reason: 'expired'; readonly licence: Licence }
      | { readonly reason: 'exceeded'; readonly licence: Licence; readonly active: number }
    ));

const TOLERATED_EXCESS = 2;

/** @returns the state of the licence in the settings at this time, with these counts of all realms */
export function reportLicence(
  settings: ReadonlyMap<string, string>,
  { tokens, activeUsers }: TokenCountsSnapshot,
  now: Date,
): LicenceReport {
  const text = settings.get(LICENCE_KEY);
  if (text === undefined) {
    return { kind: 'none' };
  }
  const licence = readLicence(text);
  if (licence === undefined) {
    return { kind: 'invalid', reason: 'unreadable' };
  }
  if (now >= licence.endsAt) {
    return { kind: 'invalid', reason: 'expired', licence };
  }
  const active =
    licence.unit === 'user'
      ? activeUsers.reduce((sum, { users }) => sum + users, 0)
      : tokens.reduce((sum, row) => sum + (row.active ? row.tokens : 0), 0);
  return active > licence.licensed + TOLERATED_EXCESS
    ? { kind: 'invalid', reason: 'exceeded', licence, active }
    : { kind: 'valid', licence, active };
}

const NOWHERE: readonly string[] = [NO_REALM];

/** Adds up amounts by realm and by column, and once each over all realms. */
export class RealmTally {
  readonly #byRealm: ReadonlyMap<string, number[]>;
  readonly #overall: number[];

  /**
   * @param realms names of realms and perhaps `NO_REALM`; amounts of others are left out
   * @param columns number of columns
   */
  constructor(realms: readonly string[], columns: number) {
    this.#overall = new Array<number>(columns).fill(0);
    this.#byRealm = new Map(realms.map((realm) => [realm, [...this.#overall]]));
  }

  /**
   * Adds the amount to each of these places that is in the tally, and once to the whole if any is. Avoids arrays, as it
   * runs for every row of counts at every request.
   */
  add(places: readonly string[], column: number, amount: number): void {
    let takesPart = false;
    for (const place of places) {
      const sums = this.#byRealm.get(place);
      if (sums !== undefined) {
        takesPart = true;
        addTo(sums, column, amount);
      }
    }
    if (takesPart) {
      addTo(this.#overall, column, amount);
    }
  }

  /** @returns the sum of one realm; 0 for a realm that is not in the tally */
  of(realm: string, column: number): number {
    return this.#byRealm.get(realm)?.[column] ?? 0;
  }

  /** @returns the sum over all realms, with amounts in several of them counted once */
  overall(column: number): number {
    return this.#overall[column] ?? 0;
  }
}

function addTo(sums: number[], column: number, amount: number): void {
  sums[column] = (sums[column] ?? 0) + amount;
}

/** @returns the places in which such tokens are counted: each of their realms, or `NO_REALM` */
export function placesOfTokens({ realms }: Pick<TokenCountRow, 'realms'>): readonly string[] {
  return realms.length === 0 ? NOWHERE : realms;
}

/** @returns the places in which such users are counted: those of their active tokens */
export function placesOfUsers({
  realms,
  inNoRealm,
}: Pick<ActiveUserRow, 'realms' | 'inNoRealm'>): readonly string[] {
  return inNoRealm ? [...realms, NO_REALM] : realms;
}

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

/** The state of the configuration: in this server's memory, and in the database itself. */
export type ConfigurationState = Pick<ConfigurationStore, 'assumed' | 'lastChangeInDatabase'>;

/**
 * Compares the configuration that this server uses with the last change in the database.
 * @param configuration the configuration in use
 * @param stored the last change, read from the database
 */
function reportConfiguration(configuration: Configuration, stored: Revision, now: Date): ConfigurationReport {
  const { settings, resolvers, policies, realms } = configuration;
  return {
    sync: isInStep(configuration, stored),
    readAt: configuration.readAt,
    changedAt: stored.changedAt,
    now,
    total: settings.size + resolvers.length + policies.length + realms.length,
    values: settings.size,
    resolvers: countByKind(resolvers),
    policies: policies.length,
    realms: realms.length,
  };
}

/**
 * Compares the configuration that this server uses with that of the database.
 * @param read reads the configuration in use
 */
export async function compareConfiguration(
  state: ConfigurationState,
  clock: Clock,
  read: () => Promise<Configuration>,
): Promise<{ readonly configuration: Configuration; readonly report: ConfigurationReport }> {
  // Read before the request itself reads the configuration, which would hide a change that the server has missed.
  const before = state.assumed;
  const stored = await state.lastChangeInDatabase();
  const after = state.assumed;
  const configuration = await read();
  // A change during this request, if noticed, is in one of the two.
  const works = before !== undefined && isInStep(before, stored) ? before : (after ?? configuration);
  // The server has already read a change that is later than the read of the database.
  const isAhead = works.revision > stored.revision;
  const last = isAhead ? await state.lastChangeInDatabase() : stored;
  return { configuration, report: reportConfiguration(works, last, clock.now()) };
}

/**
 * @returns true if the configuration is of that change. Compares the time too: a restored database can repeat a
 *   revision
 */
function isInStep(configuration: Configuration, stored: Revision): boolean {
  return (
    configuration.revision === stored.revision &&
    configuration.changedAt.getTime() === stored.changedAt.getTime()
  );
}

function countByKind(resolvers: readonly Resolver[]): Readonly<Record<ResolverKind, number>> {
  const counts: Record<ResolverKind, number> = { managed: 0, passwd: 0, sql: 0, ldap: 0 };
  for (const { kind } of resolvers) {
    counts[kind] += 1;
  }
  return counts;
}
