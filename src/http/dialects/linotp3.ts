import { z } from 'zod';
import { STATUS_CODES } from 'node:http';
import { asciiJson, type EnvelopeResult, htmlReply, type Reply } from '../reply.ts';
import type { Dialect, Failure } from './dialect.ts';
import type { ConfigurationReport, LicenceReport } from '../../monitoring/reports.ts';
import { translate } from '../messages.ts';
import type { RequestContext } from '../request/exchange.ts';
import {
  shownActiveUsers,
  CONFIGURATION_NUMBERS,
  INVALID_LICENCE,
  licenceNumbers,
  licenceSentence,
  TOKEN_NUMBERS,
  shownTokens,
  USER_NUMBERS,
  shownUserCounts,
} from './monitoring-objects.ts';
import type { AnyServiceError } from '../../kernel/errors.ts';
import { errorPage, failureSentence } from './failure-text.ts';

/** The variable parts of an answer of LinOTP 3.4.4. */
interface MonitoringAnswer {
  readonly detail?: Readonly<Record<string, unknown>> | undefined;
  readonly status?: number;
}

/** @returns an answer with the order of keys of LinOTP 3.4.4; its id is always 1 */
function monitoringReply(
  version: string,
  result: EnvelopeResult,
  { detail, status = 200 }: MonitoringAnswer = {},
): Reply {
  const envelope = {
    jsonrpc: '2.0802',
    result,
    version,
    versionNumber: version.split(' ').at(-1),
    id: 1,
    ...(detail !== undefined && { detail }),
  };
  return { status, contentType: 'application/json', body: asciiJson(envelope) };
}

/** The suffix of LinOTP 3.4.4's administrators: their realm and resolver. Policies may use it, too. */
const OF_ADMINISTRATORS = '@linotp_admins (LinOTP_local_admins)';

/** @returns the outcomes of /monitoring and of the login by a token in the form of LinOTP 3.4.4, and its failures */
export function linotp3(version: string): Pick<Dialect, 'login' | 'monitoring' | 'failures'> {
  return {
    login: linotpLogin(version),
    monitoring: linotpMonitoring(version),
    failures: {
      errorCode: ({ form }) => form.legacyCode,
      failure: (failure, context) => failureReply(version, failure, context),
    },
  };
}

function linotpLogin(version: string): Dialect['login'] {
  return {
    loggedIn: (name) =>
      monitoringReply(
        version,
        { status: true, value: true },
        { detail: { message: `Login successful for ${name}` } },
      ),
    loginRefused: () =>
      monitoringReply(
        version,
        { status: true, value: false },
        { status: 401, detail: { message: 'Bad username or password' } },
      ),
    loggedOut: (name) =>
      monitoringReply(
        version,
        { status: true, value: true },
        { detail: { message: `Logout successful for ${name}${OF_ADMINISTRATORS}` } },
      ),
  };
}

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

function linotpMonitoring(version: string): Dialect['monitoring'] {
  const value = (content: unknown): Reply => monitoringReply(version, { status: true, value: content });
  return {
    tokenReport: (report) => value(shownTokens(report)),
    userReport: (report) => value(shownUserCounts(report)),
    activeUserReport: (report) => value(shownActiveUsers(report)),
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

const NOT_FOUND =
  'The requested URL was not found on the server. If you entered the URL manually please check your spelling and try again.';
/** The pages of LinOTP 3.4.4's web framework. They contain nothing of the request. */
const PAGES: Readonly<Record<number, string>> = {
  400: 'The browser (or proxy) sent a request that this server could not understand.',
  404: NOT_FOUND,
  405: 'The method is not allowed for the requested URL.',
};

/** Statuses of errors that come as the page of the requested status; 401 keeps its own status on the wire. */
const PAGED: readonly number[] = [200, 401];

function failureReply(version: string, failure: Failure, context: RequestContext): Reply {
  const { error, form, status, requestedStatus: requestedByClient } = failure;
  const page = error.code === 'path.not-served' ? undefined : PAGES[form.status];
  // A 400 comes as JSON unless the body is not JSON at all.
  if (page !== undefined && (form.status !== 400 || isNoJson(error))) {
    return frameworkPage(form.status, page);
  }
  const message = `${form.prefix}${failureSentence(error, context.language)}`;
  return requestedByClient !== undefined && PAGED.includes(form.status)
    ? { ...errorPage(requestedByClient, version, form.legacyCode, message), status }
    : monitoringReply(version, { status: false, error: { code: form.legacyCode, message } }, { status });
}

function isNoJson(error: AnyServiceError): boolean {
  return error.code === 'request.malformed' && error.payload.syntax === 'json';
}

function frameworkPage(status: number, text: string): Reply {
  const title = STATUS_CODES[status] ?? '';
  const body = `<!doctype html>
<html lang=en>
<title>${status} ${title}</title>
<h1>${title}</h1>
<p>${text}</p>
`;
  return htmlReply(body, status);
}
