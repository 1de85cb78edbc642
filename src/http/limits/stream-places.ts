/** The places of streams at a server. */
export interface StreamPlaces {
  /** Acquires a place for a stream of the administrator. @returns false if there is none */
  acquire(administrator: string): Promise<boolean>;
  /** Frees it. */
  release(administrator: string): void;
}

/** The most streams of one administrator. */
const MAX_STREAMS_PER_ADMINISTRATOR = 4;

/** The streams of all processes of a server. */
export class StreamPlan {
  readonly #max: number;
  /** Numbers of streams by administrator, by process. */
  readonly #taken = new Map<number, Map<string, number>>();

  /** @param max the most streams */
  constructor(max: number) {
    this.#max = max;
  }

  /**
   * @param process its id
   * @returns false if there is no place
   */
  acquire(process: number, administrator: string): boolean {
    const own = this.#sum((taken) => taken.get(administrator) ?? 0);
    if (own >= MAX_STREAMS_PER_ADMINISTRATOR || this.#sum(allOf) >= this.#max) {
      return false;
    }
    this.#change(process, administrator, 1);
    return true;
  }

  release(process: number, administrator: string): void {
    this.#change(process, administrator, -1);
  }

  /** Frees the places of a process that has ended. */
  forget(process: number): void {
    this.#taken.delete(process);
  }

  /** @returns the places as one process acquires them */
  placesOf(process: number): StreamPlaces {
    return {
      acquire: (administrator) => Promise.resolve(this.acquire(process, administrator)),
      release: (administrator) => {
        this.release(process, administrator);
      },
    };
  }

  #sum(numberOf: (taken: ReadonlyMap<string, number>) => number): number {
    return [...this.#taken.values()].reduce((sum, taken) => sum + numberOf(taken), 0);
  }

  #change(process: number, administrator: string, change: 1 | -1): void {
    const taken = this.#taken.get(process) ?? new Map<string, number>();
    this.#taken.set(process, taken);
    const count = (taken.get(administrator) ?? 0) + change;
    if (count <= 0) {
      taken.delete(administrator);
    } else {
      taken.set(administrator, count);
    }
  }
}

function allOf(taken: ReadonlyMap<string, number>): number {
  return [...taken.values()].reduce((sum, count) => sum + count, 0);
}
