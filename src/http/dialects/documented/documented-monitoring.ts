import type {
  ActiveUserReport,
  ConfigurationReport,
  LicenseReport,
  StatusCount,
  TokenReport,
  UserReport,
} from '../../../monitoring/outcomes.ts';
import { licenceSentence } from '../shared/licence-sentence.ts';

type ValidLicense = Extract<LicenseReport, { kind: 'valid' }>;

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

/** A licence that counts shows all that was signed, and how much of it is used. */
export function licenseResult(report: LicenseReport): Record<string, unknown> {
  switch (report.kind) {
    case 'none':
      return { value: { support: 'community support' } };
    case 'valid':
      return { value: { ...report.licence.fields, ...licenseNumbers(report) } };
    case 'invalid':
      return { value: { valid: false, message: licenceSentence(report, 'en') } };
  }
}

/** @returns what is licensed, used and left of it, under the names of what the licence counts: `user-num`, `token-left` */
export function licenseNumbers({ licence, active }: ValidLicense): Record<string, number> {
  const { unit, licensed } = licence;
  return { [`${unit}-num`]: licensed, [`${unit}-active`]: active, [`${unit}-left`]: licensed - active };
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
