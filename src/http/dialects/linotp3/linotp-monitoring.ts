import type { ConfigurationReport, LicenseReport } from '../../../monitoring/outcomes.ts';
import type { RequestContext } from '../../request/exchange.ts';
import { translate } from '../../messages/catalogue.ts';
import type { Reply } from '../../reply.ts';
import type { Dialect } from '../dialect.ts';
import {
  activeUserResult,
  licenseNumbers,
  tokenResult,
  userResult,
} from '../documented/documented-monitoring.ts';
import { licenceSentence } from '../shared/licence-sentence.ts';
import { type MonitoringAnswer, monitoringReply } from './linotp-monitoring-envelope.ts';

type MonitoringPart = Pick<
  Dialect,
  | 'tokenReport'
  | 'userReport'
  | 'activeUserReport'
  | 'configurationReport'
  | 'licenseReport'
  | 'storageEncryption'
  | 'loggedIn'
  | 'loginRefused'
  | 'loggedOut'
>;

/** Where LinOTP 3.4.4 kept its administrators. Policies may name them by it, too. */
const OF_ADMINISTRATORS = '@linotp_admins (LinOTP_local_admins)';

/** @returns the part of the dialect that is LinOTP 3.4.4's: /monitoring, and the login by a token */
export function linotpMonitoring(version: string): MonitoringPart {
  const value = (content: unknown, answer: MonitoringAnswer = {}): Reply =>
    monitoringReply(version, { status: true, value: content }, answer);
  return {
    tokenReport: (report) => value(tokenResult(report).value),
    userReport: (report) => value(userResult(report).value),
    activeUserReport: (report) => value(activeUserResult(report).value),
    configurationReport: (report) => value(configurationValue(report)),
    licenseReport: (report, context) =>
      value(
        report.kind === 'valid'
          ? licenseNumbers(report)
          : { valid: false, message: licenseMessage(report, context) },
      ),
    storageEncryption: (encrypted) =>
      value({
        cryptmodul_type: 'DefaultSecurityModule',
        cryptmodul_name: 'Default',
        encryption: encrypted,
      }),
    loggedIn: (name) => value(true, { detail: { message: `Login successful for ${name}` } }),
    loginRefused: () => value(false, { status: 401, detail: { message: 'Bad username or password' } }),
    loggedOut: (name) =>
      value(true, { detail: { message: `Logout successful for ${name}${OF_ADMINISTRATORS}` } }),
  };
}

/** LinOTP said the same of a server without a licence and of one whose licence it could not read. */
function licenseMessage(
  report: Exclude<LicenseReport, { kind: 'valid' }>,
  { language }: RequestContext,
): string {
  return report.kind === 'none' || report.reason === 'unreadable'
    ? translate('licence/none', language)
    : licenceSentence(report, language);
}

/** Users that are kept in the database count as an SQL resolver's, which is what they were before they were moved here. */
function configurationValue(report: ConfigurationReport): Record<string, unknown> {
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

/** @returns `2026-11-20 10:27:59.507000`, in UTC, as Python writes it; without a fraction where that is nought */
function pythonTime(time: Date): string {
  const [date = '', clock = ''] = time.toISOString().split(/[TZ]/);
  return `${date} ${clock.replace(/\.000$/, '').replace(/(\.\d{3})$/, '$1000')}`;
}
