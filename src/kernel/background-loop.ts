import { setTimeout as sleep } from 'node:timers/promises';

import { isServiceError } from './errors.ts';
import { describeFault } from './fault.ts';
import type { Log } from './log.ts';

/** How a turn of a loop rests. No rest keeps the process alive. */
export interface LoopPace {
  /** Aborted when the loop is to end. */
  readonly signal: AbortSignal;
  /** Waits, less where the loop is to end. */
  readonly rest: (milliseconds: number) => Promise<void>;
  /**
   * Waits, less where the loop is to end or was woken since this turn began.
   * @returns whether it was woken or is to end
   */
  readonly restUntilWoken: (milliseconds: number) => Promise<boolean>;
}

/** Work in the background, outside of requests: the same turn again and again, until the loop is stopped. */
export class BackgroundLoop {
  readonly #turn: (pace: LoopPace) => Promise<void>;
  readonly #patience: number | undefined;
  readonly #stopping = new AbortController();
  #wake = new AbortController();
  #running: Promise<void> = Promise.resolve();

  /**
   * @param turn works and rests; must not throw
   * @param patience how long `stop` waits for the turn under way, in milliseconds; until it ends by default
   */
  constructor(turn: (pace: LoopPace) => Promise<void>, patience?: number) {
    this.#turn = turn;
    this.#patience = patience;
  }

  get isStopping(): boolean {
    return this.#stopping.signal.aborted;
  }

  /** Begins the first turn. To be called once. */
  start(): void {
    this.#running = this.#run();
  }

  /** Ends the rest until woken that is under way, or else the next one of this turn. */
  wake(): void {
    this.#wake.abort();
  }

  /** Ends rests at once, and the loop after the turn that is under way. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#wake.abort();
    await (this.#patience === undefined
      ? this.#running
      : Promise.race([this.#running, rest(this.#patience)]));
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      // Before the turn: what wakes the loop while it works is not lost.
      this.#wake = new AbortController();
      const wake = this.#wake.signal;
      await this.#turn({
        signal,
        rest: (milliseconds) => rest(milliseconds, signal),
        restUntilWoken: async (milliseconds) => {
          await rest(milliseconds, wake);
          return wake.aborted;
        },
      });
    }
  }
}

/** How long stopping waits for a round that is under way, in milliseconds. */
const ROUND_TIMEOUT_MS = 500;

/** What rounds are made of. */
export interface BackgroundRoundsOptions {
  /** @returns whether there is more to do at once */
  readonly round: (signal: AbortSignal) => Promise<boolean>;
  /** Milliseconds between two rounds, about. */
  readonly pause: number;
  /** Milliseconds before the first round, about; none by default. */
  readonly firstPause?: number;
  readonly component: string;
  /** The log line of rounds that begin to fail. */
  readonly trouble: string;
  readonly log: Log;
}

/**
 * @returns a loop that works at intervals. A round that fails ends nothing; it is logged until rounds succeed again, once.
 *   That the database is away, others log
 */
export function backgroundRounds(options: BackgroundRoundsOptions): BackgroundLoop {
  const { round, pause, firstPause = 0, component, trouble, log } = options;
  let isFirst = firstPause > 0;
  let isTrouble = false;
  const isMoreToDo = async (signal: AbortSignal): Promise<boolean> => {
    try {
      const isMore = await round(signal);
      isTrouble = false;
      return isMore;
    } catch (error) {
      if (!isTrouble && !isServiceError(error, 'database.unavailable')) {
        isTrouble = true;
        log.warn(trouble, { component, ...describeFault(error) });
      }
      return false;
    }
  };
  return new BackgroundLoop(async ({ signal, rest: restFor }) => {
    if (isFirst) {
      isFirst = false;
      await restFor(roughly(firstPause));
    } else if (!(await isMoreToDo(signal))) {
      await restFor(roughly(pause));
    }
  }, ROUND_TIMEOUT_MS);
}

/** Servers that were started together do not work at the same moment. */
function roughly(milliseconds: number): number {
  return milliseconds * (0.75 + Math.random() / 2);
}

async function rest(milliseconds: number, signal?: AbortSignal): Promise<void> {
  const options = { ref: false, ...(signal !== undefined && { signal }) };
  await sleep(milliseconds, undefined, options).catch(() => undefined);
}
