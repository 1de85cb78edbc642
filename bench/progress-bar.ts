const WIDTH = 30;
const STEPS = 10;

/** Shows how far something is: a bar on a terminal, else a line now and then. On standard error. */
export class ProgressBar {
  readonly #title: string;
  readonly #whole: number;
  readonly #begun = performance.now();
  #shown = -1;

  /** @param whole the amount of work */
  constructor(title: string, whole: number) {
    this.#title = title;
    this.#whole = whole;
  }

  /** @param done the part of it that is done */
  show(done: number): void {
    const share = Math.min(1, done / this.#whole);
    const seconds = `${((performance.now() - this.#begun) / 1000).toFixed(0)} s`;
    if (process.stderr.isTTY) {
      const bar = '█'.repeat(Math.round(share * WIDTH)).padEnd(WIDTH, '░');
      process.stderr.write(
        `\r${this.#title} ${bar} ${(share * 100).toFixed(0)} % ${seconds}${share === 1 ? '\n' : ''}`,
      );
      return;
    }
    const step = Math.floor(share * STEPS);
    if (step > this.#shown) {
      this.#shown = step;
      process.stderr.write(`${this.#title}: ${step * STEPS} %, ${seconds}\n`);
    }
  }
}
