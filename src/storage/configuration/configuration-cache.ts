import type { Setup } from '../../configuration/configuration.ts';
import type { Revision } from './configuration-snapshot.ts';

/** Keeps the setup that was read last, for as long as it is what the database holds. */
export class SetupCache {
  readonly #load: () => Promise<Setup>;
  #kept: Setup | undefined;
  #loading: Promise<Setup> | undefined;

  /** @param load reads the setup from the database */
  constructor(load: () => Promise<Setup>) {
    this.#load = load;
  }

  /** What was read last, however old. */
  get kept(): Setup | undefined {
    return this.#kept;
  }

  /** @returns the setup as of this revision or a later one */
  async at(wanted: Revision): Promise<Setup> {
    const kept = this.#kept;
    if (kept?.revision === wanted.revision && kept.changedAt.getTime() === wanted.changedAt.getTime()) {
      return kept;
    }
    const joined = await this.#join();
    // The load that was under way may have begun before the change that the caller knows of; the next one cannot have.
    return joined.revision >= wanted.revision ? joined : this.#join();
  }

  /** All who wait share one load. */
  #join(): Promise<Setup> {
    this.#loading ??= this.#reload().finally(() => {
      this.#loading = undefined;
    });
    return this.#loading;
  }

  async #reload(): Promise<Setup> {
    this.#kept = await this.#load();
    return this.#kept;
  }
}
