import { asciiJson, type EnvelopeResult } from '../../envelope.ts';
import type { Reply } from '../../reply.ts';

/** What LinOTP 2.12.6 called itself in every answer. */
export const LINOTP_VERSION = 'LinOTP 2.12.6';

/** How an answer of LinOTP 2.12.6 may differ from the usual one. */
export interface LinotpAnswer {
  readonly result: EnvelopeResult;
  /** 0 where something went wrong inside an operation, as recorded; 1 otherwise. */
  readonly id?: 0 | 1;
  readonly detail?: Readonly<Record<string, unknown>> | undefined;
  readonly status?: number;
}

/** @returns an answer with keys in the order and blanks in the places that LinOTP 2.12.6 had them */
export function linotpReply(version: string, { result, id = 1, detail, status = 200 }: LinotpAnswer): Reply {
  const envelope = { ...(detail !== undefined && { detail }), version, jsonrpc: '2.0802', result, id };
  return { status, contentType: 'application/json; charset=utf-8', body: blankedJson(envelope) };
}

/** @returns the answer to an operation that went well */
export function linotpValue(version: string, value: unknown, detail?: LinotpAnswer['detail']): Reply {
  return linotpReply(version, { result: { status: true, value }, detail });
}

/** Texts hold no bare line ends in JSON, so those found are the layout's own. */
function blankedJson(value: unknown): string {
  return asciiJson(value).replaceAll(',\n', ', \n');
}
