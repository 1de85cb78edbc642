import type { LimitReporter } from './limit-reporter.ts';
import type { StreamPlaces } from './stream-places.ts';

/** Milliseconds after which a refused stream may be tried again. */
const WAIT_MS = 10_000;

/** Limits the streams that are open at once, in all and by administrator. */
export class StreamGuard {
  readonly #deps: { readonly refusals: LimitReporter; readonly places: StreamPlaces };

  constructor(dependencies: { readonly refusals: LimitReporter; readonly places: StreamPlaces }) {
    this.#deps = dependencies;
  }

  /**
   * @returns a function that frees the place
   * @throws ServiceError 'server.busy'
   */
  async admit(administrator: string): Promise<() => void> {
    const { refusals, places } = this.#deps;
    if (!(await places.acquire(administrator))) {
      throw refusals.busy('live-streams', WAIT_MS);
    }
    return () => {
      places.release(administrator);
    };
  }
}
