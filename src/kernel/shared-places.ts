/** Numbers of places. */
export interface PlaceLimits {
  readonly all: number;
  /** The most of one holder. */
  readonly each: number;
}

/** Places for long work, of which no holder gets all. Nobody waits for one. */
export class SharedPlaces {
  readonly #limits: PlaceLimits;
  readonly #held = new Map<string, number>();
  #taken = 0;

  constructor(limits: PlaceLimits) {
    this.#limits = limits;
  }

  /**
   * Runs `work` in a place, which is free again when the work ends, well or not.
   * @param refuse makes the error where there is no place
   */
  async run<T>(holder: string, work: () => Promise<T>, refuse: () => Error): Promise<T> {
    const held = this.#held.get(holder) ?? 0;
    if (this.#taken >= this.#limits.all || held >= this.#limits.each) {
      throw refuse();
    }
    this.#change(holder, 1);
    try {
      return await work();
    } finally {
      this.#change(holder, -1);
    }
  }

  #change(holder: string, change: 1 | -1): void {
    this.#taken += change;
    const held = (this.#held.get(holder) ?? 0) + change;
    if (held === 0) {
      this.#held.delete(holder);
    } else {
      this.#held.set(holder, held);
    }
  }
}
