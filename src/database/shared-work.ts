/** Bounds of shared work. */
export interface SharedWorkOptions<Item, Result> {
  /**
   * Works on items together.
   * @returns an outcome for each item, in their order
   * @throws the error of all of them
   */
  readonly work: (items: readonly Item[]) => Promise<readonly PromiseSettledResult<Result>[]>;
  /** The most items of a group. */
  readonly maxItems: number;
  /** The most groups at work at once. */
  readonly maxGroups: number;
  /** The longest wait of an item for its group to begin, in milliseconds. */
  readonly maxWaitMs: number;
  /** @returns the error of an item that has waited too long */
  readonly refuse: () => Error;
}

interface WaitingItem<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (reason: unknown) => void;
  readonly timer: NodeJS.Timeout;
}

/**
 * Work that costs little more for several items than for one. An item that comes alone is worked on at once; those that
 * come while the groups before are at work make the next group.
 */
export class SharedWork<Item, Result> {
  readonly #options: SharedWorkOptions<Item, Result>;
  readonly #waiting: WaitingItem<Item, Result>[] = [];
  #groups = 0;
  #isDue = false;

  constructor(options: SharedWorkOptions<Item, Result>) {
    this.#options = options;
  }

  /** @throws the error of this item, or of its whole group, or of a wait that is too long */
  do(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
        reject(this.#options.refuse());
      }, this.#options.maxWaitMs);
      const waiting = { item, resolve, reject, timer };
      this.#waiting.push(waiting);
      this.#plan();
    });
  }

  /** Begins the next group once the items that have arrived together are all here. */
  #plan(): void {
    if (!this.#isDue && this.#waiting.length > 0 && this.#groups < this.#options.maxGroups) {
      this.#isDue = true;
      setImmediate(() => {
        this.#isDue = false;
        if (this.#waiting.length > 0) {
          void this.#begin();
        }
        this.#plan();
      });
    }
  }

  async #begin(): Promise<void> {
    const group = this.#waiting.splice(0, this.#options.maxItems);
    group.forEach(({ timer }) => {
      clearTimeout(timer);
    });
    this.#groups += 1;
    try {
      const outcomes = await this.#options.work(group.map(({ item }) => item));
      group.forEach(({ resolve, reject }, place) => {
        const outcome = outcomes[place];
        if (outcome?.status === 'fulfilled') {
          resolve(outcome.value);
        } else {
          reject(
            outcome === undefined ? new Error('shared work has no outcome for an item') : outcome.reason,
          );
        }
      });
    } catch (error) {
      group.forEach(({ reject }) => {
        reject(error);
      });
    } finally {
      this.#groups -= 1;
      this.#plan();
    }
  }
}
