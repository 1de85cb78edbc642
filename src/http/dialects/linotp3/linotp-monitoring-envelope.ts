import { asciiJson, type EnvelopeResult } from '../../envelope.ts';
import type { Reply } from '../../reply.ts';

/** What LinOTP 3.4.4, of which /monitoring and the login are, called itself in every answer. */
export const MONITORING_VERSION = 'LinOTP 3.4.4';

/** How an answer may differ from the usual one. */
export interface MonitoringAnswer {
  readonly detail?: Readonly<Record<string, unknown>> | undefined;
  readonly status?: number;
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
