import { createHash } from 'node:crypto';
import { type ErrorCode, isServiceError } from '../../kernel/errors.ts';
import type { AttemptLimit } from '../../kernel/limit.ts';
import type { Reply } from '../reply.ts';
import { clientNetwork } from './networks.ts';
import type { LimitName, LimitReporter } from './limit-reporter.ts';

interface ResponseGuardDependencies {
  readonly isExempt: (client: string) => boolean;
  readonly refusals: LimitReporter;
  /** Failures of a client. */
  readonly clients: AttemptLimit;
  /** Failures at a transaction. */
  readonly transactions: AttemptLimit;
}

/** One thing that is counted. */
interface Counted {
  readonly name: LimitName;
  readonly limit: AttemptLimit;
  readonly key: string;
}

/**
 * Serves a request with a response.
 * @param countTransaction to be called with the transaction that the request names, before the response is verified; empty:
 *   none. It throws ServiceError 'too-many-requests'
 */
export type ServeResponse = (countTransaction: (transaction: string) => void) => Promise<Reply>;

/** What a client cannot help. */
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
 * Bounds responses that are not accepted, of one client and to one transaction, over all servers. Only they are counted,
 * after they were looked at and before the client is told; so a response that is accepted costs nothing, and of those
 * that are not no client is told more than the limit says, however many it sends at once.
 */
export class ResponseGuard {
  readonly #deps: ResponseGuardDependencies;

  constructor(dependencies: ResponseGuardDependencies) {
    this.#deps = dependencies;
  }

  /** @throws ServiceError 'too-many-requests', or what serving throws */
  async guard(client: string, serve: ServeResponse): Promise<Reply> {
    if (this.#deps.isExempt(client)) {
      return serve(() => undefined);
    }
    const network = clientNetwork(client);
    const counted: Counted[] = [{ name: 'client-failures', limit: this.#deps.clients, key: network }];
    this.#assertFree(counted, network);
    const countTransaction = (transaction: string): void => {
      if (transaction !== '') {
        const key = createHash('sha256').update(transaction, 'utf8').digest('base64url');
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
