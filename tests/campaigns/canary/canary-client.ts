import { once } from 'node:events';
import { connect } from 'node:net';
import type { CanaryEvidence } from './canary-search.ts';

export interface CanaryRequest {
  readonly path: string;
  /** Distinguishes it from others of the path. */
  readonly label?: string;
  readonly method?: 'GET' | 'POST';
  readonly parameters?: Readonly<Record<string, string>>;
  /** An empty one removes a header. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Replaces parameters. */
  readonly body?: string | Buffer | FormData;
}

/** The answer to a request. */
export interface CanaryAnswer {
  readonly status: number;
  readonly text: string;
  readonly cookies: readonly string[];
  readonly detail: Readonly<Record<string, string>>;
  /** The value of `result.value`. */
  readonly value: unknown;
  readonly isSuccess: boolean;
}

interface Body {
  readonly result?: { readonly status: boolean; readonly value?: unknown };
  readonly detail?: Readonly<Record<string, string>>;
}

interface ClientOptions {
  readonly name: string;
  readonly port: number;
  readonly evidence: CanaryEvidence;
  /** The default method: everything in the body, or in the URL. */
  readonly method: 'GET' | 'POST';
  /** An API token. */
  readonly bearer: string;
}

/** Sends requests to one server, and keeps every answer. */
export class CanaryClient {
  /** What the server is suffering from. */
  trouble = '';
  /** Of all requests. */
  headers: Readonly<Record<string, string>> = {};
  readonly #options: ClientOptions;

  constructor(options: ClientOptions) {
    this.#options = options;
  }

  /** Sends the request as an administrator, unless its headers differ. */
  async send(request: CanaryRequest): Promise<CanaryAnswer> {
    const { name, evidence } = this.#options;
    const answer = await this.#fetch(request);
    const { path, label = '' } = request;
    const outcome = answer.isSuccess ? 'success' : 'failure';
    evidence.add(
      `answer ${name} ${path.split('?')[0] ?? ''} ${label}(${outcome}) ${this.trouble}`,
      answer.text,
    );
    return answer;
  }

  /** Sends bytes that no client library would send. */
  async sendRaw(bytes: string): Promise<void> {
    const { name, port, evidence } = this.#options;
    const socket = connect(port, '127.0.0.1');
    const back: Buffer[] = [];
    socket.on('data', (piece: Buffer) => back.push(piece));
    // Ignores every fault of the connection.
    socket.on('error', () => undefined);
    socket.end(bytes);
    await once(socket, 'close');
    evidence.add(`answer ${name} raw`, Buffer.concat(back));
  }

  async #fetch({ path, parameters = {}, headers, body, ...request }: CanaryRequest): Promise<CanaryAnswer> {
    const { bearer, port, method } = { ...this.#options, ...request };
    const inUrl = method === 'GET' ? `?${new URLSearchParams(parameters).toString()}` : '';
    const all = { authorization: `Bearer ${bearer}`, ...this.headers, ...headers };
    const sent = {
      method,
      redirect: 'manual' as const,
      headers: Object.fromEntries(Object.entries(all).filter(([, value]) => value !== '')),
      ...(method === 'POST' && { body: body ?? new URLSearchParams(parameters) }),
    };
    try {
      return await readAnswer(await fetch(`http://127.0.0.1:${port}${path}${inUrl}`, sent));
    } catch {
      // A server that refuses a long body may end the connection before the client has sent all of it.
      return { status: 0, text: '', cookies: [], detail: {}, value: undefined, isSuccess: false };
    }
  }
}

async function readAnswer(response: Response): Promise<CanaryAnswer> {
  const text = await response.text();
  const head = [...response.headers].map((pair) => pair.join(': ')).join('\n');
  const isJson = (response.headers.get('content-type') ?? '').includes('json');
  const body = (isJson ? JSON.parse(text) : {}) as Body;
  return {
    status: response.status,
    text: `${response.status} ${response.statusText}\n${head}\n\n${text}`,
    cookies: response.headers.getSetCookie(),
    detail: body.detail ?? {},
    value: body.result?.value,
    isSuccess: response.status === 200 && body.result?.status !== false,
  };
}
