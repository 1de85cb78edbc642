import { z } from 'zod';
import { type ResponseReason, RESPONSE_REASONS } from '../challenges/challenge.ts';
import { type Configuration, type Resolver, RESOLVER_KINDS } from '../configuration/configuration.ts';
import type { ReadonlyDeep } from '../kernel/readonly-deep.ts';
import type { ResolverUse, ResponseMinute } from './observation-store.ts';
import { addDurations, countOf, NO_DURATIONS, quantile } from './observations.ts';
import { type LicenceReport, placesOfTokens, placesOfUsers, RealmTally } from './reports.ts';
import type { ActiveUserRow, LockedTokenRow, TokenCountRow } from './token-counts.ts';
import type { KeptUserCount } from './user-count-store.ts';
import { settingsHash } from './user-counts.ts';

const count = z.int().nonnegative();
const time = z.date().nullable();
const realm = z
  .string()
  .meta({ column: 'REALM', description: 'the realm, `/:no realm:/` for tokens in none' });

const NUMBERS = {
  total: count.meta({ column: 'TOTAL' }),
  active: count.meta({ column: 'ACTIVE' }),
  inactive: count.meta({ column: 'INACTIVE' }),
  assigned: count.meta({ column: 'ASSIGNED' }),
  unassigned: count.meta({ column: 'UNASSIGNED' }),
  locked: count.meta({ column: 'LOCKED' }),
};

const milliseconds = z.number().nonnegative().nullable().describe('milliseconds; null without responses');
const RESPONSES = {
  outcomes: z.partialRecord(z.enum(RESPONSE_REASONS), count).describe('the numbers of those that there were'),
  p50: milliseconds,
  p95: milliseconds,
};

/** The health of a resolver: its state at its last use by any server, and the times of the last uses. */
export const RESOLVER_HEALTH = z.object({
  resolver: z.string().meta({ column: 'RESOLVER' }),
  kind: z.enum(RESOLVER_KINDS).meta({ column: 'KIND' }),
  // `unknown`: it was not used yet.
  state: z
    .enum(['available', 'unavailable', 'unknown'])
    .meta({ column: 'STATE', description: 'at its last use by any server' }),
  succeededAt: time.meta({ column: 'SUCCEEDED' }),
  failedAt: time.meta({ column: 'FAILED' }),
});

/** The state of an installation. A part is null for a caller without the right to see it. */
export const OVERVIEW = z.object({
  tokens: z
    .object({
      realms: z.array(z.object({ realm, ...NUMBERS })).meta({ column: 'Tokens' }),
      summary: z.object(NUMBERS).describe('all these realms; a token in several of them counts once'),
    })
    .nullable()
    .describe('null without the right `monitoring:tokens`'),
  activeUsers: z
    .object({
      realms: z
        .array(z.object({ realm, users: count.meta({ column: 'ACTIVE USERS' }) }))
        .meta({ column: 'Active users' }),
      total: count.describe('users with an active token, each once'),
    })
    .nullable()
    .describe('null without the right `monitoring:activeUsers`'),
  users: z
    .array(
      z.object({
        resolver: z.string().meta({ column: 'RESOLVER' }),
        realms: z.array(z.string()).meta({ column: 'REALMS', description: 'the shown realms that use it' }),
        users: count
          .nullable()
          .meta({ column: 'USERS', description: 'null: never counted with its present settings' }),
        countedAt: time.describe('the time of the count; null: the number is the present one'),
      }),
    )
    .nullable()
    .meta({ column: 'Users', description: 'null without the right `monitoring:userinfo`' }),
  licence: z
    .object({
      state: z.enum(['none', 'valid', 'invalid']),
      reason: z.enum(['unreadable', 'expired', 'exceeded']).nullable().describe('why it is invalid'),
      unit: z.enum(['user', 'token']).nullable(),
      licensed: count.nullable(),
      active: count.nullable(),
      endsAt: time.describe('the first instant at which it is no longer valid'),
    })
    .nullable()
    .describe('null without the right `monitoring:license`'),
  // Without the times of the comparison itself: they change all the time, and with them the tag of the answer would.
  configuration: z
    .object({
      sync: z.boolean().describe('this server uses the configuration of the database'),
      changedAt: z.date(),
      values: count,
      realms: count,
      policies: count,
      resolvers: z.object({ managed: count, passwd: count, sql: count, ldap: count }),
    })
    .nullable()
    .describe('null without the right `monitoring:config`'),
  storageEncryption: z
    .boolean()
    .nullable()
    .describe(
      'a new secret was found encrypted, a minute ago at most; false, too, while there is no key to encrypt with; null without the right `monitoring:storageEncryption`',
    ),
  resolvers: z
    .array(RESOLVER_HEALTH)
    .nullable()
    .meta({ column: 'Resolvers', description: 'null without the right `system:read`' }),
  responses: z
    .object({
      since: z.date(),
      ...RESPONSES,
      // The last one is not over.
      minutes: z.array(z.object({ minute: z.date(), ...RESPONSES })).describe('the last sixty'),
    })
    .nullable()
    .describe(
      'of the last hour, in all realms, with the time that verification took; null without the right `monitoring:metrics`',
    ),
});

export type Overview = ReadonlyDeep<z.output<typeof OVERVIEW>>;
/** A part, for those who may see it. */
type Part<Name extends keyof Overview> = NonNullable<Overview[Name]>;
type ResolverHealth = ReadonlyDeep<z.output<typeof RESOLVER_HEALTH>>;

const DONE = z.boolean().describe('true: done');

/** What an installation needs before its first use, in this order. */
export const FIRST_STEPS = z.object({
  resolver: DONE,
  user: DONE.describe('true: a managed resolver has a user, or a resolver reads them elsewhere'),
  emptyResolver: z
    .string()
    .nullable()
    .describe('a managed resolver for the first user; null: there is none, or a user'),
  realm: DONE,
  answerAddress: DONE.describe('true: a policy names the address of responses (`qrtanurl`)'),
  proposedAddress: z
    .string()
    .nullable()
    .describe('the address of this server by `PUBLIC_URL`; null: not known'),
  token: DONE,
  secondFactor: DONE.describe('true: an administrator has one'),
  backup: DONE.describe('true: the audit records an export, or the setting `BackupElsewhere` is True'),
});

export function licenceOverview(report: LicenceReport): Part<'licence'> {
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

const COLUMNS = ['total', 'active', 'inactive', 'assigned', 'unassigned', 'locked'] as const;

/**
 * Adds up tokens by realm and status, in time proportional to the rows of counts.
 * @param realms names of realms and perhaps `NO_REALM`
 */
export function tokenOverview(
  tokens: readonly TokenCountRow[],
  locked: readonly LockedTokenRow[],
  realms: readonly string[],
): Part<'tokens'> {
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
): Part<'activeUsers'> {
  const tally = new RealmTally(realms, 1);
  for (const row of rows) {
    tally.add(placesOfUsers(row), 0, row.users);
  }
  return { realms: realms.map((realm) => ({ realm, users: tally.of(realm, 0) })), total: tally.overall(0) };
}

function numbers(sum: (column: number) => number): Part<'tokens'>['summary'] {
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
): Part<'users'> {
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
): Pick<Part<'users'>[number], 'users' | 'countedAt'> {
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
export function responseOverview(rows: readonly ResponseMinute[], since: Date): Part<'responses'> {
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

function numbersOf(rows: readonly ResponseMinute[]): Pick<Part<'responses'>, keyof typeof RESPONSES> {
  const outcomes: Partial<Record<ResponseReason, number>> = {};
  let durations = NO_DURATIONS;
  for (const row of rows) {
    outcomes[row.outcome] = (outcomes[row.outcome] ?? 0) + countOf(row.durations);
    durations = addDurations(durations, row.durations);
  }
  return { outcomes, p50: quantile(durations, 0.5) ?? null, p95: quantile(durations, 0.95) ?? null };
}
