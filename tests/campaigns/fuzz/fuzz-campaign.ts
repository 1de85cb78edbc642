import fc from 'fast-check';
import { type FuzzAnswer, FuzzClient, sendBroken } from './fuzz-client.ts';
import type { FuzzedEndpoint } from './fuzz-endpoints.ts';
import { type HostileRequest, hostileRequest, soundRequests } from './fuzz-requests.ts';
import type { FuzzServer } from './fuzz-server.ts';
import { faultOf, isAccepted, isSuccess, type Tolerance } from './fuzz-verdict.ts';
import { PATIENCE_MS } from '../../support/values/until.ts';

const AT_ONCE = 8;
const BATCH = 400;
/** Batches between two progress reports. */
const REPORTED = 5;
/** Bytes of a request and of its answer that a failure shows. */
const MAX_LENGTH = 3_000;

/** The answers of one endpoint. */
export interface Seen {
  requested: number;
  broken: number;
  succeeded: number;
  accepted: number;
}

export interface CampaignOptions {
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
  /^\/admin\/(?:(?:sign-in|passkeys)\/|(?:admin|second-factor|api-token)\/(?!list)|token\/(?!list|show|set$|realms$)|\w+\/[\w-]+\/consequences|realm\/show|resolver\/(?:show|remove)|policy\/explain-refusal|confirmation|password|setPin|copyTokenPin|getTokenOwner)|^\/self\//;

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
