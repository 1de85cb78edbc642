import { closingOnce } from './bench-cluster.ts';

/** The resources that a bench has opened, closed in the opposite order: at its end, and on Ctrl-C. */
export class ClosingStack {
  readonly #opened: (() => Promise<void>)[] = [];
  readonly #close = closingOnce(async () => {
    for (let one = this.#opened.pop(); one !== undefined; one = this.#opened.pop()) {
      await one();
    }
  });

  add(close: () => Promise<void>): void {
    this.#opened.push(close);
  }

  close(): Promise<void> {
    return this.#close();
  }
}
