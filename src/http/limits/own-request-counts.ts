import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { RequestCounts } from './request-guard.ts';

/** The counts of a server that is a single process. A second begins with a client's first request. */
export class OwnRequestCounts implements RequestCounts {
  readonly #made: RateLimiterMemory;

  /** @param max the most requests of one client in a second */
  constructor(max: number) {
    this.#made = new RateLimiterMemory({ points: max, duration: 1 });
  }

  async count(network: string): Promise<number> {
    try {
      await this.#made.consume(network);
      return 0;
    } catch (outcome) {
      if (!(outcome instanceof RateLimiterRes)) {
        throw outcome;
      }
      return Math.max(1, outcome.msBeforeNext);
    }
  }
}
