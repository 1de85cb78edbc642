import type { Clock } from '../kernel/clock.ts';
import type { CliIo } from './dependencies.ts';
import { ProgressBar } from './progress-bar.ts';

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
