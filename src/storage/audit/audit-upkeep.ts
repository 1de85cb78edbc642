import { setTimeout as sleep } from 'node:timers/promises';

import { BackgroundLoop, type LoopPace, type RoundOutcome } from '../../kernel/background-loop.ts';
import { describeFault } from '../../kernel/fault.ts';
import type { Log } from '../../kernel/log.ts';
import type { Database } from '../database/database.ts';

/** Milliseconds between two checkpoints. */
const PAUSE_MS = 60_000;
/** Longest wait of `stop` for the last rows, in milliseconds. */
const TIMEOUT_MS = 500;
/** Pauses between two checks of the partitions of coming months. */
const TURNS_BETWEEN_MONTHS = 60;
/** Number of coming months that have their partition. */
const MONTHS_AHEAD = 2;
/** The advisory lock of making partitions. "tank", "part". */
const PARTITION_LOCK = [0x74616e6b, 0x70617274] as const;

/** The dependencies of the upkeep. */
export interface AuditUpkeepDependencies {
  readonly database: Database;
  readonly log: Log;
  /** Writes further rows that are due about once a minute. */
  readonly flush?: () => Promise<void>;
  /** Milliseconds between two checkpoints; a minute by default. */
  readonly pause?: number;
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
    await Promise.race([this.#deps.flush?.(), sleep(TIMEOUT_MS, undefined, { ref: false })]);
  }

  async #work({ rest }: LoopPace): Promise<void> {
    await this.#try('make partitions of the audit', async () => {
      if (this.#turn % TURNS_BETWEEN_MONTHS === 0) {
        await ensureAuditMonths(this.#deps.database);
      }
    });
    this.#turn += 1;
    await this.#deps.flush?.();
    const isWritten = await this.#try('write a checkpoint of the audit', () =>
      this.#deps.database.audit.checkpoint(),
    );
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

/**
 * Makes the partitions of this month and the next two, on one server at a time.
 * @returns the number of new partitions
 */
export function ensureAuditMonths(database: Database): Promise<number> {
  return database.transact(async ({ sql }) => {
    // It must hold up others for a short time only, and is tried again.
    await sql.raw("SET LOCAL lock_timeout = '2s'");
    await sql.raw('SELECT pg_advisory_xact_lock(?, ?)', [...PARTITION_LOCK]);
    const { rows } = await sql.raw<{ rows: { made: number }[] }>('SELECT ensure_audit_months(?) AS made', [
      MONTHS_AHEAD,
    ]);
    return rows[0]?.made ?? 0;
  });
}
