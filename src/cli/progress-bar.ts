import type { CliIo } from './dependencies.ts';

/** Characters of the bar, brackets not counted; on a narrow terminal fewer. */
const WIDTH = 30;
const MIN_WIDTH = 5;

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
    const share = Math.min(done / total, 1);
    const text = `${Math.floor(share * 100)} %  ${done} of ${total} ${this.#what}  ${rate}`.trimEnd();
    // A line that fills the last column wraps, and could not be overwritten.
    const room = this.#io.columns - 1;
    const width = Math.min(WIDTH, room - text.length - '[] '.length);
    const bar = width < MIN_WIDTH ? '' : `[${'#'.repeat(Math.floor(share * width)).padEnd(width, '.')}] `;
    this.#write(`${bar}${text}`.slice(0, room));
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
