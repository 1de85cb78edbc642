import { randomUUID } from 'node:crypto';
import http from 'node:http';

import type { Outcome } from './reported-ledger.ts';

/** An answer in the envelope, or the fate of the request. */
export type ClientAnswer =
  | {
      readonly outcome: 'reported';
      readonly value: unknown;
      readonly detail: Readonly<Record<string, unknown>>;
      readonly requestId: string;
    }
  | { readonly outcome: Exclude<Outcome, 'reported'>; readonly requestId: string; readonly why: string }
  | { readonly outcome: 'strange'; readonly requestId: string; readonly why: string };

interface Envelope {
  readonly result?: {
    readonly status: boolean;
    readonly value?: unknown;
    readonly error?: { readonly message: string };
  };
  readonly detail?: Readonly<Record<string, unknown>>;
}

/** Milliseconds after which a missing answer counts as unknown. */
const TIMEOUT_MS = 30_000;

/** Sends HTTP requests to several servers, with the same rights; never repeats one by itself. */
export class ReportedClient {
  readonly #agent = new http.Agent({ keepAlive: true, maxSockets: 256 });
  readonly #session: string;
  readonly #timeoutMs: number;

  /**
   * @param session of an administrator, from /admin/getsession: requests then verify no password
   * @param timeoutMs the longest wait for an answer, in milliseconds
   */
  constructor({ session, timeoutMs }: { session: string; timeoutMs?: number }) {
    this.#session = session;
    this.#timeoutMs = timeoutMs ?? TIMEOUT_MS;
  }

  /**
   * @returns a client with a new session of `admin`
   * @throws if the server refuses
   */
  static async open(baseUrl: string, password: string): Promise<ReportedClient> {
    const basic = Buffer.from(`admin:${password}`).toString('base64');
    const response = await fetch(`${baseUrl}/admin/getsession`, {
      headers: { Authorization: `Basic ${basic}` },
    });
    const session = /admin_session=([^;]+)/.exec(response.headers.get('set-cookie') ?? '')?.[1];
    if (session === undefined) {
      throw new Error(`No session: ${response.status} ${await response.text()}`);
    }
    return new ReportedClient({ session });
  }

  /** @param baseUrl `http://127.0.0.1:5001` */
  post(baseUrl: string, path: string, parameters: Readonly<Record<string, string>>): Promise<ClientAnswer> {
    const requestId = randomUUID();
    const body = new URLSearchParams({ ...parameters, session: this.#session }).toString();
    const headers = {
      Cookie: `admin_session=${this.#session}`,
      'X-Request-Id': requestId,
      'Content-Type': 'application/x-www-form-urlencoded',
      'Content-Length': String(Buffer.byteLength(body)),
    };
    return new Promise((resolve) => {
      const sending = http.request(`${baseUrl}${path}`, { method: 'POST', agent: this.#agent, headers });
      const timer = setTimeout(() => sending.destroy(new Error('no answer in time')), this.#timeoutMs);
      const end = (answer: ClientAnswer): void => {
        clearTimeout(timer);
        resolve(answer);
      };
      const lost = (error: Error): void => {
        // Connection refused: nothing was sent. After any other fault the request may be under way.
        const outcome = (error as NodeJS.ErrnoException).code === 'ECONNREFUSED' ? 'unsent' : 'unknown';
        end({ outcome, requestId, why: (error as NodeJS.ErrnoException).code ?? error.message });
      };
      sending.once('error', lost);
      sending.once('response', (response) => {
        const pieces: Buffer[] = [];
        response.on('data', (piece: Buffer) => pieces.push(piece));
        response.once('error', lost);
        response.once('end', () => {
          end(read(response.statusCode ?? 0, Buffer.concat(pieces).toString('utf8'), requestId));
        });
      });
      sending.end(body);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

function read(status: number, text: string, requestId: string): ClientAnswer {
  const { result, detail = {} } = parse(text);
  if (status === 200 && result?.status === true) {
    return { outcome: 'reported', value: result.value, detail, requestId };
  }
  const why = `${status} ${result?.error?.message ?? text.slice(0, 200)}`;
  // 503 may stand for a commit without a confirmation.
  return { outcome: status === 503 ? 'unknown' : 'strange', requestId, why };
}

function parse(text: string): Envelope {
  try {
    return JSON.parse(text) as Envelope;
  } catch {
    return {};
  }
}
