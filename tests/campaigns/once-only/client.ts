import { createHash, randomUUID } from 'node:crypto';

import { computeResponse } from '../../../src/ocra/compute.ts';
import { deriveTokenKey } from '../../../src/ocra/key-derivation.ts';
import { parseQrTanUrl } from '../../../src/ocra/qrtan-url.ts';
import { parseOcraSuite } from '../../../src/ocra/suite.ts';
import type {
  Answer,
  Fate,
  GivenResponse,
  HistoryRecord,
  Operation,
  OperationName,
  Selected,
} from './operations.ts';
import { hasCounter, hasTime, STEP } from './responses.ts';

const ACTIVATION_CODE = 'GEZDGNBVGY3TQOJQ01';
/** Milliseconds after which a missing answer counts as unknown. */
const TIMEOUT_MS = 30_000;

type Parameters = Readonly<Record<string, string | undefined>>;

interface Envelope {
  readonly result?: {
    readonly status: boolean;
    readonly value?: Answer;
    readonly error?: { readonly message: string };
  };
  readonly detail?: Readonly<Record<string, string>>;
}

/** An answer without anything secret, or the fate of the request. */
type Told = Pick<Fate, 'outcome' | 'answer' | 'why' | 'strange'>;

type Sent =
  | (Told & { readonly outcome: 'refused' | 'unknown' })
  | { readonly outcome: 'ok'; readonly envelope: Envelope };

interface ClientOptions {
  /** Of an administrator, for all requests: a bearer token, or a session with its cookie. */
  readonly credentials: { readonly bearer: string } | { readonly session: string };
  /** The realm of all users. */
  readonly realm?: string;
  /** The service's clock in seconds, where a test sets it. */
  readonly clock?: () => number;
  /** Gets each record as soon as it is complete. */
  readonly log?: (record: HistoryRecord) => void;
}

/**
 * Performs operations on servers over HTTP, and writes the history of what it was told. It holds the keys and PINs by
 * their names; it never repeats a request by itself.
 */
export class HistoryClient {
  readonly records: HistoryRecord[] = [];
  readonly #keys = new Map<string, Buffer>();
  /** The shared secrets of roll-outs that have begun. */
  readonly #secrets = new Map<string, Buffer>();
  readonly #options: ClientOptions;

  constructor(options: ClientOptions) {
    this.#options = options;
  }

  /** @returns a client with a new session of `admin` @throws if the server refuses */
  static async open(baseUrl: string, password: string): Promise<HistoryClient> {
    const basic = Buffer.from(`admin:${password}`).toString('base64');
    const response = await fetch(`${baseUrl}/admin/getsession`, {
      headers: { Authorization: `Basic ${basic}` },
    });
    const session = /admin_session=([^;]+)/.exec(response.headers.get('set-cookie') ?? '')?.[1];
    if (session === undefined) {
      throw new Error(`No session: ${response.status} ${await response.text()}`);
    }
    return new HistoryClient({ credentials: { session } });
  }

  /** @returns the name of a key from now on */
  learn(key: Uint8Array): string {
    const name = createHash('sha256').update(key).digest('hex').slice(0, 16);
    this.#keys.set(name, Buffer.from(key));
    return name;
  }

  /** Performs one operation. @param baseUrl `http://127.0.0.1:5001` @param client names the sender in the history */
  async perform(operation: Operation, baseUrl: string, client = 'client'): Promise<HistoryRecord> {
    const request = randomUUID();
    const invoked = now();
    const told = await this.#ask(operation, baseUrl, request);
    const fate = { client, invoked, ...told, server: baseUrl, request };
    return told.answer === UNSENT ? { ...operation, ...fate } : this.note(operation, fate);
  }

  /** Writes an operation into the history that is complete now. */
  note(operation: Operation, fate: Fate): HistoryRecord {
    const clock = this.#options.clock?.();
    const record = {
      ...operation,
      completed: now(),
      ...fate,
      ...(clock !== undefined && { clock }),
    } as HistoryRecord;
    this.records.push(record);
    this.#options.log?.(record);
    return record;
  }

  async #ask(operation: Operation, baseUrl: string, request: string): Promise<Told> {
    const [path, parameters] = this.#requestOf(operation);
    const sent = await this.#post(`${baseUrl}/${path}`, parameters, request);
    if (sent.outcome !== 'ok') {
      return sent;
    }
    const { value = null } = sent.envelope.result ?? {};
    const { detail = {} } = sent.envelope;
    return { outcome: 'ok', answer: await this.#answerOf(operation, value, detail) };
  }

  #requestOf({ op, args }: Operation): readonly [string, Parameters] {
    const parameters = this.#parametersOf[op] as
      ((args: unknown) => readonly [string, Parameters]) | undefined;
    return parameters?.(args) ?? [`admin/${op}`, this.#whose(args as Selected)];
  }

  /** The path and parameters of a request; those that are missing only name tokens. */
  readonly #parametersOf: {
    readonly [Name in OperationName]?: (args: Operation<Name>['args']) => readonly [string, Parameters];
  } = {
    enrol: ({ key, suite, pin, ...of }) => {
      const otpkey = this.#keys.get(key)?.toString('hex');
      return ['admin/init', { type: 'ocra', ocrasuite: suite, otpkey, pin, ...this.#whose(of) }];
    },
    'phase 1': (of) => ['admin/init', { type: 'ocra', genkey: '1', sharedsecret: '1', ...this.#whose(of) }],
    'phase 2': (of) => [
      'admin/init',
      { type: 'ocra', genkey: '1', activationcode: ACTIVATION_CODE, message: 'welcome', ...this.#whose(of) },
    ],
    request: ({ text, ...of }) => ['ocra/request', { ...this.#whose(of), data: text }],
    answer: ({ via, pin = '', response, transaction, ...of }) => {
      // Without a transaction these two name none; the others would then try all that are open.
      const named = via.endsWith('check_t')
        ? { transactionid: transaction ?? '' }
        : this.#whose({ ...of, transaction });
      return [via, { ...named, pass: pin + this.#digits(response) }];
    },
    status: (of) => ['ocra/checkstatus', this.#whose(of)],
    configure: ({ key, value }) => ['system/setConfig', { [key]: value }],
    set: ({ serial, pin }) => ['admin/set', { serial, pin }],
    limit: ({ serial, maxFail }) => ['admin/set', { serial, MaxFailCount: String(maxFail) }],
    window: ({ serial, counters }) => ['admin/set', { serial, CounterWindow: String(counters) }],
    resync: ({ serial, responses: [one, two] }) => {
      const questions = { challenge1: questionOf(one), challenge2: questionOf(two) };
      return ['admin/resync', { serial, otp1: this.#digits(one), otp2: this.#digits(two), ...questions }];
    },
  };

  #whose(of: {
    serial?: string | undefined;
    user?: string | undefined;
    transaction?: string | undefined;
  }): Parameters {
    const { serial, user, transaction } = of;
    return {
      serial,
      transactionid: transaction,
      ...(user !== undefined && { user, realm: this.#options.realm }),
    };
  }

  /** @returns the digits of a response; for a wrong one, digits that hardly any device gives */
  #digits(given: GivenResponse): string {
    if (given === 'empty') {
      return '';
    }
    if (given === 'wrong') {
      return String(Math.floor(Math.random() * 1e8)).padStart(8, '0');
    }
    const { suite, question, at } = given;
    return computeResponse(parseOcraSuite(suite), this.#keys.get(given.key) ?? Buffer.alloc(32), {
      question: suite.includes('QN') ? question.replace(/\D/g, '1').slice(0, 8) : question,
      ...(hasCounter(suite) && { counter: BigInt(at ?? 0) }),
      ...(hasTime(suite) && { timeStep: BigInt(Math.floor((at ?? 0) / STEP)) }),
    });
  }

  async #answerOf(
    operation: Operation,
    value: Answer,
    detail: Readonly<Record<string, string>>,
  ): Promise<Answer> {
    switch (operation.op) {
      case 'phase 1': {
        const secret = Buffer.from(detail.sharedsecret ?? '', 'hex');
        this.#secrets.set(operation.args.serial, secret);
        return { key: this.learn(secret) };
      }
      case 'phase 2': {
        const { transactionid: transaction, challenge: question } = detail;
        const key = await this.#derive(operation.args.serial, Buffer.from(detail.nonce ?? '', 'hex'));
        return { transaction, question, key };
      }
      case 'request': {
        const url = parseQrTanUrl(detail.data ?? '');
        return { transaction: detail.transactionid, question: url.kind === 'req' ? url.question : '' };
      }
      case 'show':
        return shown(value);
      default:
        return value;
    }
  }

  /** The app's part of a roll-out. */
  async #derive(serial: string, nonce: Buffer): Promise<string> {
    const sharedSecret = this.#secrets.get(serial) ?? Buffer.alloc(20);
    return this.learn(await deriveTokenKey({ sharedSecret, activationCode: ACTIVATION_CODE, nonce }));
  }

  async #post(url: string, parameters: Parameters, request: string): Promise<Sent> {
    const { credentials } = this.#options;
    const given: Parameters = { ...parameters, ...('session' in credentials && credentials) };
    const body = new URLSearchParams(JSON.parse(JSON.stringify(given)) as Record<string, string>);
    const headers = {
      'X-Request-Id': request,
      ...('session' in credentials
        ? { Cookie: `admin_session=${credentials.session}` }
        : { Authorization: `Bearer ${credentials.bearer}` }),
    };
    try {
      const signal = AbortSignal.timeout(TIMEOUT_MS);
      const response = await fetch(url, { method: 'POST', headers, body, signal });
      return read(response.status, await response.text());
    } catch (error) {
      // Without a connection nothing was sent. After any other fault the request may be under way.
      const { code } = ((error as Error).cause ?? {}) as NodeJS.ErrnoException;
      return code === 'ECONNREFUSED'
        ? { outcome: 'refused', answer: UNSENT }
        : { outcome: 'unknown', why: code ?? String(error) };
    }
  }
}

/** The answer of a request that never reached a server. */
export const UNSENT = 'unsent';

/** @returns the time in milliseconds, which is never set back */
export function now(): number {
  return performance.timeOrigin + performance.now();
}

function read(status: number, text: string): Sent {
  const envelope = parse(text);
  if (status === 200 && envelope.result !== undefined) {
    return envelope.result.status
      ? { outcome: 'ok', envelope }
      : { outcome: 'refused', why: envelope.result.error?.message };
  }
  // 503 may stand for a commit without a confirmation.
  const why = `${status} ${text.slice(0, 200)}`;
  return { outcome: 'unknown', why, ...(status !== 503 && { strange: why }) };
}

function parse(text: string): Envelope {
  try {
    return JSON.parse(text) as Envelope;
  } catch {
    return {};
  }
}

function questionOf(response: GivenResponse): string {
  return typeof response === 'object' ? response.question : '';
}

function shown(value: Answer): Answer {
  const [token] = (value as { tokens?: Record<string, unknown>[] } | null)?.tokens ?? [];
  if (token === undefined) {
    return null;
  }
  const { serial, active, failcount, maxfail, counter, rollout, user, ocrasuite } = token;
  return { serial, active, failcount, maxfail, counter, rollout, user, ocrasuite };
}
