import type { Knex } from 'knex';

import type { AuditRow } from '../../audit/audit-row.ts';
import type {
  AuditFilter,
  AuditPeriod,
  AuditStore,
  FoundRows,
  Pruned,
  PruningPlan,
  AuditSnapshot,
  StepRun,
  StoredSnapshot,
  TransactionRows,
  TransactionTrail,
} from '../../audit/ports.ts';
import type { Act } from '../../policy/caller.ts';
import { AUDIT_COLUMNS, BY_PLACE, readByCursor, type StoredAuditRow, toAuditRow } from './audit-cursor.ts';
import { searchRows, searchStep } from './audit-search-rows.ts';
import { JOURNAL_COLUMNS, type JournalRow, toJournalRecord } from './audit-journal.ts';
import { partitionsBefore, planPruning, pruneTrail } from './audit-pruning.ts';
import type { Database } from '../database/database.ts';
import type { UnitOfWork } from '../database/unit-of-work.ts';
import { readInSteps } from './stepped-snapshot.ts';
import { transactionRows } from './transaction-rows.ts';
import { isStorable } from '../database/stored-text.ts';

const NO_ROWS: TransactionRows = { rows: [], more: 0 };

/** The audit trail in PostgreSQL. */
export class SqlAuditStore implements AuditStore, TransactionTrail {
  readonly #database: Database;

  constructor({ database }: { readonly database: Database }) {
    this.#database = database;
  }

  search(filter: AuditFilter): Promise<readonly AuditRow[]> {
    return searchRows(this.#database, filter);
  }

  searchStep(filter: AuditFilter, isRare?: boolean): Promise<FoundRows> {
    return searchStep(this.#database, filter, isRare);
  }

  async ofTransaction(
    transaction: string,
    max: number,
    realms?: readonly string[],
  ): Promise<TransactionRows | undefined> {
    return isStorable(transaction) ? transactionRows(this.#database.knex, transaction, max, realms) : NO_ROWS;
  }

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

  readInSteps<T>(work: (snapshot: AuditSnapshot) => Promise<T>, run: StepRun): Promise<T> {
    return readInSteps(this.#database, work, run);
  }

  note(act: Act, outcome: string): Promise<void> {
    return this.#database.autocommit.audit.write(act, 'audit', outcome);
  }

  async estimate(): Promise<number> {
    const { rows } = await this.#database.knex.raw<{ rows: { rows: number }[] }>(
      `SELECT coalesce(sum(greatest(c.reltuples, 0)), 0)::float8 AS rows
       FROM pg_inherits AS i JOIN pg_class AS c ON c.oid = i.inhrelid WHERE i.inhparent = 'audit'::regclass`,
    );
    return Math.round(rows[0]?.rows ?? 0);
  }

  prune(before: Date, act: Act, verified?: PruningPlan): Promise<Pruned> {
    return pruneTrail(this.#database, before, act, verified);
  }

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
      for await (const rows of readByCursor<JournalRow>(sql, 'journal_records', statement)) {
        yield rows.map(toJournalRecord);
      }
    },
    rows: async function* (period: AuditPeriod = {}) {
      const statement = `SELECT ${AUDIT_COLUMNS} FROM audit ${within(period)} ${BY_PLACE}`;
      for await (const rows of readByCursor<StoredAuditRow>(sql, 'audit_rows', statement)) {
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
