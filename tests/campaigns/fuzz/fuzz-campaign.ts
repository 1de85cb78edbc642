import { join } from 'node:path';
import { z } from 'zod';
import { type FuzzAnswer, FuzzClient, sendBroken } from './fuzz-wire.ts';
import { type HostileRequest, hostileRequest, soundRequests } from './fuzz-requests.ts';
import fc from 'fast-check';
import type { FuzzedEndpoint } from './fuzz-values.ts';
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

/** @returns true if its value, or the `result` in it, is `true`: a response was accepted, a login done */
function isAccepted({ body }: FuzzAnswer): boolean {
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

const AT_ONCE = 8;

const BATCH = 400;

/** Batches between two progress reports. */
const REPORTED = 5;

/** Bytes of a request and of its answer that a failure shows. */
const MAX_LENGTH = 3_000;

/** The answers of one endpoint. */
interface Seen {
  requested: number;
  broken: number;
  succeeded: number;
  accepted: number;
}

interface CampaignOptions {
  /** The server may refuse excessive requests. */
  readonly refusals: boolean;
  /** The same seed sends the same requests, except for values that the server made. */
  readonly seed: number;
  /** Added to the seed, so that several campaigns of a run differ. */
  readonly salt: number;
  /** Receives progress reports. */
  readonly tell: (text: string) => void;
}

/**
 * Endpoints that go on with a step in a browser before, that change administrators, whose names and passwords no request
 * knows, that need a policy of self-service, a token with a PIN, or one that a request before has removed: requests by themselves
 * are refused.
 */
export const LATER_STEPS =
  /^\/admin\/(?:sign-in\/|passkey\/(?!list)|(?:admin|second-factor|api-token)\/(?!list)|token\/(?!list|show|set$|realms$)|\w+\/[\w-]+\/consequences|realm\/show|resolver\/(?:show|remove)|policy\/explain-refusal|confirmation|password|setPin|copyTokenPin|getTokenOwner)|^\/self\//;

/** Sends requests to a server in batches, and checks each answer. */
export class FuzzCampaign {
  readonly #server: FuzzServer;
  readonly #endpoints: readonly FuzzedEndpoint[];
  readonly #tolerance: Tolerance;
  readonly #seed: number;
  readonly #salt: number;
  readonly #tell: (text: string) => void;
  readonly #clients: readonly FuzzClient[];
  readonly seen: ReadonlyMap<string, Seen>;
  readonly statuses = new Map<number, number>();
  readonly #faults: string[] = [];
  #batch = 0;

  constructor(
    server: FuzzServer,
    endpoints: readonly FuzzedEndpoint[],
    { refusals, seed, salt, tell }: CampaignOptions,
  ) {
    this.#server = server;
    this.#endpoints = endpoints;
    this.#tolerance = { refusals, private: [`${server.dataFolder}/`, ...PRIVATE] };
    this.#seed = seed;
    this.#salt = salt;
    this.#tell = tell;
    this.#clients = Array.from({ length: AT_ONCE }, () => new FuzzClient(server.port));
    this.seen = new Map(
      endpoints.map(({ path }) => [path, { requested: 0, broken: 0, succeeded: 0, accepted: 0 }]),
    );
  }

  /** @returns the paths of endpoints that fail for a correct request */
  async open(): Promise<readonly string[]> {
    const known = await this.#server.prepare();
    const client = new FuzzClient(this.#server.port);
    const failing: string[] = [];
    for (const request of soundRequests(this.#endpoints, known)) {
      const answer = await client.ask(request.bytes, request.method);
      if (!isSuccess(answer) && !LATER_STEPS.test(request.path)) {
        failing.push(`${request.path}: ${answer.status} ${answer.body.toString('utf8')}`);
      }
    }
    client.close();
    return failing;
  }

  /** @throws Error that shows the request, and the seed that reproduces it */
  async send(requests: number): Promise<void> {
    for (let sent = 0; sent < requests; sent += BATCH) {
      const known = await this.#server.prepare();
      const batch = fc.sample(hostileRequest(this.#endpoints, known), {
        numRuns: Math.min(BATCH, requests - sent),
        seed: this.#seed + this.#batch + this.#salt,
      });
      this.#batch += 1;
      // The server may be closing connections that were idle while the next batch was prepared.
      this.close();
      await this.#sendAll(batch);
      await this.#assertHealth();
      if (this.#batch % REPORTED === 0) {
        this.#tell(`${new Date().toISOString()} ${this.#batch * BATCH} requests answered`);
      }
    }
  }

  close(): void {
    for (const client of this.#clients) {
      client.close();
    }
  }

  async #sendAll(batch: readonly HostileRequest[]): Promise<void> {
    const waiting = batch.values();
    await Promise.all(
      this.#clients.map(async (client) => {
        // One iterator for all clients: each takes the next.
        for (const request of waiting) {
          await this.#sendOne(client, request);
        }
      }),
    );
  }

  async #sendOne(client: FuzzClient, request: HostileRequest): Promise<void> {
    try {
      const answers = request.broken
        ? await sendBroken(this.#server.port, request.bytes)
        : [await client.ask(request.bytes, request.method)];
      this.#count(request, answers);
      const faults = answers.flatMap((answer) => faultOf(request, answer, this.#tolerance) ?? []);
      if (faults.length > 0) {
        throw new Error(`${faults.join(', ')}:\n${answers.map(show).join('\n')}`);
      }
    } catch (error) {
      client.close();
      this.#faults.push(
        `${request.path}: ${error instanceof Error ? error.message : ''}\nThe request: ${JSON.stringify(request.bytes.subarray(0, MAX_LENGTH).toString('latin1'))}`,
      );
    }
  }

  #count(request: HostileRequest, answers: readonly FuzzAnswer[]): void {
    for (const { status } of answers) {
      this.statuses.set(status, (this.statuses.get(status) ?? 0) + 1);
    }
    const seen = this.seen.get(request.path);
    if (seen === undefined) {
      return;
    }
    seen.requested += 1;
    if (request.broken) {
      seen.broken += 1;
      return;
    }
    seen.succeeded += answers.some(isSuccess) ? 1 : 0;
    seen.accepted += answers.some(isAccepted) ? 1 : 0;
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
