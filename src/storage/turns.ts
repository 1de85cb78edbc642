/**
 * Lets work of one kind wait for its turn inside this process, so that it does not wait inside the database, where each
 * one waiting holds a connection. Work of different keys does not wait for each other.
 */
export class Turns {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Runs `work` when all that came before under this key has ended, well or not. */
  async take<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key);
    const mine = before === undefined ? work() : before.then(work, work);
    this.#last.set(key, mine);
    try {
      return await mine;
    } finally {
      if (this.#last.get(key) === mine) {
        this.#last.delete(key);
      }
    }
  }
}
