import { describeFault } from '../../kernel/fault.ts';
import type { Log } from '../../kernel/log.ts';
import type { CountReplica, ReplicatedCounts } from '../../monitoring/ports.ts';
import type { Database } from '../database/database.ts';
import { type FoldedCounts, KeptCounts } from './kept-counts.ts';

/** Seconds by which the replica may lag before the primary is read instead. */
const MAX_LAG = 60;
/** Milliseconds between two tries of a replica that is away or lags too far. */
const PAUSE_MS = 5_000;

/**
 * Seconds since the last transaction that was replayed, null if there was none. 0 where all WAL that was received is
 * replayed and more would be received: without a change on the primary the last transaction may be long ago.
 */
export const LAG = `
  CASE
    WHEN NOT pg_is_in_recovery() THEN 0
    WHEN pg_last_wal_replay_lsn() >= pg_last_wal_receive_lsn() AND EXISTS (SELECT FROM pg_stat_wal_receiver) THEN 0
    ELSE extract(epoch FROM clock_timestamp() - pg_last_xact_replay_timestamp())
  END::float8`;

interface CountReplicaDependencies {
  /** The pool of the replica. */
  readonly database: Pick<Database, 'knex'>;
  readonly log: Log;
  /** Milliseconds of a clock that never goes back. */
  readonly elapsed: () => number;
  /** Seconds; 60 by default. */
  readonly maxLag?: number;
}

/** Counts of tokens and their users from a read replica. Only reads, in one statement. */
export class SqlCountReplica implements CountReplica {
  readonly #deps: CountReplicaDependencies;
  readonly #kept = new KeptCounts();
  #isAway = false;
  #nextTry = 0;

  constructor(options: CountReplicaDependencies) {
    this.#deps = options;
  }

  async read(): Promise<ReplicatedCounts | undefined> {
    const now = this.#deps.elapsed();
    if (this.#isAway && now < this.#nextTry) {
      return undefined;
    }
    // Of the requests in a pause, one tries.
    this.#nextTry = now + PAUSE_MS;
    try {
      const { counts, lag } = await this.#ask();
      if (lag === null || lag > (this.#deps.maxLag ?? MAX_LAG)) {
        this.#leave(lag === null ? 'its lag is unknown' : `it lags ${Math.ceil(lag)} seconds`);
        return undefined;
      }
      this.#return();
      return { counts, lag: Math.max(0, lag) };
    } catch (error) {
      const { fault, faultDetail } = describeFault(error);
      this.#leave('it does not answer', { fault, faultDetail });
      return undefined;
    }
  }

  async #ask(): Promise<{ counts: ReplicatedCounts['counts']; lag: number | null }> {
    let lag: number | null = null;
    const counts = await this.#kept.read(async (known) => {
      const { rows } = await this.#deps.database.knex.raw<{
        rows: { counts: FoldedCounts; lag: number | null }[];
      }>(`SELECT read_counts(?) AS counts, ${LAG} AS lag`, [known]);
      lag = rows[0]?.lag ?? null;
      return rows[0]?.counts;
    });
    return { counts, lag };
  }

  /** Logs one line when the replica goes and one when it returns. */
  #leave(reason: string, fields: Readonly<Record<string, string | undefined>> = {}): void {
    if (!this.#isAway) {
      this.#isAway = true;
      this.#deps.log.warn(`The read replica is not used for counts, the primary is: ${reason}`, {
        component: 'database',
        ...fields,
      });
    }
  }

  #return(): void {
    if (this.#isAway) {
      this.#isAway = false;
      this.#deps.log.info('The read replica is used for counts again', { component: 'database' });
    }
  }
}
