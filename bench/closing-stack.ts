/** The resources that a bench has opened, closed in the opposite order: at its end, and on Ctrl-C. */
export class ClosingStack implements AsyncDisposable {
  readonly #opened: (() => Promise<void>)[] = [];
  #closing: Promise<void> | undefined;

  constructor() {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.once(signal, () => {
        void this[Symbol.asyncDispose]().finally(() => process.exit(130));
      });
    }
  }

  add(close: () => Promise<void>): void {
    this.#opened.push(close);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return (this.#closing ??= this.#closeAll());
  }

  async #closeAll(): Promise<void> {
    for (let one = this.#opened.pop(); one !== undefined; one = this.#opened.pop()) {
      await one();
    }
  }
}
