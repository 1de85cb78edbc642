import type {
  ActiveUserReport,
  LicenceReport,
  StatusCount,
  TokenReport,
  UserReport,
} from '../../../monitoring/outcomes.ts';

type ValidLicence = Extract<LicenceReport, { kind: 'valid' }>;
type Members = Readonly<Record<string, unknown>>;

/** @returns the numbers of tokens by realm and status, as clients of LinOTP read them */
export function tokenObjects({ realms, summary }: TokenReport): Members {
  return {
    Summary: statusObject(summary),
    Realms: Object.fromEntries(realms.map(({ realm, counts }) => [realm, statusObject(counts)])),
  };
}

/** @returns the numbers of users by realm and resolver, and those of unavailable resolvers by their last known value */
export function userCountObjects(report: UserReport): Members {
  const stale = report.stale?.map(({ resolver, users, age, countedAt, reason }) => [
    resolver,
    { users, age, since: countedAt.toISOString(), reason },
  ]);
  return {
    Realms: usersByRealm(report),
    ...(stale !== undefined && { stale: Object.fromEntries(stale) as Record<string, unknown> }),
  };
}

/** @returns the numbers of users with an active token by realm and resolver, and of all of them */
export function activeUserObjects(report: ActiveUserReport): Members {
  return { Realms: usersByRealm(report), total: report.total };
}

/** @returns the numbers licensed, used and left, under the names of the licence's unit: `user-num`, `token-left` */
export function licenceNumbers({ licence, active }: ValidLicence): Record<string, number> {
  const { unit, licensed } = licence;
  return { [`${unit}-num`]: licensed, [`${unit}-active`]: active, [`${unit}-left`]: licensed - active };
}

function statusObject(counts: readonly StatusCount[]): Record<string, number> {
  return Object.fromEntries(counts.map(({ status, count }) => [status, count]));
}

function usersByRealm({ realms }: Pick<UserReport, 'realms'>): Record<string, Record<string, number>> {
  return Object.fromEntries(
    realms.map(({ realm, resolvers }) => [
      realm,
      Object.fromEntries(resolvers.map(({ resolver, users }) => [resolver, users])),
    ]),
  );
}
