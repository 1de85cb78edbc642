import type { Configuration } from '../../configuration/configuration.ts';
import type { Revision } from './configuration-snapshot.ts';

/** Keeps the configuration that was read last while the database has the same revision. */
export class ConfigurationCache {
  readonly #load: () => Promise<Configuration>;
  #kept: Configuration | undefined;
  #loading: Promise<Configuration> | undefined;

  /** @param load reads the configuration from the database */
  constructor(load: () => Promise<Configuration>) {
    this.#load = load;
  }

  /** What was read last, however old. */
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
    // The load that was under way may have begun before the change that the caller knows of; the next one cannot have.
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

/** How the configuration is read, and how long that stands. */
export interface ConfigurationConfirmationOptions {
  /** Finds out what the configuration is now, by asking the database. */
  readonly read: () => Promise<Configuration>;
  /** For how many milliseconds a read stands; 0: each question is a read of its own. */
  readonly window: number;
  /** Milliseconds of a clock that never goes back. */
  readonly elapsed: () => number;
}

interface Reading {
  readonly begun: number;
  readonly configuration: Promise<Configuration>;
}

/**
 * Lets a read of the configuration stand for a short time, so that not every request asks the database. What is read counts from
 * the moment at which the read began: later changes it may have missed.
 */
export class ConfigurationConfirmation {
  readonly #deps: ConfigurationConfirmationOptions;
  #done: Reading | undefined;
  #underWay: Reading | undefined;
  #isInDoubt = true;

  constructor(options: ConfigurationConfirmationOptions) {
    this.#deps = options;
  }

  /** Whether nothing was read since something may have changed, or since ever; always where there is no window. */
  get isInDoubt(): boolean {
    return this.#isInDoubt || this.#deps.window === 0;
  }

  /** @returns the configuration of a moment that is at most one window ago. @throws what the read throws */
  current(): Promise<Configuration> {
    const standing = [this.#done, this.#underWay].find((reading) => this.#stands(reading));
    return standing?.configuration ?? this.confirm();
  }

  /** @returns the configuration as it is read now, whatever still stands. @throws what the read throws */
  confirm(): Promise<Configuration> {
    const begun = this.#deps.elapsed();
    const reading = { begun, configuration: this.#deps.read() };
    this.#underWay = reading;
    const end = (done: Reading | undefined): void => {
      // One that was given up meanwhile, or that a later one overtook, confirms nothing any more.
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

  /** Something may have changed: no read that has begun until now stands any longer. */
  expire(): void {
    this.#isInDoubt = true;
    this.#done = undefined;
    this.#underWay = undefined;
  }

  #stands(reading: Reading | undefined): boolean {
    return reading !== undefined && this.#deps.elapsed() - reading.begun < this.#deps.window;
  }
}
