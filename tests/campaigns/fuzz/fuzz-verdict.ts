import { join } from 'node:path';
import { z } from 'zod';
import type { FuzzAnswer } from './fuzz-client.ts';
import type { HostileRequest } from './fuzz-requests.ts';

/** Texts that no answer may hold: stacks, places in the sources, words of the database, of Node, of libraries. */
const LEAKS: readonly RegExp[] = [
  /\n\s+at \S+ ?\(?.*:\d+:\d+/,
  /\.[cm]?[jt]s:\d+/,
  /node_modules|node:internal|file:\/\/\/(?!etc)/,
  /SQLSTATE|syntax error at|violates|relation \\?"|column \\?"|duplicate key|deadlock|canceling statement/i,
  // But for doctor's remedies.
  /invalid (?:input syntax|byte sequence)|out of range for type|\bknex\b|\bpg_(?!reload_conf\(\)|dump\b)[a-z]/i,
  /\b(?:select|insert into|update|delete from) (?:"|\*|tokens|challenges|policies|configuration|realms)/i,
  // But for LinOTP's recorded sentence about an activation code, which is Python's.
  /(?:Type|Range|Reference|Syntax|Assertion|Aggregate)Error(?!\('Incorrect padding',\))|Cannot read propert|is not a function/,
  /\bE(?:CONNREFUSED|CONNRESET|NOENT|ISDIR|ACCES|PIPE|NOTFOUND|AI_AGAIN|NOTDIR)\b|\bERR_[A-Z]{3}/,
  /Internal server error/,
];
const ROOT = join(import.meta.dirname, '../../..');

/** Every documented status, and those of Node for bytes that are no HTTP. */
const STATUSES: readonly number[] = [200, 204, 304, 400, 401, 403, 404, 405, 408, 413, 415, 417, 431];

const BODILESS: readonly number[] = [204, 304];
const REFUSED: readonly number[] = [429, 503];

/** Additional permissions of a server. */
export interface Tolerance {
  /** It may refuse requests under load, or over a limit. */
  readonly refusals: boolean;
  /** Private texts that must not show, such as the name of its data folder. */
  readonly private: readonly string[];
}

/** @returns the fault of the answer; undefined: none */
export function faultOf(
  request: HostileRequest,
  answer: FuzzAnswer,
  tolerance: Tolerance,
): string | undefined {
  return (
    statusFault(request, answer, tolerance) ??
    leakIn(request, answer, tolerance) ??
    shapeFault(request, answer)
  );
}

function statusFault(
  { wishesStatus }: HostileRequest,
  { status, headers }: FuzzAnswer,
  { refusals }: Tolerance,
): string | undefined {
  if (wishesStatus && status >= 400 && status <= 599) {
    return undefined;
  }
  const allowed = refusals ? [...STATUSES, ...REFUSED] : STATUSES;
  if (!allowed.includes(status)) {
    return `the status ${status}`;
  }
  const owed = status === 401 ? 'www-authenticate' : REFUSED.includes(status) ? 'retry-after' : undefined;
  return owed === undefined || headers.has(owed) ? undefined : `${status} without ${owed}`;
}

function leakIn(
  request: HostileRequest,
  { headers, body }: FuzzAnswer,
  tolerance: Tolerance,
): string | undefined {
  if (request.path === '/metrics') {
    return undefined;
  }
  const text = [...headers.values(), body.toString('latin1')].join('\n');
  const found =
    LEAKS.map((leak) => leak.exec(text)?.[0]).find((one) => one !== undefined) ??
    [ROOT, ...tolerance.private].find((one) => text.includes(one));
  return found === undefined ? undefined : `the words ${JSON.stringify(found)}`;
}

/** Statuses of Node itself, for bytes that are no HTTP or exceed a limit; these answers have a head only. */
const BY_NODE: readonly number[] = [400, 408, 417, 431];

function shapeFault({ broken, method }: HostileRequest, answer: FuzzAnswer): string | undefined {
  const { status, headers, body } = answer;
  if (!headers.has('x-request-id')) {
    return broken || BY_NODE.includes(status) ? undefined : 'an answer of nobody';
  }
  if (headers.get('cache-control') !== 'no-store' || headers.get('x-content-type-options') !== 'nosniff') {
    return 'headers that are missing';
  }
  const isHeadOnly = method === 'HEAD' || BODILESS.includes(status) || (broken && body.length === 0);
  return isHeadOnly ? undefined : bodyFault(answer);
}

function bodyFault({ headers, body }: FuzzAnswer): string | undefined {
  const type = headers.get('content-type') ?? '';
  if (type.startsWith('application/json')) {
    return envelopeFault(parseJson(body.toString('utf8')));
  }
  return /^(?:text\/html; charset=utf-8|image\/png|text\/plain; version=|text\/plain; charset=utf-8$|text\/csv; charset=utf-8$|application\/x-ndjson; charset=utf-8$)/.test(
    type,
  )
    ? undefined
    : `the type ${type}`;
}

const reported = z.object({ code: z.number(), message: z.string() });
const envelope = z.object({
  version: z.string(),
  jsonrpc: z.string(),
  id: z.number(),
  result: z.union([
    z.object({ status: z.literal(true) }),
    z.object({ status: z.literal(false), error: reported }),
  ]),
});
const state = z.strictObject({ status: z.enum(['ok', 'started', 'ready']) });

function envelopeFault(body: unknown): string | undefined {
  return z.union([envelope, state]).safeParse(body).success ? undefined : 'a body that is no envelope';
}

/** @returns true if the request was carried out: past every check, and with success */
export function isSuccess({ status, headers, body }: FuzzAnswer): boolean {
  if (status !== 200) {
    return false;
  }
  if (headers.get('content-type')?.startsWith('application/json') !== true) {
    return true;
  }
  const parsed = parseJson(body.toString('utf8'));
  return (
    isRecord(parsed) &&
    (parsed.status !== undefined || (isRecord(parsed.result) && parsed.result.status === true))
  );
}

/** @returns true if its value, or the `result` in it, is `true`: a response was accepted, a login done */
export function isAccepted({ body }: FuzzAnswer): boolean {
  const parsed = parseJson(body.toString('utf8'));
  const value = isRecord(parsed) && isRecord(parsed.result) ? parsed.result.value : undefined;
  return value === true || (isRecord(value) && value.result === true);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
