import { z } from 'zod';
import type {
  ActiveUserReport,
  ConfigurationReport,
  LicenceReport,
  StatusCount,
  TokenReport,
  UserReport,
} from '../../monitoring/reports.ts';
import type { RequestContext } from '../request/exchange.ts';
import type { MonitoringDialect } from './dialect.ts';
import {
  licenceSentence,
  activeUserObjects,
  CONFIGURATION_NUMBERS,
  INVALID_LICENCE,
  licenceNumbers,
  TOKEN_NUMBERS,
  tokenObjects,
  USER_NUMBERS,
  userCountObjects,
} from './monitoring-objects.ts';
import type { Reply } from '../reply.ts';
import type { DocumentedEnvelope } from './documented.ts';

const field = z.union([z.string(), z.number(), z.boolean()]);

/** The value of /monitoring/config. */
export const DOCUMENTED_CONFIGURATION = z.strictObject({
  sync: z.enum(['True', 'False']).describe('`True`: this server uses the stored configuration'),
  synctime: z.iso.datetime().describe('the time at which this server read the configuration'),
  changed: z.iso.datetime().describe('the time of the last change'),
  now: z.iso.datetime(),
  ...CONFIGURATION_NUMBERS,
  managedresolver: z.int().nonnegative(),
});

/** The value of /monitoring/license. */
export const DOCUMENTED_LICENCE = z.union([
  z.strictObject({ support: z.literal('community support') }).describe('no licence'),
  INVALID_LICENCE,
  z.object(USER_NUMBERS).catchall(field).describe('a licence by users: its fields, and its use'),
  z.object(TOKEN_NUMBERS).catchall(field).describe('a licence by tokens: its fields, and its use'),
]);

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
    tokenReport: (report, context) => reply(context, tokenResult(report)),
    userReport: (report, context) => reply(context, userResult(report)),
    activeUserReport: (report, context) => reply(context, activeUserResult(report)),
    configurationReport: (report, context) => reply(context, { head: [], value: configurationValue(report) }),
    licenceReport: (report, context) => envelope.value(context, licenceValue(report)),
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

function configurationValue(report: ConfigurationReport): z.input<typeof DOCUMENTED_CONFIGURATION> {
  const { managed, passwd, sql, ldap } = report.resolvers;
  return {
    sync: report.sync ? 'True' : 'False',
    synctime: report.readAt.toISOString(),
    changed: report.changedAt.toISOString(),
    now: report.now.toISOString(),
    total: report.total,
    managedresolver: managed,
    passwdresolver: passwd,
    sqlresolver: sql,
    ldapresolver: ldap,
    policies: report.policies,
    realms: report.realms,
  };
}

/** @returns all signed fields of a valid licence, and its use */
function licenceValue(report: LicenceReport): z.input<typeof DOCUMENTED_LICENCE> {
  switch (report.kind) {
    case 'none':
      return { support: 'community support' };
    case 'valid':
      return { ...report.licence.fields, ...licenceNumbers(report) };
    case 'invalid':
      return { valid: false, message: licenceSentence(report, 'en') };
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
