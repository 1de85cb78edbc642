import type { CliIo } from './dependencies.ts';

/** Milliseconds after which work counts as slow. */
const QUIET_MS = 2_000;
const TICK = 500;

/**
 * Runs work of unknown length. After two seconds a line on the terminal names it with its time: `reading users … 12 s`.
 * @param what a clause with a participle
 */
export async function withSlowWorkLine<T>(io: CliIo, what: string, work: () => Promise<T>): Promise<T> {
  if (!io.isInteractive) {
    return work();
  }
  const line = new SlowWorkLine(io, what);
  try {
    return await work();
  } finally {
    line.clear();
  }
}

class SlowWorkLine {
  readonly #io: CliIo;
  readonly #what: string;
  readonly #begun = performance.now();
  readonly #timer: NodeJS.Timeout;
  #shown = '';

  constructor(io: CliIo, what: string) {
    this.#io = io;
    this.#what = what;
    this.#timer = setInterval(() => {
      this.#show();
    }, TICK);
    // The work decides how long the process lives.
    this.#timer.unref();
  }

  clear(): void {
    clearInterval(this.#timer);
    if (this.#shown !== '') {
      this.#io.stderr.write(`\r${' '.repeat(this.#shown.length)}\r`);
    }
  }

  #show(): void {
    const elapsed = performance.now() - this.#begun;
    if (elapsed >= QUIET_MS) {
      this.#shown = `${this.#what} … ${Math.floor(elapsed / 1000)} s`.slice(0, this.#io.columns - 1);
      this.#io.stderr.write(`\r${this.#shown}`);
    }
  }
}
