import type {
  ActiveUserReport,
  ConfigurationReport,
  LicenceReport,
  StatusCount,
  TokenReport,
  UserReport,
} from '../../../monitoring/outcomes.ts';
import type { Reply } from '../../reply.ts';
import type { RequestContext } from '../../request/exchange.ts';
import type { MonitoringDialect } from '../dialect.ts';
import { licenceSentence } from '../shared/licence-sentence.ts';
import {
  activeUserObjects,
  licenceNumbers,
  tokenObjects,
  userCountObjects,
} from '../shared/monitoring-objects.ts';
import type { DocumentedEnvelope } from './documented-envelope.ts';

type TableRow = readonly (string | number)[];

/** Tables contain their facts twice: as the published rows, and as the objects that clients of LinOTP read. */
interface TableResult {
  readonly head: readonly [];
  readonly data: readonly TableRow[];
  readonly value: Readonly<Record<string, unknown>>;
}

/** @returns the outcomes of /monitoring as published */
export function documentedMonitoring(envelope: DocumentedEnvelope): MonitoringDialect {
  const reply = (context: RequestContext, result: Readonly<Record<string, unknown>> | TableResult): Reply =>
    envelope.reply(context, { status: true, ...result });
  return {
    repeated: 'last',
    tokenReport: (report, context) => reply(context, tokenResult(report)),
    userReport: (report, context) => reply(context, userResult(report)),
    activeUserReport: (report, context) => reply(context, activeUserResult(report)),
    configurationReport: (report, context) => reply(context, configurationResult(report)),
    licenceReport: (report, context) => reply(context, licenceResult(report)),
    storageEncryption: (encrypted, context) => envelope.value(context, encrypted),
  };
}

function tokenResult(report: TokenReport): TableResult {
  return {
    head: [],
    data: [
      ...report.realms.flatMap(({ realm, counts }) => statusRows(realm, counts)),
      ...statusRows('Summary', report.summary),
    ],
    value: tokenObjects(report),
  };
}

function userResult(report: UserReport): TableResult {
  return { head: [], data: userRows(report), value: userCountObjects(report) };
}

function activeUserResult(report: ActiveUserReport): TableResult {
  return {
    head: [],
    data: [...userRows(report), ['Total', '', report.total]],
    value: activeUserObjects(report),
  };
}

function configurationResult(report: ConfigurationReport): Record<string, unknown> {
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

/** @returns all signed fields of a valid licence, and its use */
function licenceResult(report: LicenceReport): Record<string, unknown> {
  switch (report.kind) {
    case 'none':
      return { value: { support: 'community support' } };
    case 'valid':
      return { value: { ...report.licence.fields, ...licenceNumbers(report) } };
    case 'invalid':
      return { value: { valid: false, message: licenceSentence(report, 'en') } };
  }
}

function statusRows(realm: string, counts: readonly StatusCount[]): TableRow[] {
  return counts.map(({ status, count }) => [realm, status, count]);
}

function userRows({ realms }: Pick<UserReport, 'realms'>): TableRow[] {
  return realms.flatMap(({ realm, resolvers }) =>
    resolvers.map(({ resolver, users }) => [realm, resolver, users]),
  );
}
