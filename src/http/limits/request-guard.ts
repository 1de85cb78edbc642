import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { clientNetwork } from './networks.ts';
import type { LimitReporter } from './limit-reporter.ts';

interface RequestGuardDependencies {
  readonly isExempt: (client: string) => boolean;
  readonly refusals: LimitReporter;
  /** The most requests of one client in a second, which begins with its first request. */
  readonly max: number;
}

/** Limits the requests of one client, to any path. Each server counts by itself. */
export class RequestGuard {
  readonly #deps: RequestGuardDependencies;
  readonly #made: RateLimiterMemory;

  constructor(dependencies: RequestGuardDependencies) {
    this.#deps = dependencies;
    this.#made = new RateLimiterMemory({ points: dependencies.max, duration: 1 });
  }

  /** Counts a request. @throws ServiceError 'too-many-requests' */
  async admit(client: string): Promise<void> {
    const { isExempt, refusals } = this.#deps;
    if (isExempt(client)) {
      return;
    }
    const network = clientNetwork(client);
    try {
      await this.#made.consume(network);
    } catch (outcome) {
      if (!(outcome instanceof RateLimiterRes)) {
        throw outcome;
      }
      refusals.refuse('client-requests', network, Math.max(1, outcome.msBeforeNext));
    }
  }
}
