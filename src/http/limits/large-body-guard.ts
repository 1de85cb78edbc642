import type { LimitReporter } from './limit-reporter.ts';

interface LargeBodyGuardDependencies {
  readonly refusals: LimitReporter;
  /** Milliseconds for which a request waits for its turn. */
  readonly timeoutMs: number;
}

/** The most requests that wait; each of them keeps a connection. */
const MAX_WAITING = 16;

/**
 * Admits one large body at a time to be read and processed, as each takes many times its length in memory. Other
 * requests wait unread, in the order of their arrival.
 */
export class LargeBodyGuard {
  readonly #deps: LargeBodyGuardDependencies;
  readonly #waiting = new Set<() => void>();
  #isTaken = false;

  constructor(dependencies: LargeBodyGuardDependencies) {
    this.#deps = dependencies;
  }

  /** @throws ServiceError 'server.busy', or what the work throws */
  async run<Value>(work: () => Promise<Value>): Promise<Value> {
    if (this.#isTaken && !(await this.#turn())) {
      this.#deps.refusals.refuseForNow('large-bodies', this.#deps.timeoutMs);
    }
    this.#isTaken = true;
    try {
      return await work();
    } finally {
      const [next] = this.#waiting;
      if (next === undefined) {
        this.#isTaken = false;
      } else {
        next();
      }
    }
  }

  /** @returns true if the turn came before the time ran out */
  async #turn(): Promise<boolean> {
    if (this.#waiting.size >= MAX_WAITING) {
      return false;
    }
    return new Promise((resolve) => {
      const end = (hasCome: boolean): void => {
        clearTimeout(timer);
        this.#waiting.delete(take);
        resolve(hasCome);
      };
      const take = (): void => {
        end(true);
      };
      const timer = setTimeout(() => {
        end(false);
      }, this.#deps.timeoutMs).unref();
      this.#waiting.add(take);
    });
  }
}
