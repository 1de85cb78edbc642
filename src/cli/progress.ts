import type { CliIo } from './dependencies.ts';
import type { Clock } from '../kernel/clock.ts';

/** Characters of the bar, brackets not counted; on a narrow terminal fewer. */
const WIDTH = 30;
const MIN_WIDTH = 5;

/** A line on a terminal that is written again and again. */
class StatusLine {
  readonly #io: CliIo;
  #shown = '';

  constructor(io: CliIo) {
    this.#io = io;
  }

  /** Pads the line: the previous one may have been longer. */
  show(text: string): void {
    // A line that fills the last column wraps, and could not be overwritten.
    const line = text.slice(0, this.#io.columns - 1);
    if (line !== this.#shown) {
      this.#io.stderr.write(`\r${line.padEnd(this.#shown.length)}`);
      this.#shown = line;
    }
  }

  clear(): void {
    if (this.#shown !== '') {
      this.#io.stderr.write(`\r${' '.repeat(this.#shown.length)}\r`);
      this.#shown = '';
    }
  }
}

/** A line on a terminal that shows progress. */
export class ProgressBar {
  readonly #io: CliIo;
  readonly #what: string;
  readonly #line: StatusLine;

  /** Shows nothing unless the terminal is interactive. */
  constructor(io: CliIo, what: string) {
    this.#io = io;
    this.#what = what;
    this.#line = new StatusLine(io);
  }

  /** @param rate words about the speed, shown at the end */
  show(done: number, total: number, rate = ''): void {
    if (!this.#io.isInteractive || total === 0) {
      return;
    }
    const share = Math.min(done / total, 1);
    const text = `${Math.floor(share * 100)} %  ${done} of ${total} ${this.#what}  ${rate}`.trimEnd();
    const width = Math.min(WIDTH, this.#io.columns - 1 - text.length - '[] '.length);
    const bar = width < MIN_WIDTH ? '' : `[${'#'.repeat(Math.floor(share * width)).padEnd(width, '.')}] `;
    this.#line.show(`${bar}${text}`);
  }

  /** Removes the line. To be called at the end, also after a failure. */
  clear(): void {
    this.#line.clear();
  }
}

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
  const line = new StatusLine(io);
  const begun = performance.now();
  const timer = setInterval(() => {
    const elapsed = performance.now() - begun;
    if (elapsed >= QUIET_MS) {
      line.show(`${what} … ${Math.floor(elapsed / 1000)} s`);
    }
  }, TICK);
  // The work decides how long the process lives.
  timer.unref();
  try {
    return await work();
  } finally {
    clearInterval(timer);
    line.clear();
  }
}

/** Milliseconds between lines where there is no terminal. */
const LINE_INTERVAL_MS = 5_000;

interface Progress {
  readonly group: string;
  readonly done: number;
  readonly total: number;
}

/** Shows how far an import is: a bar on a terminal, else lines, or JSON, on standard error. */
export class ImportProgressDisplay {
  readonly #io: CliIo;
  readonly #clock: Clock;
  readonly #json: boolean;
  #group = '';
  #startedAt = 0;
  #shownAt = 0;
  #bar: ProgressBar | undefined;

  constructor(io: CliIo, clock: Clock, { json }: { readonly json: boolean }) {
    this.#io = io;
    this.#clock = clock;
    this.#json = json;
  }

  /** To be called at the start of each group, too: the rate is the average since then. */
  show(progress: Progress): void {
    const now = this.#clock.now().getTime();
    const { group, done, total } = progress;
    if (group !== this.#group) {
      this.clear();
      this.#group = group;
      [this.#startedAt, this.#shownAt] = [now, now];
      this.#bar = this.#io.isInteractive && !this.#json ? new ProgressBar(this.#io, group) : undefined;
    }
    const speed = speedOf(progress, (now - this.#startedAt) / 1000);
    if (this.#bar !== undefined) {
      this.#bar.show(done, total, speedText(speed));
    } else if (total > 0 && (done >= total || now - this.#shownAt >= LINE_INTERVAL_MS)) {
      this.#shownAt = now;
      const line = this.#json
        ? JSON.stringify({ group, done, total, ...speed })
        : [`${group}: ${done} of ${total}`, speedText(speed)].filter((part) => part !== '').join(', ');
      this.#io.stderr.write(`${line}\n`);
    }
  }

  /** Prints a remark about the source. */
  note(text: string): void {
    this.clear();
    this.#io.stderr.write(`${this.#json ? JSON.stringify({ note: text }) : text}\n`);
  }

  /** Removes the bar. To be called at the end, also after a failure. */
  clear(): void {
    this.#bar?.clear();
  }
}

interface Speed {
  readonly perSecond: number;
  readonly secondsLeft: number;
}

/** @returns undefined while it is not known */
function speedOf({ done, total }: Progress, seconds: number): Speed | undefined {
  if (done === 0 || seconds <= 0) {
    return undefined;
  }
  const perSecond = done / seconds;
  return { perSecond: Math.round(perSecond), secondsLeft: Math.ceil((total - done) / perSecond) };
}

function speedText(speed: Speed | undefined): string {
  return speed === undefined ? '' : `${speed.perSecond} a second, ${speed.secondsLeft} s left`;
}
