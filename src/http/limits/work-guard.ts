import type { LimitReporter } from './limit-reporter.ts';

/**
 * Bounds how many requests are worked on at once: beyond that, waiting for the database would only get longer. A request
 * counts from when all of it has come until its answer is known, so that slow clients do not count.
 */
export class WorkGuard {
  readonly #deps: { readonly refusals: LimitReporter; readonly most: number };
  #running = 0;

  constructor(dependencies: { readonly refusals: LimitReporter; readonly most: number }) {
    this.#deps = dependencies;
  }

  /** @throws ServiceError 'server.busy', or what the work throws */
  async run<Value>(work: () => Promise<Value>): Promise<Value> {
    const { refusals, most } = this.#deps;
    if (this.#running >= most) {
      refusals.refuseForNow('requests-at-once');
    }
    this.#running += 1;
    try {
      return await work();
    } finally {
      this.#running -= 1;
    }
  }
}
