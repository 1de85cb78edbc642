import { setTimeout as sleep } from 'node:timers/promises';
import { computeResponse } from '../../../src/ocra/compute.ts';
import { questionOf } from '../values/asked-question.ts';
import { parseOcraSuite } from '../../../src/ocra/suite.ts';
import { PATIENCE_MS } from '../values/until.ts';
import type { ServerProcess } from './server-process.ts';

const SUITE = parseOcraSuite('OCRA-1:HOTP-SHA256-8:C-QN08');
const KEY = '31'.repeat(32);

/** An answer, and its duration. */
export interface Answered {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly headers: Headers;
  readonly body: {
    readonly result?: {
      readonly status: boolean;
      readonly value?: unknown;
      readonly error?: { message: string };
    };
    readonly detail?: Readonly<Record<string, string>>;
  };
  readonly milliseconds: number;
}

/** A transaction, as known to a portal and its customer. */
export interface OpenTransaction {
  readonly serial: string;
  readonly transactionid: string;
  readonly tan: string;
}

/** A portal that speaks to a server process as the first administrator. */
export class ServerClient {
  readonly #session: string;
  #baseUrl: string;

  private constructor(baseUrl: string, session: string) {
    this.#baseUrl = baseUrl;
    this.#session = session;
  }

  /** @param servers those of which one created the administrator, and has printed the password */
  static async open(...servers: readonly [ServerProcess, ...ServerProcess[]]): Promise<ServerClient> {
    const [first] = servers;
    const password = await printedPassword(...servers);
    const basic = Buffer.from(`admin:${password}`).toString('base64');
    // A session: verifying a password with each request would be most of what a test does.
    const response = await fetch(`${first.baseUrl}/admin/getsession`, {
      headers: { Authorization: `Basic ${basic}` },
    });
    const session = /admin_session=([^;]+)/.exec(response.headers.get('set-cookie') ?? '')?.[1];
    if (session === undefined) {
      throw new Error(`No session: ${response.status} ${await response.text()}`);
    }
    return new ServerClient(first.baseUrl, session);
  }

  /** @returns a client of another server on the same database */
  at(server: Pick<ServerProcess, 'baseUrl'>): ServerClient {
    return new ServerClient(server.baseUrl, this.#session);
  }

  /** Sends to this server from now on. */
  turnTo(server: Pick<ServerProcess, 'baseUrl'>): void {
    this.#baseUrl = server.baseUrl;
  }

  async post(path: string, parameters: Record<string, string>): Promise<Answered> {
    return this.#send(path, {
      method: 'POST',
      body: new URLSearchParams({ ...parameters, session: this.#session }),
    });
  }

  async get(path: string): Promise<Answered> {
    return this.#send(`${path}?session=${this.#session}`, {});
  }

  /** @returns the text of the answer, such as that of /metrics */
  async text(path: string): Promise<string> {
    const headers = { Cookie: `admin_session=${this.#session}` };
    return (await fetch(`${this.#baseUrl}${path}?session=${this.#session}`, { headers })).text();
  }

  /** Creates a token, and a challenge for it. @param counter that of the device, one more with each response */
  async openTransaction(serial: string, counter = 0n): Promise<OpenTransaction> {
    if (counter === 0n) {
      await this.post('/admin/init', { type: 'ocra', serial, otpkey: KEY, ocrasuite: SUITE.text });
    }
    const { body } = await this.post('/ocra/request', { serial, data: '12345678' });
    const question = questionOf(body.detail?.data ?? '');
    const tan = computeResponse(SUITE, Buffer.from(KEY, 'hex'), { question, counter });
    return { serial, transactionid: body.detail?.transactionid ?? '', tan };
  }

  check({ transactionid, tan }: OpenTransaction): Promise<Answered> {
    return this.post('/ocra/check_t', { transactionid, pass: tan });
  }

  async status({ transactionid }: Pick<OpenTransaction, 'transactionid'>): Promise<unknown> {
    return (await this.post('/ocra/checkstatus', { transactionid })).body.result?.value;
  }

  async #send(path: string, request: RequestInit): Promise<Answered> {
    const begun = performance.now();
    const response = await fetch(`${this.#baseUrl}${path}`, {
      ...request,
      headers: { Cookie: `admin_session=${this.#session}` },
    });
    const body = (await response.json()) as Answered['body'];
    return {
      status: response.status,
      retryAfter: response.headers.get('retry-after'),
      headers: response.headers,
      body,
      milliseconds: performance.now() - begun,
    };
  }
}

/**
 * Waits for the first administrator's password, which is printed after the line that completes the start.
 * @returns the password that one of these servers has made
 */
export async function printedPassword(...servers: readonly ServerProcess[]): Promise<string> {
  const printed = (): string => servers.map((server) => server.output()).join('');
  const deadline = performance.now() + PATIENCE_MS;
  while (performance.now() < deadline) {
    // With the characters after it: a chunk of output may end anywhere.
    const password = /shown this once:\s+(\S+)\s/.exec(printed())?.[1];
    if (password !== undefined) {
      return password;
    }
    await sleep(20);
  }
  throw new Error(`No password was printed:\n${printed()}`);
}
