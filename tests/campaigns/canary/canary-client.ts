import { once } from 'node:events';
import { connect } from 'node:net';
import type { CanaryEvidence } from './canary-search.ts';

/** A request that can be repeated. */
export interface CanaryRequest {
  readonly path: string;
  /** Distinguishes it from others of the path. */
  readonly label?: string;
  readonly method?: 'GET' | 'POST';
  readonly parameters?: Readonly<Record<string, string>>;
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
}

/** The selection of requests to repeat. */
interface RepeatOptions {
  readonly headers?: Readonly<Record<string, string>>;
  /** Only those of these paths. */
  readonly only?: RegExp;
  /** Of those, one of so many. */
  readonly every?: number;
}

/** Requests that are repeated at once. */
const AT_ONCE = 12;

/** Sends requests to one server, and keeps every answer and every request. */
export class CanaryClient {
  readonly #deps: ClientOptions;
  readonly #sent: CanaryRequest[] = [];
  /** The default authorization. */
  #bearer = '';
  #phase = '';

  constructor(options: ClientOptions) {
    this.#deps = options;
  }

  get port(): number {
    return this.#deps.port;
  }

  authenticate(bearer: string): void {
    this.#bearer = bearer;
  }

  /** Sends the request as an administrator, unless its headers differ. */
  async send(request: CanaryRequest): Promise<CanaryAnswer> {
    if (this.#phase === '') {
      this.#sent.push(request);
    }
    const { name, evidence } = this.#deps;
    const answer = await this.#fetch(request);
    const { path, label = '' } = request;
    const outcome = answer.isSuccess ? 'success' : 'failure';
    evidence.add(
      `answer ${name} ${path.split('?')[0] ?? ''} ${label}(${outcome}) ${this.#phase}`,
      answer.text,
    );
    return answer;
  }

  /** Repeats all requests, or those of some paths, some at a time. @returns the statuses, in any order */
  async repeat(
    phase: string,
    { headers = {}, only = /^/, every = 1 }: RepeatOptions = {},
  ): Promise<readonly number[]> {
    this.#phase = phase;
    const waiting = this.#sent
      .filter(({ path }) => only.test(path))
      .filter((_, index) => index % every === 0)
      .map((request) => ({ ...request, headers: { ...request.headers, ...headers } }));
    const statuses: number[] = [];
    const work = async (): Promise<void> => {
      for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
        statuses.push((await this.send(next)).status);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    return statuses;
  }

  /** Sends bytes that no client library would send. */
  async sendRaw(label: string, bytes: string): Promise<void> {
    const { name, port, evidence } = this.#deps;
    const socket = connect(port, '127.0.0.1');
    const back: Buffer[] = [];
    socket.on('data', (piece: Buffer) => back.push(piece));
    // Ignores every fault of the connection.
    socket.on('error', () => undefined);
    socket.end(bytes);
    await once(socket, 'close');
    evidence.add(`answer ${name} raw ${label}`, Buffer.concat(back));
  }

  async #fetch(request: CanaryRequest): Promise<CanaryAnswer> {
    const { path, parameters = {}, headers = {}, body } = request;
    const method = request.method ?? this.#deps.method;
    const inUrl = method === 'GET' ? `?${new URLSearchParams(parameters).toString()}` : '';
    const sent = {
      method,
      redirect: 'manual' as const,
      headers: givenOnes({ authorization: `Bearer ${this.#bearer}`, ...headers }),
      ...(method === 'POST' && { body: body ?? new URLSearchParams(parameters) }),
    };
    try {
      return await readAnswer(await fetch(`http://127.0.0.1:${this.port}${path}${inUrl}`, sent));
    } catch {
      // A server that refuses a long body may end the connection before the client has sent all of it.
      return { status: 0, text: '', cookies: [], detail: {}, value: undefined, isSuccess: false };
    }
  }
}

/** Removes empty headers, which stand for none. */
function givenOnes(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== ''));
}

async function readAnswer(response: Response): Promise<CanaryAnswer> {
  const text = await response.text();
  const head = [...response.headers].map((pair) => pair.join(': ')).join('\n');
  const body = (
    (response.headers.get('content-type') ?? '').includes('json') ? JSON.parse(text) : {}
  ) as Body;
  return {
    status: response.status,
    text: `${response.status} ${response.statusText}\n${head}\n\n${text}`,
    cookies: response.headers.getSetCookie(),
    detail: body.detail ?? {},
    value: body.result?.value,
    isSuccess: response.status === 200 && body.result?.status !== false,
  };
}
