/**
 * Lets long computations of one process take turns, a piece each. Between two pieces the process does what else there is
 * to do, however many computations there are.
 */
export class ComputingTurns {
  readonly #waiting: (() => void)[] = [];

  /**
   * Waits for a turn. The piece is to be computed at once then.
   * @param isUrgent puts it first: for computations that hold a lock or a connection
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

  /** An immediate that is set by an immediate runs in the next turn of the event loop: one piece a turn. */
  #schedule(): void {
    setImmediate(() => {
      this.#waiting.shift()?.();
      if (this.#waiting.length > 0) {
        this.#schedule();
      }
    });
  }
}
