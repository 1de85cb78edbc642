import type { AuditRow } from './audit-row.ts';
import type { AuditPeriod } from './filter-values.ts';
import type { JournalRecord, PruningPlan } from './journal-record.ts';

/** The trail at one instant. */
export interface AuditSnapshot {
  /** @returns the journal, some records at a time, in the order of their numbers. Must be read before the rows */
  records(): AsyncIterable<readonly JournalRecord[]>;
  /** @returns the rows, some at a time, in the order of writer, lane, seq and id */
  rows(period?: AuditPeriod): AsyncIterable<readonly AuditRow[]>;
}

/** Administrators and keys, whose creation the trail records. */
export interface RecordedInstallation {
  /** Names of the administrators. */
  readonly administrators: readonly string[];
  /** Ids of the registered encryption keys, in order. */
  readonly keyIds: readonly string[];
}

/** The trail as it is stored, at one instant. */
export interface StoredSnapshot extends AuditSnapshot {
  installation(): Promise<RecordedInstallation>;
  /**
   * @param before the first instant of a month, UTC
   * @returns the rows and records that a prune would remove
   */
  planPruning(before: Date): Promise<PruningPlan>;
}
