import { z } from 'zod';
import type { ConfigurationReport, LicenceReport } from '../../../monitoring/reports.ts';
import { translate } from '../../messages/catalogue.ts';
import type { Reply } from '../../reply.ts';
import type { RequestContext } from '../../request/exchange.ts';
import type { MonitoringDialect } from '../dialect.ts';
import {
  activeUserObjects,
  CONFIGURATION_NUMBERS,
  INVALID_LICENCE,
  licenceNumbers,
  TOKEN_NUMBERS,
  tokenObjects,
  USER_NUMBERS,
  userCountObjects,
} from '../shared/monitoring-objects.ts';
import { licenceSentence } from '../shared/licence-sentence.ts';
import { monitoringReply } from './linotp-monitoring-envelope.ts';

/** The value of /monitoring/config. */
export const LINOTP_CONFIGURATION = z.strictObject({
  sync: z.boolean().describe('true: this server uses the stored configuration'),
  synctime: z.string().describe('the time at which this server read the configuration, in UTC'),
  now: z.string().describe('the time, in UTC'),
  ...CONFIGURATION_NUMBERS,
  netto: z.int().nonnegative().describe('the number of values alone'),
});

/** The value of /monitoring/license. */
export const LINOTP_LICENCE = z.union([
  INVALID_LICENCE,
  z.strictObject(USER_NUMBERS),
  z.strictObject(TOKEN_NUMBERS),
]);

/** The value of /monitoring/storageEncryption. */
export const LINOTP_ENCRYPTION = z.strictObject({
  cryptmodul_type: z.string(),
  cryptmodul_name: z.string(),
  encryption: z.boolean(),
});

/** @returns the outcomes of /monitoring in the form of LinOTP 3.4.4 */
export function linotpMonitoring(version: string): MonitoringDialect {
  const value = (content: unknown): Reply => monitoringReply(version, { status: true, value: content });
  return {
    repeated: 'first',
    tokenReport: (report) => value(tokenObjects(report)),
    userReport: (report) => value(userCountObjects(report)),
    activeUserReport: (report) => value(activeUserObjects(report)),
    configurationReport: (report) => value(configurationValue(report)),
    licenceReport: (report, context) => value(licenceValue(report, context)),
    storageEncryption: (encrypted) => value(encryptionValue(encrypted)),
  };
}

function licenceValue(report: LicenceReport, context: RequestContext): z.input<typeof LINOTP_LICENCE> {
  return report.kind === 'valid'
    ? licenceNumbers(report)
    : { valid: false, message: licenceMessage(report, context) };
}

function encryptionValue(encryption: boolean): z.input<typeof LINOTP_ENCRYPTION> {
  return { cryptmodul_type: 'DefaultSecurityModule', cryptmodul_name: 'Default', encryption };
}

/** @returns the message for an invalid licence; LinOTP has the same one for a missing and an unreadable licence */
function licenceMessage(
  report: Exclude<LicenceReport, { kind: 'valid' }>,
  { language }: RequestContext,
): string {
  return report.kind === 'none' || report.reason === 'unreadable'
    ? translate('licence/none', language)
    : licenceSentence(report, language);
}

/** Counts users in the database as an SQL resolver's, from which they were moved here. */
function configurationValue(report: ConfigurationReport): z.input<typeof LINOTP_CONFIGURATION> {
  return {
    sync: report.sync,
    synctime: pythonTime(report.readAt),
    now: pythonTime(report.now),
    total: report.total,
    ldapresolver: report.resolvers.ldap,
    sqlresolver: report.resolvers.managed + report.resolvers.sql,
    passwdresolver: report.resolvers.passwd,
    policies: report.policies,
    realms: report.realms,
    netto: report.values,
  };
}

/** @returns `2026-11-20 10:27:59.507000`, in UTC, as Python writes it; without a fraction where that is 0 */
function pythonTime(time: Date): string {
  const [date = '', clock = ''] = time.toISOString().split(/[TZ]/);
  return `${date} ${clock.replace(/\.000$/, '').replace(/(\.\d{3})$/, '$1000')}`;
}
