import type { LicenceReport } from '../../../monitoring/outcomes.ts';
import type {
  Overview,
  ResolverHealth,
  ResponseNumbers,
  ResponseOverview,
} from '../../../monitoring/overview/overview.ts';

/** @returns the overview as clients read it, with times in ISO 8601 */
export function overviewObject(overview: Overview): object {
  const { tokens, activeUsers, users, licence, configuration, storageEncryption } = overview;
  return {
    tokens,
    active_users: activeUsers,
    users: users?.map(({ countedAt, ...user }) => ({ ...user, counted: timeOf(countedAt) })) ?? null,
    licence: licence && licenceObject(licence),
    configuration: configuration && {
      in_sync: configuration.sync,
      changed: timeOf(configuration.changedAt),
      values: configuration.values,
      realms: configuration.realms,
      policies: configuration.policies,
      resolvers: configuration.resolvers,
    },
    storage_encryption: storageEncryption,
    resolvers: overview.resolvers?.map(resolverObject) ?? null,
    responses: overview.responses && responsesObject(overview.responses),
  };
}

function licenceObject(report: LicenceReport): object {
  const licence = report.kind === 'none' ? undefined : report.licence;
  return {
    state: report.kind,
    explanation: report.kind === 'invalid' ? report.explanation : null,
    unit: licence?.unit ?? null,
    licensed: licence?.licensed ?? null,
    active: 'active' in report ? report.active : null,
    ends: timeOf(licence?.endsAt ?? null),
  };
}

function resolverObject({ resolver, kind, state, succeededAt, failedAt }: ResolverHealth): object {
  return { resolver, kind, state, succeeded: timeOf(succeededAt), failed: timeOf(failedAt) };
}

function responsesObject({ since, minutes, ...all }: ResponseOverview): object {
  return {
    since: timeOf(since),
    ...numbersObject(all),
    minutes: minutes.map(({ minute, ...numbers }) => ({
      minute: timeOf(minute),
      ...numbersObject(numbers),
    })),
  };
}

function numbersObject({ outcomes, p50, p95 }: ResponseNumbers): object {
  return {
    outcomes: Object.fromEntries(
      Object.entries(outcomes).map(([outcome, number]) => [outcome.replace(' ', '_'), number]),
    ),
    p50_ms: p50,
    p95_ms: p95,
  };
}

function timeOf(time: Date | null): string | null {
  return time === null ? null : time.toISOString();
}
