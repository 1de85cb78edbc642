import { setTimeout as sleep } from 'node:timers/promises';

import { isServiceError } from './errors.ts';
import { describeFault, type Log } from './log.ts';

/** The rests of a turn of a loop. No rest keeps the process alive. */
export interface LoopPace {
  /** Aborted when the loop must end. */
  readonly signal: AbortSignal;
  /** Waits; ends early when the loop must end. */
  readonly rest: (milliseconds: number) => Promise<void>;
  /**
   * Waits; ends early when the loop must end or was woken since this turn began.
   * @returns true if it was woken or must end
   */
  readonly restUntilWoken: (milliseconds: number) => Promise<boolean>;
}

/** Work in the background, outside of requests: repeats a turn until the loop is stopped. */
export class BackgroundLoop {
  readonly #turn: (pace: LoopPace) => Promise<void>;
  readonly #stopTimeoutMs: number | undefined;
  readonly #stopping = new AbortController();
  #wake = new AbortController();
  #running: Promise<void> = Promise.resolve();

  /**
   * @param turn works and rests; must not throw
   * @param stopTimeoutMs the longest wait of `stop` for the running turn, in milliseconds; default: until it ends
   */
  constructor(turn: (pace: LoopPace) => Promise<void>, stopTimeoutMs?: number) {
    this.#turn = turn;
    this.#stopTimeoutMs = stopTimeoutMs;
  }

  get isStopping(): boolean {
    return this.#stopping.signal.aborted;
  }

  /** Begins the first turn. To be called once. */
  start(): void {
    this.#running = this.#run();
  }

  /** Ends the running rest until woken, or else the next one of this turn. */
  wake(): void {
    this.#wake.abort();
  }

  /** Ends rests at once, and the loop after the running turn. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    this.#wake.abort();
    await (this.#stopTimeoutMs === undefined
      ? this.#running
      : Promise.race([this.#running, rest(this.#stopTimeoutMs)]));
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping;
    while (!signal.aborted) {
      // Before the turn: a wake during its work is not lost.
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

/** The longest wait of `stop` for a running round, in milliseconds. */
const ROUND_TIMEOUT_MS = 500;

/** The end of a round. */
export type RoundOutcome = 'done' | 'failed';

/**
 * @returns a loop that works at intervals. A failed round does not end it; the first failure is logged, later ones only
 *   after a round has succeeded. An absent database is not logged here
 */
export function backgroundRounds(options: {
  /** @returns true if more work is due at once */
  readonly round: (signal: AbortSignal) => Promise<boolean>;
  /** Approximate milliseconds between two rounds. */
  readonly pause: number;
  /** Approximate milliseconds before the first round; none by default. */
  readonly firstPause?: number;
  readonly component: string;
  /** The log line for the first failed round. */
  readonly warning: string;
  readonly log: Log;
  /** Called at the end of each round. */
  readonly ended?: ((outcome: RoundOutcome) => void) | undefined;
}): BackgroundLoop {
  const { round, pause, firstPause = 0, component, warning, log, ended } = options;
  let isFirst = firstPause > 0;
  let isFailing = false;
  const isMoreToDo = async (signal: AbortSignal): Promise<boolean> => {
    try {
      const isMore = await round(signal);
      isFailing = false;
      ended?.('done');
      return isMore;
    } catch (error) {
      ended?.('failed');
      if (!isFailing && !isServiceError(error, 'database.unavailable')) {
        isFailing = true;
        log.warn(warning, { component, ...describeFault(error) });
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

/** Varies the pause, so that servers that were started together do not work at the same moment. */
function roughly(milliseconds: number): number {
  return milliseconds * (0.75 + Math.random() / 2);
}

async function rest(milliseconds: number, signal?: AbortSignal): Promise<void> {
  const options = { ref: false, ...(signal !== undefined && { signal }) };
  await sleep(milliseconds, undefined, options).catch(() => undefined);
}
