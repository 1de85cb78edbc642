import { KeyedCounts } from '../kernel/keyed-counts.ts';

/** Numbers of places. */
export interface PlaceLimits {
  readonly all: number;
  /** The most of one holder. */
  readonly each: number;
}

/** Places for long work, of which no holder gets all. Nobody waits for one. */
export class SharedPlaces {
  readonly #limits: PlaceLimits;
  readonly #held = new KeyedCounts();
  #taken = 0;

  constructor(limits: PlaceLimits) {
    this.#limits = limits;
  }

  /**
   * Runs `work` in a place, which is free again when the work ends, well or not.
   * @param refuse makes the error where there is no place
   */
  async run<T>(holder: string, work: () => Promise<T>, refuse: () => Error): Promise<T> {
    if (this.#taken >= this.#limits.all || this.#held.of(holder) >= this.#limits.each) {
      throw refuse();
    }
    this.#taken += 1;
    try {
      return await this.#held.during(holder, work);
    } finally {
      this.#taken -= 1;
    }
  }
}
