import type { AuditEntry, AuditRow } from './audit-row.ts';
import type { InstallationKey } from './signing-key.ts';
import {
  type AuditSnapshot,
  type StoredSnapshot,
  type TrailVerification,
  type VerifyRequest,
  verifyTrail,
} from './verify-trail.ts';
import type { AuditFilter } from './filter-values.ts';
import type { PruningPlan } from './journal-record.ts';
import type { Act } from '../policy/caller.ts';
import {
  type FoundRows,
  searchRows,
  searchStep,
  type TransactionRows,
  transactionRows,
} from './search-store.ts';
import { partitionsBefore, type Pruned, pruneTrail } from './pruning-store.ts';
import type { Database } from '../database/database.ts';
import type { UnitOfWork } from '../database/unit-of-work.ts';
import { readInSteps, snapshotIn, type StepRun } from './snapshot-store.ts';
import { isStorable } from '../kernel/text.ts';
import { storableEntry } from './rows-store.ts';

const NO_ROWS: TransactionRows = { rows: [], more: 0 };

/** The audit trail in PostgreSQL. */
export class AuditStore {
  readonly #database: Database;

  constructor({ database }: { readonly database: Database }) {
    this.#database = database;
  }

  /** @returns rows, newest first. Rare ones take a reading of the whole trail */
  search(filter: AuditFilter): Promise<readonly AuditRow[]> {
    return searchRows(this.#database, filter);
  }

  /**
   * Searches as `search`, in short statements. Without an index, it reads only a part of the trail.
   * @param isRare true where the step before had to read the trail: no index is tried then
   */
  searchStep(filter: AuditFilter, isRare?: boolean): Promise<FoundRows> {
    return searchStep(this.#database, filter, isRare);
  }

  /**
   * @param max the number of rows to read
   * @param realms rows about a token in none of these realms hide the transaction; undefined: none does
   * @returns its oldest rows; undefined if it is hidden
   */
  async ofTransaction(
    transaction: string,
    max: number,
    realms?: readonly string[],
  ): Promise<TransactionRows | undefined> {
    return isStorable(transaction) ? transactionRows(this.#database.knex, transaction, max, realms) : NO_ROWS;
  }

  /** Reads in one snapshot of any duration; writers are not blocked. */
  async read<T>(work: (snapshot: StoredSnapshot) => Promise<T>): Promise<T> {
    const read = async ({ sql }: UnitOfWork): Promise<T> => {
      await sql.raw('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY');
      // Locks all months before the first read: a snapshot does not hold back DROP TABLE, and rows that move to a new
      // partition are invisible to an older snapshot.
      await sql.raw('LOCK TABLE audit IN ACCESS SHARE MODE');
      return work(snapshotIn(sql));
    };
    return this.#database.transact(read, { isLong: true });
  }

  /**
   * Verifies the whole trail at one instant.
   * @param also runs on the same snapshot that was verified
   */
  async verify(
    keys: readonly InstallationKey[],
    request: VerifyRequest,
    also?: (snapshot: StoredSnapshot) => Promise<void>,
  ): Promise<TrailVerification> {
    const of = await this.#estimate();
    return this.read(async (snapshot) => {
      const installation = await snapshot.installation();
      const verification = await verifyTrail(snapshot, { ...request, keys, of, installation });
      await also?.(snapshot);
      return verification;
    });
  }

  /**
   * Reads the trail as it was at the beginning, in short transactions: no connection and no snapshot is held between
   * them. Rows that are changed meanwhile are read as changed.
   * @param run runs each step; ends the reading by its error
   * @throws ServiceError 'server.busy' if the trail was pruned meanwhile, 'audit.unverifiable' if its table was altered
   */
  readInSteps<T>(work: (snapshot: AuditSnapshot) => Promise<T>, run: StepRun): Promise<T> {
    return readInSteps(this.#database, work, run);
  }

  /** Writes rows of refused requests, which belong to no act, in a transaction of their own. */
  async writeRefusals(entries: readonly AuditEntry[]): Promise<void> {
    await this.#database.autocommit.audit.writeAll(entries.map(storableEntry));
  }

  /** Writes a row about an act that reads the trail. */
  note(act: Act, outcome: string): Promise<void> {
    return this.#database.autocommit.audit.write(act, 'audit', outcome);
  }

  /**
   * Removes all rows before an instant, and the journal records that are then useless, in one transaction with a signed
   * record of the cut and the audit row. Writes nothing where there is nothing to remove.
   * @param before the first instant of a month, UTC
   * @param verified the plan of the verified snapshot: nothing else is signed, even if the trail has changed since.
   *   Undefined: made from the present trail
   * @throws ServiceError 'database.unavailable' when a reader holds the trail for too long, 'audit.unverifiable' when
   *   the trail no longer matches the plan
   */
  prune(before: Date, act: Act, verified?: PruningPlan): Promise<Pruned> {
    return pruneTrail(this.#database, before, act, verified);
  }

  /** @returns the number of months that end before the month of an instant */
  async monthsBefore(instant: Date): Promise<number> {
    return (await partitionsBefore(this.#database.knex, instant)).length;
  }

  /** @returns the approximate number of rows, from the database's statistics */
  async #estimate(): Promise<number> {
    const { rows } = await this.#database.knex.raw<{ rows: { rows: number }[] }>(
      `SELECT coalesce(sum(greatest(c.reltuples, 0)), 0)::float8 AS rows
       FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid WHERE i.inhparent = 'audit'::regclass`,
    );
    return Math.round(rows[0]?.rows ?? 0);
  }
}
