import { asciiJson, type EnvelopeResult } from '../../envelope.ts';
import type { Reply } from '../../reply.ts';

/** The `version` in the answers of LinOTP 3.4.4, which /monitoring and the login follow. */
export const MONITORING_VERSION = 'LinOTP 3.4.4';

/** The variable parts of an answer of LinOTP 3.4.4. */
export interface MonitoringAnswer {
  readonly detail?: Readonly<Record<string, unknown>> | undefined;
  readonly status?: number;
}

/** @returns an answer with the order of keys of LinOTP 3.4.4; its id is always 1 */
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
