import { setMaxListeners } from 'node:events';
import { lookup, type LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import {
  Agent as HttpAgent,
  type ClientRequest,
  type IncomingMessage,
  request as requestHttp,
} from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';

import { Semaphore } from '../../kernel/bounded-work.ts';
import {
  addressFault,
  hostOf,
  type ReceiverAddress,
  type SendResult,
  type SignedMessage,
} from '../webhook.ts';
import { readAddress } from '../../kernel/networks.ts';

/** Simultaneous look-ups. Node makes them in a pool of four threads, which files and passwords need, too. */
const MAX_AT_ONCE = 2;

/** Resolves the names of receivers. Simultaneous look-ups of a name are one, so that a slow one takes one thread. */
export class ReceiverNames {
  readonly #running = new Map<string, Promise<readonly LookupAddress[]>>();
  readonly #turns = new Semaphore(MAX_AT_ONCE);
  readonly #resolve: (host: string) => Promise<readonly LookupAddress[]>;

  constructor(resolve: (host: string) => Promise<readonly LookupAddress[]> = resolveAll) {
    this.#resolve = resolve;
  }

  /** @returns a look-up for a connection: its answers are checked here, right before they are used */
  lookupFor(receiver: ReceiverAddress): LookupFunction {
    return (host, options, done) => {
      this.#find(host).then(
        (found) => {
          const fault = found
            .map(({ address }) => addressFault(address, receiver))
            .find((one) => one !== undefined);
          const [first] = found;
          if (fault !== undefined || first === undefined) {
            done(new RefusedAddress(fault ?? 'the name has no address'), '');
          } else if (options.all === true) {
            done(null, [...found]);
          } else {
            done(null, first.address, first.family);
          }
        },
        (error: unknown) => {
          done(error as NodeJS.ErrnoException, '');
        },
      );
    };
  }

  #find(host: string): Promise<readonly LookupAddress[]> {
    const running = this.#running.get(host);
    if (running !== undefined) {
      return running;
    }
    const started = this.#turns
      .run(() => this.#resolve(host))
      .finally(() => {
        this.#running.delete(host);
      });
    this.#running.set(host, started);
    return started;
  }
}

/** The refusal of an address to which nothing may be sent. */
class RefusedAddress extends Error {
  override readonly name = 'RefusedAddress';
}

function resolveAll(host: string): Promise<readonly LookupAddress[]> {
  return new Promise((resolve, reject) => {
    lookup(host, { all: true }, (error, addresses) => {
      if (error === null) {
        resolve(addresses);
      } else {
        reject(error);
      }
    });
  });
}

/** The longest time of a request, from the look-up of the name to the end of the answer. */
const REQUEST_MS = 10_000;
/** The longest time from the status of an answer to its end. */
const BODY_MS = 1_000;
/** Bytes of an answer's body that are read, so that the connection can be used again. None of them is kept. */
const MAX_READ = 16_384;

/**
 * Sends by HTTP/1.1 over connections that are kept for further messages. Uses no proxy, follows no redirects, keeps
 * nothing of an answer but its status, and connects to no address that `addressFault` refuses.
 */
export class HttpWebhookSender {
  readonly #timeoutMs: number;
  readonly #userAgent: string;
  readonly #names: ReceiverNames;
  /** By receiver: a connection opened for one is not used for another, for which other addresses may be refused. */
  readonly #agents = new Map<string, HttpAgent>();

  constructor({
    timeoutMs = REQUEST_MS,
    userAgent,
    names = new ReceiverNames(),
  }: {
    /** Milliseconds; 10 000 by default. */
    readonly timeoutMs?: number;
    readonly userAgent: string;
    readonly names?: ReceiverNames;
  }) {
    this.#timeoutMs = timeoutMs;
    this.#userAgent = userAgent;
    this.#names = names;
  }

  /** Never fails. @param signal ends it early */
  async send(receiver: ReceiverAddress, message: SignedMessage, signal: AbortSignal): Promise<SendResult> {
    const ending = new AbortController();
    const end = (): void => {
      ending.abort();
    };
    const late = new Error(`no answer within ${this.#timeoutMs / 1000} seconds`);
    const limit = setTimeout(() => {
      ending.abort(late);
    }, this.#timeoutMs);
    // One for each message under way: Node warns of more than ten.
    setMaxListeners(0, signal);
    signal.addEventListener('abort', end);
    try {
      const status = await this.#sendOnFresh(receiver, message, ending.signal);
      return status >= 200 && status < 300 ? { status } : { status, failure: `HTTP ${status}` };
    } catch (error) {
      return { failure: ending.signal.reason === late ? late.message : describe(error) };
    } finally {
      clearTimeout(limit);
      signal.removeEventListener('abort', end);
    }
  }

  close(): void {
    this.#agents.forEach((agent) => {
      agent.destroy();
    });
    this.#agents.clear();
  }

  /** Repeats a request once if its kept connection was just being closed by the receiver. */
  async #sendOnFresh(receiver: ReceiverAddress, message: SignedMessage, ended: AbortSignal): Promise<number> {
    try {
      return await this.#request(receiver, message, ended);
    } catch (error) {
      if (!(error instanceof ClosedConnection)) {
        throw error;
      }
      return this.#request(receiver, message, ended);
    }
  }

  #request(
    receiver: ReceiverAddress,
    { headers, body }: SignedMessage,
    signal: AbortSignal,
  ): Promise<number> {
    const url = new URL(receiver.url);
    // An address in the URL is connected to without a look-up.
    const fault = readAddress(hostOf(url)) && addressFault(hostOf(url), receiver);
    if (fault !== undefined) {
      return Promise.reject(new RefusedAddress(fault));
    }
    return new Promise((resolve, reject) => {
      const open = url.protocol === 'https:' ? requestHttps : requestHttp;
      const sent = open(url, {
        method: 'POST',
        agent: this.#agentOf(receiver, url.protocol),
        headers: { ...headers, 'Content-Length': Buffer.byteLength(body), 'User-Agent': this.#userAgent },
        lookup: this.#names.lookupFor(receiver),
        signal,
      });
      sent.on('error', (error) => {
        reject(isClosedBefore(sent, error) ? new ClosedConnection(error.message) : error);
      });
      sent.once('response', (answer) => {
        // The status decides, even if the body is cut off.
        const resolveStatus = (): void => {
          resolve(answer.statusCode ?? 0);
        };
        sent.prependListener('error', resolveStatus);
        drain(answer, sent, resolveStatus);
      });
      sent.end(body);
    });
  }

  #agentOf({ url, allowsHttp, isBounded }: ReceiverAddress, protocol: string): HttpAgent {
    const key = `${String(allowsHttp)} ${String(isBounded)} ${url}`;
    const known = this.#agents.get(key);
    if (known !== undefined) {
      return known;
    }
    const options = { keepAlive: true, maxFreeSockets: 4, timeout: 2 * this.#timeoutMs };
    const agent = protocol === 'https:' ? new HttpsAgent(options) : new HttpAgent(options);
    this.#agents.set(key, agent);
    return agent;
  }
}

/** A kept connection ended before it brought an answer. */
class ClosedConnection extends Error {
  override readonly name = 'ClosedConnection';
}

function isClosedBefore(sent: ClientRequest, error: NodeJS.ErrnoException): boolean {
  return sent.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
}

/**
 * Reads the body to its end, if it is short and comes soon; else the connection is closed.
 * @param ended is called then: until the end, the request counts as one of those that a receiver may have at once
 */
function drain(answer: IncomingMessage, sent: ClientRequest, ended: () => void): void {
  let read = 0;
  const late = setTimeout(() => {
    sent.destroy();
  }, BODY_MS);
  answer.on('data', (piece: Buffer) => {
    read += piece.length;
    if (read > MAX_READ) {
      sent.destroy();
    }
  });
  // An answer that is cut off, by us or by the receiver, changes nothing any more.
  answer.on('error', () => undefined);
  answer.once('close', () => {
    clearTimeout(late);
    ended();
  });
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'the connection was lost',
  EPIPE: 'the connection was lost',
  ENOTFOUND: 'the host name is unknown',
  EAI_AGAIN: 'the host name is unknown',
  ETIMEDOUT: 'the host cannot be reached',
  EHOSTUNREACH: 'the host cannot be reached',
  ENETUNREACH: 'the host cannot be reached',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'its certificate is not trusted',
  SELF_SIGNED_CERT_IN_CHAIN: 'its certificate is not trusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'its certificate is not trusted',
  CERT_HAS_EXPIRED: 'its certificate has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host',
};

/** @returns a reason that quotes nothing of the receiver's answer */
function describe(error: unknown): string {
  if (error instanceof RefusedAddress) {
    return `nothing is sent there: ${error.message}`;
  }
  const { code, errors } = (error ?? {}) as { code?: unknown; errors?: readonly unknown[] };
  // Of several addresses of a host.
  const [first] = errors ?? [];
  const key = String(code ?? (first as { code?: unknown } | undefined)?.code);
  return REASONS[key] ?? `the request failed (${key})`;
}
