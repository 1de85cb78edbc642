import type { Configuration, Revision } from './configuration.ts';

/** Keeps the configuration that was read last for as long as the database has the same revision. */
export class ConfigurationCache {
  readonly #load: () => Promise<Configuration>;
  #kept: Configuration | undefined;
  #loading: Promise<Configuration> | undefined;

  /** @param load reads the configuration from the database */
  constructor(load: () => Promise<Configuration>) {
    this.#load = load;
  }

  /** The configuration that was read last, however old. */
  get kept(): Configuration | undefined {
    return this.#kept;
  }

  /** @returns the configuration as of this revision or a later one */
  async at(requested: Revision): Promise<Configuration> {
    const kept = this.#kept;
    if (kept?.revision === requested.revision && kept.changedAt.getTime() === requested.changedAt.getTime()) {
      return kept;
    }
    const joined = await this.#join();
    // The running load may have begun before the change that the caller knows of; the next one cannot have.
    return joined.revision >= requested.revision ? joined : this.#join();
  }

  /** All callers that wait share one load. */
  #join(): Promise<Configuration> {
    this.#loading ??= this.#reload().finally(() => {
      this.#loading = undefined;
    });
    return this.#loading;
  }

  async #reload(): Promise<Configuration> {
    this.#kept = await this.#load();
    return this.#kept;
  }
}
