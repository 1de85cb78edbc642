import type { Clock } from '../kernel/clock.ts';
import type { CliIo } from './dependencies.ts';
import { ProgressBar } from './progress-bar.ts';

/** Milliseconds between lines where there is no terminal. */
const LINE_INTERVAL_MS = 5_000;

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

  show({ group, done, total }: { group: string; done: number; total: number }): void {
    const now = this.#clock.now().getTime();
    if (group !== this.#group) {
      this.clear();
      this.#group = group;
      this.#startedAt = now;
      this.#bar = this.#io.isInteractive && !this.#json ? new ProgressBar(this.#io, group) : undefined;
    }
    const seconds = Math.max((now - this.#startedAt) / 1000, 0.001);
    const perSecond = Math.round(done / seconds);
    const secondsLeft = Math.ceil((total - done) / Math.max(perSecond, 1));
    if (this.#bar !== undefined) {
      this.#bar.show(done, total, `${perSecond} a second, ${secondsLeft} s left`);
    } else if (now - this.#shownAt >= LINE_INTERVAL_MS || done >= total) {
      this.#shownAt = now;
      const line = this.#json
        ? JSON.stringify({ group, done, total, perSecond, secondsLeft })
        : `${group}: ${done} of ${total}, ${perSecond} a second, ${secondsLeft} s left`;
      this.#io.stderr.write(`${line}\n`);
    }
  }

  /** Removes the bar. To be called at the end, also after a failure. */
  clear(): void {
    this.#bar?.clear();
  }
}
