import type { CliIo } from './dependencies.ts';

const WIDTH = 30;

/** A line on a terminal that shows progress. */
export class ProgressBar {
  readonly #io: CliIo;
  readonly #what: string;
  #shown = '';

  /** Shows nothing unless the terminal is interactive. */
  constructor(io: CliIo, what: string) {
    this.#io = io;
    this.#what = what;
  }

  /** @param rate words about the speed, shown at the end */
  show(done: number, total: number, rate = ''): void {
    if (!this.#io.isInteractive || total === 0) {
      return;
    }
    const filled = Math.floor((done / total) * WIDTH);
    const bar = '#'.repeat(filled).padEnd(WIDTH, '.');
    this.#write(
      `[${bar}] ${Math.floor((done / total) * 100)} %  ${done} of ${total} ${this.#what}  ${rate}`.trimEnd(),
    );
  }

  /** Removes the line. To be called at the end, also after a failure. */
  clear(): void {
    if (this.#shown !== '') {
      this.#io.stderr.write(`\r${' '.repeat(this.#shown.length)}\r`);
      this.#shown = '';
    }
  }

  /** Pads the line: the previous one may have been longer. */
  #write(line: string): void {
    if (line !== this.#shown) {
      this.#io.stderr.write(`\r${line.padEnd(this.#shown.length)}`);
      this.#shown = line;
    }
  }
}
