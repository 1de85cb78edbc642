import type { Setup } from '../../configuration/configuration.ts';

/** How the setup is read, and how long that stands. */
export interface SetupConfirmationOptions {
  /** Finds out what the setup is now, by asking the database. */
  readonly read: () => Promise<Setup>;
  /** For how many milliseconds a read stands; 0: each question is a read of its own. */
  readonly window: number;
  /** Milliseconds of a clock that never goes back. */
  readonly elapsed: () => number;
}

interface Reading {
  readonly begun: number;
  readonly setup: Promise<Setup>;
}

/**
 * Lets a read of the setup stand for a short time, so that not every request asks the database. What is read counts from
 * the moment at which the read began: later changes it may have missed.
 */
export class SetupConfirmation {
  readonly #its: SetupConfirmationOptions;
  #done: Reading | undefined;
  #underWay: Reading | undefined;
  #isInDoubt = true;

  constructor(options: SetupConfirmationOptions) {
    this.#its = options;
  }

  /** Whether nothing was read since something may have changed, or since ever; always where there is no window. */
  get isInDoubt(): boolean {
    return this.#isInDoubt || this.#its.window === 0;
  }

  /** @returns the setup of a moment that is at most one window ago. @throws what the read throws */
  current(): Promise<Setup> {
    const standing = [this.#done, this.#underWay].find((reading) => this.#stands(reading));
    return standing?.setup ?? this.confirm();
  }

  /** @returns the setup as it is read now, whatever still stands. @throws what the read throws */
  confirm(): Promise<Setup> {
    const begun = this.#its.elapsed();
    const reading = { begun, setup: this.#its.read() };
    this.#underWay = reading;
    const end = (done: Reading | undefined): void => {
      // One that was given up meanwhile, or that a later one overtook, confirms nothing any more.
      if (this.#underWay === reading) {
        this.#underWay = undefined;
        this.#done = done;
        this.#isInDoubt &&= done === undefined;
      }
    };
    reading.setup.then(
      () => {
        end(reading);
      },
      () => {
        end(undefined);
      },
    );
    return reading.setup;
  }

  /** Something may have changed: no read that has begun until now stands any longer. */
  expire(): void {
    this.#isInDoubt = true;
    this.#done = undefined;
    this.#underWay = undefined;
  }

  #stands(reading: Reading | undefined): boolean {
    return reading !== undefined && this.#its.elapsed() - reading.begun < this.#its.window;
  }
}
