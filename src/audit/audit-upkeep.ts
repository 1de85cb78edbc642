import { BackgroundLoop, type LoopPace, type RoundOutcome } from '../kernel/background-loop.ts';
import { describeFault } from '../kernel/fault.ts';
import type { Log } from '../kernel/log.ts';
import { withTimeLimit } from '../kernel/time-limit.ts';
import type { AuditTrail } from './trail-store.ts';

/** Milliseconds between two checkpoints. */
const PAUSE_MS = 60_000;
/** Longest wait of `stop` for the last rows, in milliseconds. */
const TIMEOUT_MS = 500;
/** Pauses between two checks of the partitions of coming months. */
const TURNS_BETWEEN_MONTHS = 60;

/** The dependencies of the upkeep. */
export interface AuditUpkeepDependencies {
  readonly trail: Pick<AuditTrail, 'checkpoint'>;
  readonly log: Log;
  /** Writes further rows that are due about once a minute. */
  readonly flush?: () => Promise<void>;
  /** Milliseconds between two checkpoints; a minute by default. */
  readonly pause?: number;
  /** Makes the partitions of coming months. */
  readonly makeMonths: () => Promise<unknown>;
  /** Called after each try to write a checkpoint. */
  readonly ended?: ((outcome: RoundOutcome) => void) | undefined;
}

/** Writes a checkpoint of this server's rows about once a minute, and makes partitions ahead of their months. */
export class AuditUpkeep {
  readonly #deps: AuditUpkeepDependencies;
  readonly #loop = new BackgroundLoop((pace) => this.#work(pace));
  #turn = 0;

  constructor(options: AuditUpkeepDependencies) {
    this.#deps = options;
  }

  /** Starts the upkeep. To be called once. */
  start(): void {
    this.#loop.start();
  }

  /**
   * Stops the upkeep. A running turn ends by itself, and the pool writes the last checkpoint when it closes. Waits half
   * a second at most for the rows of `flush`.
   */
  async stop(): Promise<void> {
    void this.#loop.stop();
    const last = this.#deps.flush?.() ?? Promise.resolve();
    await withTimeLimit(TIMEOUT_MS, last, () => new Error('the database is late')).catch(() => undefined);
  }

  async #work({ rest }: LoopPace): Promise<void> {
    await this.#try('make partitions of the audit', async () => {
      if (this.#turn % TURNS_BETWEEN_MONTHS === 0) {
        await this.#deps.makeMonths();
      }
    });
    this.#turn += 1;
    await this.#deps.flush?.();
    const isWritten = await this.#try('write a checkpoint of the audit', () => this.#deps.trail.checkpoint());
    this.#deps.ended?.(isWritten ? 'done' : 'failed');
    await rest(this.#deps.pause ?? PAUSE_MS);
  }

  /** @returns false if it failed */
  async #try(what: string, work: () => Promise<unknown>): Promise<boolean> {
    try {
      await work();
      return true;
    } catch (error) {
      // No act fails for this: rows go to the default partition, and the next checkpoint covers the rows of this one.
      this.#deps.log.warn(`Cannot ${what}; it will be tried again`, {
        component: 'audit',
        ...describeFault(error),
      });
      return false;
    }
  }
}
