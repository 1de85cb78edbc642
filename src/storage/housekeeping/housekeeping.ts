import { setTimeout as sleep } from 'node:timers/promises';

import type { Knex } from 'knex';

import type {
  HousekeepingChore,
  HousekeepingMoments,
  HousekeepingStore,
  HousekeepingTally,
} from '../../housekeeping/ports.ts';
import type { Act } from '../../policy/caller.ts';
import type { Database } from '../database/database.ts';
import { CHORE_STEPS, type ChoreStep } from './housekeeping-chores.ts';

/** The advisory lock of housekeeping. "tank", "hous". */
export const HOUSEKEEPING_LOCK = [0x74616e6b, 0x686f7573] as const;
/** The approximate number of rows that one transaction removes; it holds their locks for some milliseconds. */
const CHUNK = 1_000;
/** Milliseconds between two transactions: requests come first. */
const PAUSE_MS = 50;
/** The most due rows that are counted: a higher number is of no use, and counting would take long. */
const MAX_COUNTED = 1_000_000;

interface SqlHousekeepingDependencies {
  readonly database: Database;
  /** Approximate rows of a transaction; 1000 by default. */
  readonly chunk?: number;
}

/** Removes old rows from PostgreSQL in chunks, which changes no answer: docs/adr/0003-accepting-a-response-once.md. */
export class SqlHousekeeping implements HousekeepingStore {
  readonly #database: Database;
  readonly #chunk: number;

  constructor({ database, chunk = CHUNK }: SqlHousekeepingDependencies) {
    this.#database = database;
    this.#chunk = chunk;
  }

  async backlog(moments: HousekeepingMoments): Promise<readonly HousekeepingTally[]> {
    const sums = new Map<HousekeepingChore, number>();
    for (const { chore, due } of CHORE_STEPS) {
      const rows = await countUpTo(this.#database.knex, due(this.#database.knex, moments));
      sums.set(chore, (sums.get(chore) ?? 0) + rows);
    }
    return [...sums].map(([chore, rows]) => ({ chore, rows: Math.min(rows, MAX_COUNTED) }));
  }

  async clear(
    moments: HousekeepingMoments,
    { signal, removed, also }: Parameters<HousekeepingStore['clear']>[1],
  ): Promise<boolean> {
    // A transaction that does nothing else holds the lock: it ends with its connection, whatever happens to this
    // process, and a pooler in transaction mode keeps its connection. It holds up no vacuum, as it has written nothing.
    const holder = await this.#database.knex.transaction();
    try {
      if (!(await takeLock(holder))) {
        return false;
      }
      for (const step of CHORE_STEPS) {
        await this.#clearStep(step, moments, signal, removed);
      }
      if (!signal.aborted) {
        await also?.();
      }
      return true;
    } finally {
      // If the connection is lost, so is the lock.
      await holder.rollback().catch(() => undefined);
    }
  }

  async note(act: Act, outcome: string): Promise<void> {
    await this.#database.autocommit.audit.write(act, 'housekeeping', outcome);
  }

  async #clearStep(
    { chore, remove }: ChoreStep,
    moments: HousekeepingMoments,
    signal: AbortSignal,
    removed: (tally: HousekeepingTally) => void,
  ): Promise<void> {
    while (!signal.aborted) {
      const rows = await this.#database.transact(async ({ sql }) => {
        await sql.raw('SET TRANSACTION ISOLATION LEVEL READ COMMITTED');
        // A removal that is lost in a crash is done again.
        await sql.raw('SET LOCAL synchronous_commit = off');
        return remove(sql, moments, this.#chunk);
      });
      if (rows === 0) {
        return;
      }
      removed({ chore, rows });
      await sleep(PAUSE_MS, undefined, { signal }).catch(() => undefined);
    }
  }
}

async function takeLock(holder: Knex.Transaction): Promise<boolean> {
  await holder.raw('SET LOCAL idle_in_transaction_session_timeout = 0');
  const { rows } = await holder.raw<{ rows: { taken: boolean }[] }>(
    'SELECT pg_try_advisory_xact_lock(?, ?) AS taken',
    [...HOUSEKEEPING_LOCK],
  );
  return rows[0]?.taken === true;
}

async function countUpTo(connection: Knex, due: Knex.QueryBuilder): Promise<number> {
  const some = due.select(connection.raw('1')).limit(MAX_COUNTED).as('due');
  const [row] = await connection.from(some).count<{ count: string }[]>();
  return Number(row?.count ?? 0);
}
