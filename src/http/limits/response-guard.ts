import { hash } from 'node:crypto';
import { type ErrorCode, isServiceError } from '../../kernel/errors.ts';
import type { AttemptLimit } from '../../limits/attempt-limit.ts';
import type { Reply } from '../reply.ts';
import { clientNetwork } from './networks.ts';
import type { LimitName, LimitReporter } from './limit-reporter.ts';

interface ResponseGuardDependencies {
  readonly isExempt: (client: string) => boolean;
  readonly refusals: LimitReporter;
  /** Failures by client. */
  readonly clients: AttemptLimit;
  /** Failures by transaction. */
  readonly transactions: AttemptLimit;
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
export type ServeResponse = (countTransaction: (transaction: string) => void) => Promise<Reply>;

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
  readonly #deps: ResponseGuardDependencies;

  constructor(dependencies: ResponseGuardDependencies) {
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
