import { asciiJson, type EnvelopeResult, type Reply } from '../reply.ts';

/** The variable parts of an answer of LinOTP 2.12.6. */
interface LinotpAnswer {
  readonly result: EnvelopeResult;
  /** 0 for a failure inside an operation, as recorded; default: 1. */
  readonly id?: 0 | 1;
  readonly detail?: Readonly<Record<string, unknown>> | undefined;
  readonly status?: number;
}

/** @returns an answer with the order of keys and the blanks of LinOTP 2.12.6 */
export function linotpReply(version: string, { result, id = 1, detail, status = 200 }: LinotpAnswer): Reply {
  const envelope = { ...(detail !== undefined && { detail }), version, jsonrpc: '2.0802', result, id };
  return { status, contentType: 'application/json; charset=utf-8', body: blankedJson(envelope) };
}

/** @returns the answer to an operation that succeeded */
export function linotpValue(version: string, value: unknown, detail?: LinotpAnswer['detail']): Reply {
  return linotpReply(version, { result: { status: true, value }, detail });
}

/** Adds LinOTP's blanks. Texts contain no bare line ends in JSON, so every line end belongs to the layout. */
function blankedJson(value: unknown): string {
  return asciiJson(value).replaceAll(',\n', ', \n');
}
