/** The bounds of an aging map. */
export interface AgingMapOptions {
  /** Milliseconds for which a value is kept, from its insertion. */
  readonly lifetime: number;
  /** The most values at once. */
  readonly max: number;
  /** Milliseconds of a clock that never goes back. */
  readonly elapsed: () => number;
}

interface AgingEntry<Value> {
  readonly value: Value;
  readonly since: number;
}

/** Values that are kept for a fixed time, whether they are used or not. Where it is full, the oldest makes room. */
export class AgingMap<Value> {
  readonly #options: AgingMapOptions;
  /** All values live equally long: they age in the order of their insertion. */
  readonly #kept = new Map<string, AgingEntry<Value>>();

  constructor(options: AgingMapOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#kept.size;
  }

  /** @returns undefined for an unknown key, and for a value that is too old */
  get(key: string): Value | undefined {
    const kept = this.#kept.get(key);
    return kept === undefined || this.#isAged(kept) ? undefined : kept.value;
  }

  set(key: string, value: Value): void {
    this.#kept.delete(key);
    this.dropAged();
    const [oldest] = this.#kept.keys();
    if (oldest !== undefined && this.#kept.size >= this.#options.max) {
      this.#kept.delete(oldest);
    }
    this.#kept.set(key, { value, since: this.#options.elapsed() });
  }

  delete(key: string): void {
    this.#kept.delete(key);
  }

  /** Removes the values that are too old from the memory of the process. */
  dropAged(): void {
    for (const [key, kept] of this.#kept) {
      if (!this.#isAged(kept)) {
        return;
      }
      this.#kept.delete(key);
    }
  }

  #isAged({ since }: AgingEntry<Value>): boolean {
    return this.#options.elapsed() - since >= this.#options.lifetime;
  }
}
