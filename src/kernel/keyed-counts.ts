/** Counts by key. A key without a count takes no memory. */
export class KeyedCounts {
  readonly #counts = new Map<string, number>();

  /** @returns 0 for a key without a count */
  of(key: string): number {
    return this.#counts.get(key) ?? 0;
  }

  change(key: string, change: 1 | -1): void {
    const count = this.of(key) + change;
    if (count > 0) {
      this.#counts.set(key, count);
    } else {
      this.#counts.delete(key);
    }
  }

  /** Counts a piece of work under the key until it ends, well or not. */
  async during<T>(key: string, work: () => Promise<T>): Promise<T> {
    this.change(key, 1);
    try {
      return await work();
    } finally {
      this.change(key, -1);
    }
  }
}
