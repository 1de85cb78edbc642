import type { Knex } from 'knex';

import type { AuditEntry, AuditRow } from './audit-row.ts';
import type { AuditSnapshot, StoredSnapshot } from './audit-snapshot.ts';
import type { AuditFilter, AuditPeriod } from './filter-values.ts';
import type { JournalRecord, PruningPlan } from './journal-record.ts';
import type { Act } from '../policy/caller.ts';
import { AUDIT_COLUMNS, BY_PLACE, readByCursor, type Stored, toAuditRow } from './cursor-store.ts';
import { type FoundRows, searchRows, searchStep } from './search-store.ts';
import { JOURNAL_COLUMNS, toJournalRecord } from './journal-store.ts';
import { planPruning } from './pruning-plan-store.ts';
import { partitionsBefore, type Pruned, pruneTrail } from './pruning-store.ts';
import type { Database } from '../database/database.ts';
import type { UnitOfWork } from '../database/unit-of-work.ts';
import { readInSteps, type StepRun } from './stepped-store.ts';
import { type TransactionRows, transactionRows } from './transaction-store.ts';
import { isStorable } from '../kernel/storable-text.ts';
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

  /** @returns the approximate number of rows, from the database's statistics */
  async estimate(): Promise<number> {
    const { rows } = await this.#database.knex.raw<{ rows: { rows: number }[] }>(
      `SELECT coalesce(sum(greatest(c.reltuples, 0)), 0)::float8 AS rows
       FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid WHERE i.inhparent = 'audit'::regclass`,
    );
    return Math.round(rows[0]?.rows ?? 0);
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
}

function snapshotIn(sql: Knex.Transaction): StoredSnapshot {
  return {
    planPruning: (before) => planPruning(sql, before),
    installation: async () => ({
      administrators: await sql('administrators').orderBy('name').pluck<string[]>('name'),
      keyIds: await sql('encryption_keys').orderBy(['created_at', 'key_id']).pluck<string[]>('key_id'),
    }),
    records: async function* () {
      const statement = `SELECT ${JOURNAL_COLUMNS} FROM audit_journal ORDER BY number`;
      for await (const rows of readByCursor<Stored<JournalRecord>>(sql, 'journal_records', statement)) {
        yield rows.map(toJournalRecord);
      }
    },
    rows: async function* (period: AuditPeriod = {}) {
      const statement = `SELECT ${AUDIT_COLUMNS} FROM audit ${within(period)} ${BY_PLACE}`;
      for await (const rows of readByCursor<Stored<AuditRow>>(sql, 'audit_rows', statement)) {
        yield rows.map(toAuditRow);
      }
    },
  };
}

/** Writes instants as digits: a cursor's statement takes no bindings. */
function within({ since, until }: AuditPeriod): string {
  const conditions = [
    ...(since === undefined ? [] : [`at >= '${since.toISOString()}'`]),
    ...(until === undefined ? [] : [`at < '${until.toISOString()}'`]),
  ];
  return conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`;
}
