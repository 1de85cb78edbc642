import { clientNetwork } from './networks.ts';
import type { LimitReporter } from './limit-reporter.ts';

/** Counts the requests of clients, up to a limit in a second. */
export interface RequestCounts {
  /**
   * Counts a request.
   * @param network the client
   * @returns milliseconds until the client may try again; 0: the request is within the limit
   */
  count(network: string): Promise<number>;
}

interface RequestGuardDependencies {
  readonly isExempt: (client: string) => boolean;
  readonly refusals: LimitReporter;
  readonly counts: RequestCounts;
}

/** Limits the requests of one client, to any path. Each server counts by itself. */
export class RequestGuard {
  readonly #deps: RequestGuardDependencies;

  constructor(dependencies: RequestGuardDependencies) {
    this.#deps = dependencies;
  }

  /** Counts a request. @throws ServiceError 'too-many-requests' */
  async admit(client: string): Promise<void> {
    const { isExempt, refusals, counts } = this.#deps;
    if (isExempt(client)) {
      return;
    }
    const network = clientNetwork(client);
    const wait = await counts.count(network);
    if (wait > 0) {
      refusals.refuse('client-requests', network, wait);
    }
  }
}
