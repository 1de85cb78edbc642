/**
 * Interleaves the long computations of one process, a piece at a time. Between two pieces the process does its other
 * work, for any number of computations.
 */
export class ComputingTurns {
  readonly #waiting: (() => void)[] = [];

  /**
   * Waits for a turn. The caller then computes its piece at once.
   * @param isUrgent precedes all waiting pieces: for computations that hold a lock or a connection others need
   */
  next(isUrgent: boolean): Promise<void> {
    return new Promise((resolve) => {
      if (isUrgent) {
        this.#waiting.unshift(resolve);
      } else {
        this.#waiting.push(resolve);
      }
      if (this.#waiting.length === 1) {
        this.#schedule();
      }
    });
  }

  /** Runs one piece in each turn of the event loop: an immediate set by an immediate runs in the next turn. */
  #schedule(): void {
    setImmediate(() => {
      this.#waiting.shift()?.();
      if (this.#waiting.length > 0) {
        this.#schedule();
      }
    });
  }
}
