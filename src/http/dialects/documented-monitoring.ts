import type {
  ActiveUserReport,
  ConfigurationReport,
  LicenseReport,
  StatusCount,
  TokenReport,
  UserReport,
} from '../../monitoring/outcomes.ts';

const LICENSES: Readonly<Record<LicenseReport['kind'], Readonly<Record<string, unknown>>>> = {
  none: { support: 'community support' },
};

type Row = readonly (string | number)[];

/** Tables carry their facts twice: as the described rows, and as the objects that readers of LinOTP's answers expect. */
interface TableResult {
  readonly head: readonly [];
  readonly data: readonly Row[];
  readonly value: Readonly<Record<string, unknown>>;
}

export function tokenResult({ realms, summary }: TokenReport): TableResult {
  return {
    head: [],
    data: [
      ...realms.flatMap(({ realm, counts }) => statusRows(realm, counts)),
      ...statusRows('Summary', summary),
    ],
    value: {
      Summary: statusObject(summary),
      Realms: Object.fromEntries(realms.map(({ realm, counts }) => [realm, statusObject(counts)])),
    },
  };
}

export function userResult(report: UserReport): TableResult {
  const stale = report.stale?.map(({ resolver, users, age, countedAt, reason }) => [
    resolver,
    { users, age, since: countedAt.toISOString(), reason },
  ]);
  return {
    head: [],
    data: userRows(report),
    value: {
      Realms: usersByRealm(report),
      ...(stale !== undefined && { stale: Object.fromEntries(stale) as Record<string, unknown> }),
    },
  };
}

export function activeUserResult(report: ActiveUserReport): TableResult {
  return {
    head: [],
    data: [...userRows(report), ['Total', '', report.total]],
    value: { Realms: usersByRealm(report), total: report.total },
  };
}

export function configurationResult(report: ConfigurationReport): Record<string, unknown> {
  const resolvers = Object.entries(report.resolvers).map(
    ([kind, count]) => [`${kind}resolver`, count] as const,
  );
  return {
    head: [],
    value: {
      sync: report.sync ? 'True' : 'False',
      synctime: report.readAt.toISOString(),
      changed: report.changedAt.toISOString(),
      now: report.now.toISOString(),
      total: report.total,
      ...Object.fromEntries(resolvers),
      policies: report.policies,
      realms: report.realms,
    },
  };
}

export function licenseResult({ kind }: LicenseReport): Record<string, unknown> {
  return { value: LICENSES[kind] };
}

function statusRows(realm: string, counts: readonly StatusCount[]): Row[] {
  return counts.map(({ status, count }) => [realm, status, count]);
}

function statusObject(counts: readonly StatusCount[]): Record<string, number> {
  return Object.fromEntries(counts.map(({ status, count }) => [status, count]));
}

function userRows({ realms }: Pick<UserReport, 'realms'>): Row[] {
  return realms.flatMap(({ realm, resolvers }) =>
    resolvers.map(({ resolver, users }) => [realm, resolver, users]),
  );
}

function usersByRealm({ realms }: Pick<UserReport, 'realms'>): Record<string, Record<string, number>> {
  return Object.fromEntries(
    realms.map(({ realm, resolvers }) => [
      realm,
      Object.fromEntries(resolvers.map(({ resolver, users }) => [resolver, users])),
    ]),
  );
}
