import { asciiJson, type EnvelopeResult } from '../../envelope.ts';
import type { RequestContext } from '../../request/exchange.ts';
import type { Reply } from '../../reply.ts';

/** What LinOTP 3.4.4, of which /monitoring and the login are, called itself in every answer. */
const MONITORING_VERSION = 'LinOTP 3.4.4';
const LOGIN_PATHS: readonly string[] = ['/admin/login', '/admin/logout'];
/** Everything below these is of LinOTP 2.12.6, but for the login. */
const OLDER_AREA = /^\/(?:ocra|admin|system|validate)(?:\/|$)/;

/** How an answer may differ from the usual one. */
export interface MonitoringAnswer {
  readonly detail?: Readonly<Record<string, unknown>> | undefined;
  readonly status?: number;
}

/** @returns whether the request is for what LinOTP 3.4.4 was recorded to answer, rather than LinOTP 2.12.6 */
export function isForMonitoring({ path, target }: RequestContext): boolean {
  return path === undefined
    ? !OLDER_AREA.test(target)
    : path.startsWith('/monitoring/') || LOGIN_PATHS.includes(path);
}

/** @param given what the configuration wants to be called */
export function monitoringVersion(given: string | undefined): string {
  return given ?? MONITORING_VERSION;
}

/** @returns an answer with keys in the order that LinOTP 3.4.4 had them; its id is always 1 */
export function monitoringReply(
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
