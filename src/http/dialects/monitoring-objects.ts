import { z } from 'zod';
import type {
  ActiveUserReport,
  LicenceReport,
  StatusCount,
  TokenReport,
  UserReport,
} from '../../monitoring/reports.ts';
import { count, type Shown } from '../answers.ts';
import { type Language, translate } from '../messages.ts';

type ValidLicence = Extract<LicenceReport, { kind: 'valid' }>;

const realmName = z.string().describe('the realm, `/:no realm:/` for tokens in none');
const counts = z.record(
  z.string().describe('`total`, `total users`, or a requested status'),
  count.describe('the number of tokens, or of users'),
);
const usersByRealm = z.record(realmName, z.record(z.string().describe('the resolver'), count));

/** Numbers of tokens. */
export const TOKEN_OBJECTS = z.strictObject({
  Summary: counts.describe('all these realms together; a token in several of them counts once'),
  Realms: z.record(realmName, counts),
});

/** Numbers of users. */
export const USER_OBJECTS = z.strictObject({
  Realms: usersByRealm,
  stale: z
    .record(
      z.string().describe('the resolver'),
      z.strictObject({
        users: count,
        age: count.describe('the age of the number, in seconds'),
        since: z.iso.datetime(),
        reason: z.string(),
      }),
    )
    .optional()
    .describe('resolvers that are unavailable: their last known numbers'),
});

/** Numbers of users with an active token. */
export const ACTIVE_USER_OBJECTS = z.strictObject({
  Realms: usersByRealm,
  total: count.describe('users with an active token, each once'),
});

/** The use of a licence by users. */
export const USER_NUMBERS = { 'user-num': count, 'user-active': count, 'user-left': z.int() };
/** The use of a licence by tokens. */
export const TOKEN_NUMBERS = { 'token-num': count, 'token-active': count, 'token-left': z.int() };
/** A licence that does not count. */
export const INVALID_LICENCE = z.strictObject({ valid: z.literal(false), message: z.string() });

/** The numbers of a configuration that both dialects show. */
export const CONFIGURATION_NUMBERS = {
  total: count.describe('values, resolvers, policies and realms'),
  ldapresolver: count,
  sqlresolver: count,
  passwdresolver: count,
  policies: count,
  realms: count,
};

/** @returns the numbers of tokens by realm and status, as clients of LinOTP read them */
export function shownTokens({ realms, summary }: TokenReport): Shown<typeof TOKEN_OBJECTS> {
  return {
    Summary: shownCounts(summary),
    Realms: Object.fromEntries(realms.map(({ realm, counts }) => [realm, shownCounts(counts)])),
  };
}

/** @returns the numbers of users by realm and resolver, and those of unavailable resolvers by their last known value */
export function shownUserCounts(report: UserReport): Shown<typeof USER_OBJECTS> {
  const stale = report.stale?.map(
    ({ resolver, users, age, countedAt, reason }) =>
      [resolver, { users, age, since: countedAt.toISOString(), reason }] as const,
  );
  return {
    Realms: usersOf(report),
    ...(stale !== undefined && { stale: Object.fromEntries(stale) }),
  };
}

/** @returns the numbers of users with an active token by realm and resolver, and of all of them */
export function shownActiveUsers(report: ActiveUserReport): Shown<typeof ACTIVE_USER_OBJECTS> {
  return { Realms: usersOf(report), total: report.total };
}

/** @returns the numbers licensed, used and left, under the names of the licence's unit: `user-num`, `token-left` */
export function licenceNumbers({
  licence: { unit, licensed },
  active,
}: ValidLicence): Shown<z.ZodObject<typeof USER_NUMBERS>> | Shown<z.ZodObject<typeof TOKEN_NUMBERS>> {
  const left = licensed - active;
  return unit === 'user'
    ? { 'user-num': licensed, 'user-active': active, 'user-left': left }
    : { 'token-num': licensed, 'token-active': active, 'token-left': left };
}

function shownCounts(counts: readonly StatusCount[]): Record<string, number> {
  return Object.fromEntries(counts.map(({ status, count }) => [status, count]));
}

function usersOf({ realms }: Pick<UserReport, 'realms'>): Record<string, Record<string, number>> {
  return Object.fromEntries(
    realms.map(({ realm, resolvers }) => [
      realm,
      Object.fromEntries(resolvers.map(({ resolver, users }) => [resolver, users])),
    ]),
  );
}

/** @returns the reason why a licence is not valid, as a sentence for clients */
export function licenceSentence(
  report: Extract<LicenceReport, { kind: 'invalid' }>,
  language: Language,
): string {
  switch (report.reason) {
    case 'unreadable':
      return 'license could not be read!';
    case 'expired':
      return `expired - valid till '${report.licence.fields.expire}'`;
    case 'exceeded': {
      const { active, licence } = report;
      const { unit, licensed } = licence;
      return unit === 'user'
        ? `volume exceeded: ${active} token users found > ${licensed} token users licensed.`
        : translate('licence/exceeded', language, { active, licensed });
    }
  }
}
