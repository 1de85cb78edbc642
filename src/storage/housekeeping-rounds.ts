import { setTimeout as sleep } from 'node:timers/promises';

import { isServiceError } from '../kernel/errors.ts';
import { describeFault } from '../kernel/fault.ts';
import type { Log } from '../kernel/log.ts';

/** The first round comes this many milliseconds after the start, or sooner where the interval is shorter. */
const FIRST_MS = 5_000;
/** How long stopping waits for a chunk that is under way, in milliseconds. */
const PATIENCE_MS = 500;

/** What rounds are made of. */
interface HousekeepingRoundsOptions {
  /** @returns how many rows were removed */
  readonly round: (signal: AbortSignal) => Promise<number>;
  /** Milliseconds between two rounds, about. */
  readonly interval: number;
  readonly log: Log;
}

/** Does the housekeeping from time to time, outside of requests. Every server may: one at a time gets its turn. */
export class HousekeepingRounds {
  readonly #its: HousekeepingRoundsOptions;
  readonly #stopping = new AbortController();
  #running: Promise<void> = Promise.resolve();
  #isTrouble = false;

  constructor(options: HousekeepingRoundsOptions) {
    this.#its = options;
  }

  /** To be called once. */
  start(): void {
    this.#running = this.#run();
  }

  /** Ends after the chunk that is under way, half a second later at most. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.race([this.#running, sleep(PATIENCE_MS, undefined, { ref: false })]);
  }

  async #run(): Promise<void> {
    await this.#rest(Math.min(FIRST_MS, this.#its.interval));
    while (!this.#stopping.signal.aborted) {
      await this.#turn();
      await this.#rest(this.#its.interval);
    }
  }

  /** Servers that were started together do not begin at the same moment. */
  async #rest(milliseconds: number): Promise<void> {
    const pause = milliseconds * (0.75 + Math.random() / 2);
    await sleep(pause, undefined, { signal: this.#stopping.signal, ref: false }).catch(() => undefined);
  }

  async #turn(): Promise<void> {
    try {
      const count = await this.#its.round(this.#stopping.signal);
      if (count > 0) {
        this.#its.log.info('Housekeeping has removed what was old', { component: 'housekeeping', count });
      }
      this.#isTrouble = false;
    } catch (error) {
      this.#report(error);
    }
  }

  /** Once until it works again; that the database is away, others say. */
  #report(error: unknown): void {
    if (!this.#isTrouble && !isServiceError(error, 'database.unavailable')) {
      this.#isTrouble = true;
      this.#its.log.warn('Housekeeping fails: old rows stay, and change no answer', {
        component: 'housekeeping',
        ...describeFault(error),
      });
    }
  }
}
