import { setTimeout as sleep } from 'node:timers/promises';

import { isServiceError } from '../../kernel/errors.ts';
import { describeFault } from '../../kernel/fault.ts';
import type { Log } from '../../kernel/log.ts';

/** How long stopping waits for a turn that is under way, in milliseconds. */
const TIMEOUT_MS = 500;

/** What rounds are made of. */
export interface BackgroundRoundsOptions {
  /** @returns whether there is more to do at once */
  readonly turn: (signal: AbortSignal) => Promise<boolean>;
  /** Milliseconds between two turns, about. */
  readonly pause: number;
  /** Milliseconds before the first turn, about; none unless told. */
  readonly firstPause?: number;
  readonly component: string;
  /** What the log says when turns begin to fail. */
  readonly trouble: string;
  readonly log: Log;
}

/** Does something from time to time, outside of requests, until it is stopped; a turn that fails ends nothing. */
export class BackgroundRounds {
  readonly #deps: BackgroundRoundsOptions;
  readonly #stopping = new AbortController();
  #running: Promise<void> = Promise.resolve();
  #isTrouble = false;

  constructor(options: BackgroundRoundsOptions) {
    this.#deps = options;
  }

  /** To be called once. */
  start(): void {
    this.#running = this.#run();
  }

  /** Ends after the turn that is under way, half a second later at most. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.race([this.#running, sleep(TIMEOUT_MS, undefined, { ref: false })]);
  }

  async #run(): Promise<void> {
    const { pause, firstPause } = this.#deps;
    if (firstPause !== undefined) {
      await this.#rest(firstPause);
    }
    while (!this.#stopping.signal.aborted) {
      if (!(await this.#turn())) {
        await this.#rest(pause);
      }
    }
  }

  /** Servers that were started together do not begin at the same moment. */
  async #rest(milliseconds: number): Promise<void> {
    const pause = milliseconds * (0.75 + Math.random() / 2);
    await sleep(pause, undefined, { signal: this.#stopping.signal, ref: false }).catch(() => undefined);
  }

  async #turn(): Promise<boolean> {
    try {
      const isMore = await this.#deps.turn(this.#stopping.signal);
      this.#isTrouble = false;
      return isMore;
    } catch (error) {
      this.#report(error);
      return false;
    }
  }

  /** Once until it works again; that the database is away, others say. */
  #report(error: unknown): void {
    if (!this.#isTrouble && !isServiceError(error, 'database.unavailable')) {
      this.#isTrouble = true;
      const { component, trouble, log } = this.#deps;
      log.warn(trouble, { component, ...describeFault(error) });
    }
  }
}
