/**
 * A few places for work that may hang. Whoever comes when all are taken waits for one to become free: so work that hangs
 * takes no more than these places from everybody else.
 */
export class Places {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(number: number) {
    this.#free = number;
  }

  /** Runs `work` as soon as there is a place, and gives the place back when it has ended, well or not. */
  async take<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) {
      this.#free -= 1;
    } else {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    try {
      return await work();
    } finally {
      this.#giveBack();
    }
  }

  #giveBack(): void {
    const next = this.#waiting.shift();
    if (next === undefined) {
      this.#free += 1;
    } else {
      next();
    }
  }
}
