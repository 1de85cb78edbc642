import { Semaphore } from '../../kernel/bounded-work.ts';
import { hash } from 'node:crypto';
import type { LoginGuard } from './login-guard.ts';
import { clientNetwork } from './networks.ts';
import type { LimitName, LimitReporter } from './limit-reporter.ts';
import { type ErrorCode, isServiceError } from '../../kernel/errors.ts';
import { type AttemptLimit, LocalCounts } from '../../limits/attempt-limit.ts';
import type { Reply } from '../reply.ts';

/** The limits that protect the service from its clients. */
export interface Guards {
  readonly requests: Pick<RequestGuard, 'admit'>;
  readonly work: Pick<Semaphore, 'run'>;
  readonly largeBodies: Pick<Semaphore, 'run'>;
  readonly responses: Pick<ResponseGuard, 'guard'>;
  readonly logins: Pick<LoginGuard, 'attempt' | 'begin' | 'finish'>;
}

/** Limits the requests of one client, to any path. Each server counts by itself. */
export class RequestGuard {
  readonly #deps;
  readonly #made = new LocalCounts(1_000);

  constructor(dependencies: {
    readonly isExempt: (client: string) => boolean;
    readonly refusals: LimitReporter;
    /** The most requests of one client in a second, which begins with its first request. */
    readonly max: number;
  }) {
    this.#deps = dependencies;
  }

  /** Counts a request. @throws ServiceError 'too-many-requests' */
  admit(client: string): void {
    const { isExempt, refusals, max } = this.#deps;
    if (isExempt(client)) {
      return;
    }
    const network = clientNetwork(client);
    const { attempts, wait } = this.#made.change(network, 1, performance.now());
    if (attempts > max) {
      refusals.refuse('client-requests', network, Math.max(1, wait));
    }
  }
}

/** A key to be counted by a limit. */
interface Counted {
  readonly name: LimitName;
  readonly limit: AttemptLimit;
  readonly key: string;
}

/**
 * Serves a request with a response.
 * @param countTransaction to be called with the transaction that the request names before the response is verified;
 *   empty: none. It throws ServiceError 'too-many-requests'
 */
type ServeResponse = (countTransaction: (transaction: string) => void) => Promise<Reply>;

/** Errors that the client did not cause; they are not counted. */
const NOT_THE_CLIENTS_FAULT: readonly ErrorCode[] = [
  'database.unavailable',
  'resolver.unavailable',
  'security-module.unavailable',
  'key.unavailable',
  'secret.unreadable',
  'server.busy',
  'too-many-requests',
  'internal',
];

/**
 * Limits the responses that are not accepted, by client and by transaction, over all servers. Only they are counted,
 * after verification and before the answer. An accepted response costs nothing, and a client learns of no more
 * failures than the limit, however many responses it sends at once.
 */
export class ResponseGuard {
  readonly #deps;

  constructor(dependencies: {
    readonly isExempt: (client: string) => boolean;
    readonly refusals: LimitReporter;
    /** Failures by client. */
    readonly clients: AttemptLimit;
    /** Failures by transaction. */
    readonly transactions: AttemptLimit;
  }) {
    this.#deps = dependencies;
  }

  /** Serves a request within the limits. @throws ServiceError 'too-many-requests', or the error of `serve` */
  async guard(client: string, serve: ServeResponse): Promise<Reply> {
    if (this.#deps.isExempt(client)) {
      return serve(() => undefined);
    }
    const network = clientNetwork(client);
    const counted: Counted[] = [{ name: 'client-failures', limit: this.#deps.clients, key: network }];
    this.#assertFree(counted, network);
    const countTransaction = (transaction: string): void => {
      if (transaction !== '') {
        const key = hash('sha256', transaction, 'base64url');
        counted.push({ name: 'transaction-failures', limit: this.#deps.transactions, key });
        this.#assertFree(counted, network);
      }
    };
    try {
      const reply = await serve(countTransaction);
      if (reply.accepted !== true) {
        await this.#count(counted, network);
      }
      return reply;
    } catch (error) {
      if (isServiceError(error) && !NOT_THE_CLIENTS_FAULT.includes(error.code)) {
        await this.#count(counted, network);
      }
      throw error;
    }
  }

  #assertFree(counted: readonly Counted[], network: string): void {
    for (const { name, limit, key } of counted) {
      const wait = limit.wait(key);
      if (wait > 0) {
        this.#deps.refusals.refuse(name, network, wait);
      }
    }
  }

  async #count(counted: readonly Counted[], network: string): Promise<void> {
    const waits = await Promise.all(
      counted.map(async ({ name, limit, key }) => ({ name, wait: await limit.count(key) })),
    );
    const longest = waits.reduce((one, other) => (other.wait > one.wait ? other : one));
    if (longest.wait > 0) {
      this.#deps.refusals.refuse(longest.name, network, longest.wait);
    }
  }
}

/** The most requests with a large body that wait; each of them keeps a connection. */
const MAX_WAITING_BODIES = 16;

/**
 * Limits the requests that are processed at once, as more would only wait longer for the database. A request counts
 * from its complete arrival until its answer is known, so that slow clients do not count. Throws ServiceError
 * 'server.busy'.
 */
export function workGuard({ refusals, max }: { refusals: LimitReporter; max: number }): Semaphore {
  return new Semaphore(max, { waiting: 0, refuse: () => refusals.busy('requests-at-once') });
}

/**
 * Admits one large body at a time to be read and processed, as each takes many times its length in memory. Other
 * requests wait unread, in the order of their arrival. Throws ServiceError 'server.busy'.
 * @param options.timeoutMs milliseconds for which a request waits for its turn
 */
export function largeBodyGuard(options: { refusals: LimitReporter; timeoutMs: number }): Semaphore {
  const { refusals, timeoutMs } = options;
  return new Semaphore(1, {
    waiting: MAX_WAITING_BODIES,
    timeoutMs,
    refuse: () => refusals.busy('large-bodies', timeoutMs),
  });
}
