import { join } from 'node:path';
import { z } from 'zod';
import { ask, type FuzzAnswer } from './fuzz-wire.ts';
import { type HostileRequest, hostileRequest, soundRequests } from './fuzz-requests.ts';
import fc from 'fast-check';
import type { DialectName } from '../../../src/http/dialects/dialect.ts';
import type { Endpoint } from '../../../src/http/endpoint-spec.ts';
import { declaredEndpoints } from '../../support/description/declared-endpoints.ts';
import type { FuzzServer } from './fuzz-server.ts';
import { PATIENCE_MS } from '../../support/values/until.ts';

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
const STATUSES: readonly number[] = [200, 204, 304, 400, 401, 403, 404, 405, 408, 409, 413, 415, 417, 431];

const BODILESS: readonly number[] = [204, 304];

const REFUSED: readonly number[] = [429, 503];

/** Additional permissions of a server. */
interface Tolerance {
  /** It may refuse requests under load, or over a limit. */
  readonly refusals: boolean;
  /** Private texts that must not show, such as the name of its data folder. */
  readonly private: readonly string[];
}

/** @returns the fault of the answer; undefined: none */
function faultOf(request: HostileRequest, answer: FuzzAnswer, tolerance: Tolerance): string | undefined {
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

/** A tag of an answer. Its letters are random: words come about in them in one run of thirty. */
const TAG = /^"[\w-]{22}"$/;

function leakIn(
  request: HostileRequest,
  { headers, body }: FuzzAnswer,
  tolerance: Tolerance,
): string | undefined {
  if (request.path === '/metrics') {
    return undefined;
  }
  const fields = [...headers].filter(([name, value]) => name !== 'etag' || !TAG.test(value));
  const text = [...fields.map(([, value]) => value), body.toString('latin1')].join('\n');
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
function isSuccess({ status, headers, body }: FuzzAnswer): boolean {
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

const AT_ONCE = 8;

const BATCH = 400;

/** Bytes of a request and of its answer that a failure shows. */
const MAX_LENGTH = 3_000;

interface CampaignOptions {
  /** The server may refuse excessive requests. */
  readonly refusals: boolean;
  /** The same seed sends the same requests, except for values that the server made. */
  readonly seed: number;
}

/**
 * Endpoints that refuse a request by itself: they go on with a step in a browser before, change administrators, need a
 * policy of self-service or a PIN, or remove what is in use or has been removed.
 */
const LATER_STEPS =
  /^\/self\/|^\/admin\/(?:sign-in\/|confirmation|password|(?:admin|second-factor|passkey|api-token)\/|policy\/explain-refusal|copyTokenPin|session\/end|\w+\/remove)|^\/system\/delResolver/;

const REMOVES = /remove|\/del|drop|logout|lose|\/end$/;

/** Sends requests to a server in batches, and checks each answer. */
export class FuzzCampaign {
  readonly #server: FuzzServer;
  readonly #endpoints: readonly Endpoint[];
  readonly #tolerance: Tolerance;
  readonly #seed: number;
  readonly #faults: string[] = [];
  #batch = 0;

  constructor(server: FuzzServer, dialect: DialectName, { refusals, seed }: CampaignOptions) {
    this.#server = server;
    this.#endpoints = declaredEndpoints(dialect);
    this.#tolerance = { refusals, private: [`${server.dataFolder}/`, ...PRIVATE] };
    this.#seed = seed;
  }

  /** @returns the paths of endpoints that do nothing for any request that should be right */
  async open(): Promise<readonly string[]> {
    const known = await this.#server.prepare();
    const failing: string[] = [];
    // What removes comes last: others name the same.
    const inOrder = this.#endpoints.toSorted(
      (one, other) => Number(REMOVES.test(one.path)) - Number(REMOVES.test(other.path)),
    );
    for (const [at, endpoint] of inOrder.entries()) {
      const answers: FuzzAnswer[] = [];
      for (const { bytes, method } of soundRequests(endpoint, known, at)) {
        if (!answers.some(isSuccess)) {
          answers.push(...(await ask(this.#server.port, bytes, method)));
        }
      }
      if (!answers.some(isSuccess) && !LATER_STEPS.test(endpoint.path)) {
        failing.push(`${endpoint.path}: ${answers.map(show).join(' ')}`);
      }
    }
    return failing;
  }

  /** @throws Error that shows the request, and the seed that reproduces it */
  async send(requests: number): Promise<void> {
    for (let sent = 0; sent < requests; sent += BATCH) {
      const known = await this.#server.prepare();
      const batch = fc.sample(hostileRequest(this.#endpoints, known), {
        numRuns: Math.min(BATCH, requests - sent),
        seed: this.#seed + this.#batch,
      });
      this.#batch += 1;
      await this.#sendAll(batch);
      await this.#assertHealth();
    }
  }

  async #sendAll(batch: readonly HostileRequest[]): Promise<void> {
    const waiting = batch.values();
    const client = async (): Promise<void> => {
      // One iterator for all clients: each takes the next.
      for (const request of waiting) {
        await this.#sendOne(request);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, client));
  }

  async #sendOne(request: HostileRequest): Promise<void> {
    try {
      const { bytes, broken, method } = request;
      const answers = await ask(this.#server.port, bytes, broken ? undefined : method);
      const faults = answers.flatMap((answer) => faultOf(request, answer, this.#tolerance) ?? []);
      if (faults.length > 0) {
        throw new Error(`${faults.join(', ')}:\n${answers.map(show).join('\n')}`);
      }
    } catch (error) {
      this.#faults.push(
        `${request.path}: ${error instanceof Error ? error.message : ''}\nThe request: ${JSON.stringify(request.bytes.subarray(0, MAX_LENGTH).toString('latin1'))}`,
      );
    }
  }

  /** Checks that an unrelated client is served. */
  async #assertHealth(): Promise<void> {
    const response = await fetch(`${this.#server.process.baseUrl}/healthz`, {
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    if (response.status !== 200 || (await response.text()) !== '{"status":"ok"}') {
      throw new Error(`The server is not well: ${response.status}`);
    }
    const incident = this.#server.incident();
    if (this.#faults.length > 0) {
      const shown = this.#faults.slice(0, 20).join('\n\n');
      throw new Error(
        `Batch ${this.#batch} of seed ${this.#seed}, ${this.#faults.length} faults:\n${shown}\nThe server: ${incident ?? 'nothing'}`,
      );
    }
    if (incident !== undefined || this.#server.process.process.exitCode !== null) {
      throw new Error(`Batch ${this.#batch} of seed ${this.#seed}: ${incident ?? 'the server has ended'}`);
    }
  }
}

/** Contents of files that resolvers were pointed at, and no request may read. */
const PRIVATE: readonly string[] = ['root:x:0:0', 'DATABASE_URL', 'NODE_OPTIONS'];

function show({ status, headers, body }: FuzzAnswer): string {
  return `${status} ${JSON.stringify([...headers])}\n${body.subarray(0, MAX_LENGTH).toString('latin1')}`;
}
