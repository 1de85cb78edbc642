import type { Configuration } from '../../configuration/configuration.ts';
import type { Revision } from './configuration-snapshot.ts';

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
  async at(wanted: Revision): Promise<Configuration> {
    const kept = this.#kept;
    if (kept?.revision === wanted.revision && kept.changedAt.getTime() === wanted.changedAt.getTime()) {
      return kept;
    }
    const joined = await this.#join();
    // The running load may have begun before the change that the caller knows of; the next one cannot have.
    return joined.revision >= wanted.revision ? joined : this.#join();
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

/** The read of the configuration, and the time for which it holds. */
export interface ConfigurationConfirmationOptions {
  /** Reads the present configuration from the database. */
  readonly read: () => Promise<Configuration>;
  /** Milliseconds for which a read holds; 0: each call is a read of its own. */
  readonly window: number;
  /** Milliseconds of a clock that never goes back. */
  readonly elapsed: () => number;
}

interface Reading {
  readonly begun: number;
  readonly configuration: Promise<Configuration>;
}

/**
 * Lets a read of the configuration hold for a short time, so that not every request queries the database. The time
 * begins with the start of the read, which may have missed later changes.
 */
export class ConfigurationConfirmation {
  readonly #deps: ConfigurationConfirmationOptions;
  #done: Reading | undefined;
  #underWay: Reading | undefined;
  #isInDoubt = true;

  constructor(options: ConfigurationConfirmationOptions) {
    this.#deps = options;
  }

  /** True without a read since the last possible change, or without any read; always true without a window. */
  get isInDoubt(): boolean {
    return this.#isInDoubt || this.#deps.window === 0;
  }

  /** @returns the configuration of a moment that is at most one window ago. @throws what the read throws */
  current(): Promise<Configuration> {
    const standing = [this.#done, this.#underWay].find((reading) => this.#stands(reading));
    return standing?.configuration ?? this.confirm();
  }

  /** @returns the configuration by a new read, even if an earlier one still holds. @throws what the read throws */
  confirm(): Promise<Configuration> {
    const begun = this.#deps.elapsed();
    const reading = { begun, configuration: this.#deps.read() };
    this.#underWay = reading;
    const end = (done: Reading | undefined): void => {
      // A read that was given up meanwhile, or that a later one overtook, confirms nothing.
      if (this.#underWay === reading) {
        this.#underWay = undefined;
        this.#done = done;
        this.#isInDoubt &&= done === undefined;
      }
    };
    reading.configuration.then(
      () => {
        end(reading);
      },
      () => {
        end(undefined);
      },
    );
    return reading.configuration;
  }

  /** Expires every read that has begun until now: something may have changed. */
  expire(): void {
    this.#isInDoubt = true;
    this.#done = undefined;
    this.#underWay = undefined;
  }

  #stands(reading: Reading | undefined): boolean {
    return reading !== undefined && this.#deps.elapsed() - reading.begun < this.#deps.window;
  }
}
