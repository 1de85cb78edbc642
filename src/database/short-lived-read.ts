/** A read of the database, and the time for which it holds. */
interface ShortLivedReadOptions<Value> {
  /** Reads the present value. */
  readonly read: () => Promise<Value>;
  /** Milliseconds for which a read holds; 0: each call is a read of its own. */
  readonly window: number;
  /** Milliseconds of a clock that never goes back. */
  readonly elapsed: () => number;
}

interface ReadUnderWay<Value> {
  readonly begun: number;
  readonly value: Promise<Value>;
}

interface DoneReading<Value> extends ReadUnderWay<Value> {
  readonly result: Value;
}

/**
 * Lets a read hold for a short time, so that not every request queries the database. The time begins with the start of
 * the read, which may have missed later changes.
 */
export class ShortLivedRead<Value> {
  readonly #deps: ShortLivedReadOptions<Value>;
  #done: DoneReading<Value> | undefined;
  #underWay: ReadUnderWay<Value> | undefined;
  #isInDoubt = true;

  constructor(options: ShortLivedReadOptions<Value>) {
    this.#deps = options;
  }

  /** True without a read since the last possible change, or without any read; always true without a window. */
  get isInDoubt(): boolean {
    return this.#isInDoubt || this.#deps.window === 0;
  }

  /**
   * @returns the value of a moment that is at most one window ago
   * @throws what the read throws
   */
  current(): Promise<Value> {
    const standing = [this.#done, this.#underWay].find((reading) => this.#stands(reading));
    return standing?.value ?? this.confirm();
  }

  /**
   * @returns the value by a new read, even if an earlier one still holds
   * @throws what the read throws
   */
  confirm(): Promise<Value> {
    const begun = this.#deps.elapsed();
    const reading = { begun, value: this.#deps.read() };
    this.#underWay = reading;
    const end = (done: DoneReading<Value> | undefined): void => {
      // A read that was given up meanwhile, or that a later one overtook, confirms nothing.
      if (this.#underWay === reading) {
        this.#underWay = undefined;
        this.#done = done;
        this.#isInDoubt &&= done === undefined;
      }
    };
    reading.value.then(
      (result) => {
        end({ ...reading, result });
      },
      () => {
        end(undefined);
      },
    );
    return reading.value;
  }

  /** Expires every read that has begun until now: something may have changed. */
  expire(): void {
    this.#isInDoubt = true;
    this.#done = undefined;
    this.#underWay = undefined;
  }

  #stands(reading: ReadUnderWay<Value> | undefined): boolean {
    return reading !== undefined && this.#deps.elapsed() - reading.begun < this.#deps.window;
  }
}
