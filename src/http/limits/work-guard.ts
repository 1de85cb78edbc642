import type { LimitReporter } from './limit-reporter.ts';

/**
 * Limits the requests that are processed at once, as more would only wait longer for the database. A request counts
 * from its complete arrival until its answer is known, so that slow clients do not count.
 */
export class WorkGuard {
  readonly #deps: { readonly refusals: LimitReporter; readonly max: number };
  #running = 0;

  constructor(dependencies: { readonly refusals: LimitReporter; readonly max: number }) {
    this.#deps = dependencies;
  }

  /** Runs the work within the limit. @throws ServiceError 'server.busy', or the error of `work` */
  async run<Value>(work: () => Promise<Value>): Promise<Value> {
    const { refusals, max } = this.#deps;
    if (this.#running >= max) {
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
