import type { ResponseReason } from '../challenges/challenge.ts';
import type { Configuration, Resolver, ResolverKind } from '../configuration/configuration.ts';
import type { ResolverUse, ResponseMinute, ResponseOutcomes } from './observation-store.ts';
import { addDurations, countOf, NO_DURATIONS, quantile } from './observations.ts';
import {
  type ConfigurationReport,
  type LicenceReport,
  placesOfTokens,
  placesOfUsers,
  RealmTally,
} from './reports.ts';
import type { ActiveUserRow, LockedTokenRow, TokenCountRow } from './token-counts.ts';
import type { KeptUserCount } from './user-count-store.ts';
import { settingsHash } from './user-counts.ts';

/** Numbers of tokens by status. */
interface TokenNumbers {
  readonly total: number;
  readonly active: number;
  readonly inactive: number;
  readonly assigned: number;
  readonly unassigned: number;
  readonly locked: number;
}

interface RealmTokenNumbers extends TokenNumbers {
  readonly realm: string;
}

interface TokenOverview {
  readonly realms: readonly RealmTokenNumbers[];
  /** Over all these realms; a token in several of them counts once. */
  readonly summary: TokenNumbers;
}

/** Users with an active token, by realm. */
interface ActiveUserOverview {
  readonly realms: readonly { readonly realm: string; readonly users: number }[];
  /** Over all these realms; a user in several of them counts once. */
  readonly total: number;
}

/** The number of users of a resolver. */
interface ResolverUserOverview {
  readonly resolver: string;
  /** The shown realms that use it. */
  readonly realms: readonly string[];
  /** Null: it was never counted with its present settings. */
  readonly users: number | null;
  /** The time of the count; null: the number is the present one, or there is none. */
  readonly countedAt: Date | null;
}

/** The health of a resolver: its state at its last use by any server, and the times of the last uses. */
export interface ResolverHealth {
  readonly resolver: string;
  readonly kind: ResolverKind;
  /** `unknown`: it was not used yet. */
  readonly state: 'available' | 'unavailable' | 'unknown';
  readonly succeededAt: Date | null;
  readonly failedAt: Date | null;
}

/** Responses by outcome, with estimates of the time that their verification took. */
interface ResponseNumbers {
  /** Those that there were. */
  readonly outcomes: ResponseOutcomes;
  /** Milliseconds; null without responses. */
  readonly p50: number | null;
  readonly p95: number | null;
}

/** Responses of the last hour, over all realms. */
interface ResponseOverview extends ResponseNumbers {
  /** The first minute. */
  readonly since: Date;
  /** Sixty, the last one of which is not over. */
  readonly minutes: readonly (ResponseNumbers & { readonly minute: Date })[];
}

/** The configuration that a server uses, compared with that of the database. */
export type ConfigurationOverview = Pick<
  ConfigurationReport,
  'sync' | 'changedAt' | 'values' | 'resolvers' | 'policies' | 'realms'
>;

interface LicenceOverview {
  readonly state: LicenceReport['kind'];
  /** Why it is invalid; null: it is not. */
  readonly reason: 'unreadable' | 'expired' | 'exceeded' | null;
  readonly unit: 'user' | 'token' | null;
  readonly licensed: number | null;
  readonly active: number | null;
  /** The first instant at which it is no longer valid. */
  readonly endsAt: Date | null;
}

export function licenceOverview(report: LicenceReport): LicenceOverview {
  const licence = report.kind === 'none' ? undefined : report.licence;
  return {
    state: report.kind,
    reason: report.kind === 'invalid' ? report.reason : null,
    unit: licence?.unit ?? null,
    licensed: licence?.licensed ?? null,
    active: 'active' in report ? report.active : null,
    endsAt: licence?.endsAt ?? null,
  };
}

/** The state of an installation. A part is null for a caller without the right to see it. */
export interface Overview {
  readonly tokens: TokenOverview | null;
  readonly activeUsers: ActiveUserOverview | null;
  readonly users: readonly ResolverUserOverview[] | null;
  readonly licence: LicenceOverview | null;
  readonly configuration: ConfigurationOverview | null;
  /** True if a new secret was found encrypted a minute ago at most; false, too, while there is no key to encrypt with. */
  readonly storageEncryption: boolean | null;
  readonly resolvers: readonly ResolverHealth[] | null;
  readonly responses: ResponseOverview | null;
}

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
  const shownRealms = realms.filter(({ name }) => visible.has(name));
  return resolvers.flatMap((resolver) => {
    const usedBy = shownRealms
      .filter((realm) => realm.resolvers.includes(resolver.name))
      .map(({ name }) => name);
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

const MINUTE_MS = 60_000;
const MINUTES = 60;
/** Minutes by which a clock may be ahead: later rows are of a clock that was wrong, and would stay for as long. */
const AHEAD = 5;

/** @returns the first of the sixty minutes that end with the present one */
export function firstMinute(now: Date): Date {
  const present = Math.floor(now.getTime() / MINUTE_MS);
  return new Date((present - MINUTES + 1) * MINUTE_MS);
}

/**
 * @param rows from that minute on; those of a server whose clock is ahead may be later than the last minute
 * @param since the first minute
 */
export function responseOverview(rows: readonly ResponseMinute[], since: Date): ResponseOverview {
  const end = since.getTime() + (MINUTES + AHEAD) * MINUTE_MS;
  const recent = rows.filter(({ minute }) => minute.getTime() < end);
  const byMinute = new Map<number, ResponseMinute[]>();
  for (const row of recent) {
    const found = byMinute.get(row.minute.getTime()) ?? [];
    found.push(row);
    byMinute.set(row.minute.getTime(), found);
  }
  const minutes = Array.from({ length: MINUTES }, (_, place) => {
    const minute = new Date(since.getTime() + place * MINUTE_MS);
    return { minute, ...numbersOf(byMinute.get(minute.getTime()) ?? []) };
  });
  return { since, ...numbersOf(recent), minutes };
}

function numbersOf(rows: readonly ResponseMinute[]): ResponseNumbers {
  const outcomes: Partial<Record<ResponseReason, number>> = {};
  let durations = NO_DURATIONS;
  for (const row of rows) {
    outcomes[row.outcome] = (outcomes[row.outcome] ?? 0) + countOf(row.durations);
    durations = addDurations(durations, row.durations);
  }
  return { outcomes, p50: quantile(durations, 0.5) ?? null, p95: quantile(durations, 0.95) ?? null };
}
