import { KeyedCounts } from '../../kernel/keyed-counts.ts';
import type { LimitReporter } from './limit-reporter.ts';

/** Milliseconds after which a refused stream may be tried again. */
const WAIT_MS = 10_000;
/** The most streams of one administrator. */
const MAX_OF_ADMINISTRATOR = 4;

interface StreamGuardDependencies {
  readonly refusals: LimitReporter;
  /** The most streams in all. */
  readonly max: number;
}

/** Limits the streams that are open at once, in all and by administrator. Each server counts by itself. */
export class StreamGuard {
  readonly #deps: StreamGuardDependencies;
  readonly #open = new KeyedCounts();
  #all = 0;

  constructor(dependencies: StreamGuardDependencies) {
    this.#deps = dependencies;
  }

  /**
   * @returns a function that frees the place
   * @throws ServiceError 'server.busy'
   */
  admit(administrator: string): () => void {
    const { refusals, max } = this.#deps;
    if (this.#all >= max || this.#open.of(administrator) >= MAX_OF_ADMINISTRATOR) {
      throw refusals.busy('live-streams', WAIT_MS);
    }
    this.#change(administrator, 1);
    return () => {
      this.#change(administrator, -1);
    };
  }

  #change(administrator: string, change: 1 | -1): void {
    this.#all += change;
    this.#open.change(administrator, change);
  }
}
