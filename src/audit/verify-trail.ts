import type { AuditRow } from './audit-row.ts';
import type { AuditPeriod } from './filter-values.ts';
import type { JournalRecord, PruningPlan } from './journal-record.ts';
import type { AuditFinding, Report } from './verification.ts';
import { JournalCheck, type JournalFacts } from './journal-check.ts';
import type { InstallationKey } from './signing-key.ts';
import { RowCheck } from './row-check.ts';

/** The trail at one instant. */
export interface AuditSnapshot {
  /** @returns the journal, some records at a time, in the order of their numbers. Must be read before the rows */
  records(): AsyncIterable<readonly JournalRecord[]>;
  /** @returns the rows, some at a time, in the order of writer, lane, seq and id */
  rows(period?: AuditPeriod): AsyncIterable<readonly AuditRow[]>;
}

/** Administrators and keys, whose creation the trail records. */
interface RecordedInstallation {
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

/** The result of a verification. */
export interface TrailVerification {
  readonly rows: number;
  readonly records: number;
  /** The hash of the newest record of the journal, hexadecimal; empty where there is none. */
  readonly newest: string;
  readonly findings: number;
}

/** A verification of the stored trail. */
export interface VerifyRequest {
  /** Receives every finding as it is found. */
  readonly report: Report;
  /** The hash of a checkpoint, as a server has logged it: the trail must contain it. */
  readonly checkpoint?: string | undefined;
  /** Receives the number of rows checked so far, and the approximate number of all rows. Ends it by its error. */
  readonly progress?: ((rows: number, of: number) => void | Promise<void>) | undefined;
}

/** A verification of any trail. */
interface VerificationOptions extends VerifyRequest {
  /** The trusted keys. */
  readonly keys: readonly InstallationKey[];
  /** False for a part of the trail, in which missing rows are not reported. */
  readonly isWhole?: boolean;
  /** Facts of the trail's installation; undefined if unknown, as for an export. */
  readonly installation?: RecordedInstallation;
  /** The approximate number of rows. */
  readonly of?: number;
}

/** Verifies a trail, in memory for its lanes, not for its rows. Every finding is reported as it is found. */
export async function verifyTrail(
  snapshot: AuditSnapshot,
  {
    keys,
    checkpoint,
    progress = () => undefined,
    isWhole = true,
    installation,
    of = 0,
    ...options
  }: VerificationOptions,
): Promise<TrailVerification> {
  let findings = 0;
  const report: Report = (finding) => {
    findings += 1;
    options.report(finding);
  };
  const journal = new JournalCheck({ keys, checkpoint, report });
  for await (const records of snapshot.records()) {
    for (const record of records) {
      await journal.check(record);
    }
    await progress(0, of);
  }
  const facts = await journal.finish();
  const rowCheck = new RowCheck(facts, report, isWhole);
  const emptied = installation && new EmptiedCheck(installation);
  for await (const rows of snapshot.rows()) {
    await rowCheck.check(rows);
    emptied?.check(rows);
    await progress(rowCheck.rows, Math.max(rowCheck.rows, of));
  }
  rowCheck.finish();
  emptied?.finish(facts).forEach(report);
  const { records, newest } = facts;
  return { rows: rowCheck.rows, records, newest, findings };
}

/**
 * Detects a trail that was emptied together with its journal, which leaves no broken chain behind. The rest of the
 * database shows it: each administrator was created by an audited act, and the journal is older than the first use of a
 * key.
 */
class EmptiedCheck {
  readonly #installation: RecordedInstallation;
  /** Administrators whose creation no row has recorded yet. */
  readonly #unrecorded: Set<string>;
  #rows = 0;

  constructor(installation: RecordedInstallation) {
    this.#installation = installation;
    this.#unrecorded = new Set(installation.administrators);
  }

  check(rows: readonly AuditRow[]): void {
    this.#rows += rows.length;
    for (const { action, outcome, subject } of rows) {
      if (outcome === 'created' && action.startsWith('administrator/')) {
        this.#unrecorded.delete(subject);
      }
    }
  }

  /** @returns the findings, after the last row. A prune removes rows, but leaves its own */
  finish({ records, isPruned }: Pick<JournalFacts, 'records' | 'isPruned'>): readonly AuditFinding[] {
    if (this.#rows > 0) {
      const unrecorded = isPruned ? [] : [...this.#unrecorded];
      return unrecorded.map((name) => removed(`none tells who made the administrator '${name}'`));
    }
    const {
      administrators: [name],
      keyIds: [keyId],
    } = this.#installation;
    if (name !== undefined) {
      return [removed(`there is none at all, though there is the administrator '${name}'`)];
    }
    return keyId !== undefined && records === 0
      ? [removed(`there is none at all, and no journal, though the encryption key ${keyId} is in use`)]
      : [];
  }
}

function removed(reason: string): AuditFinding {
  return { kind: 'removed', of: 'row', id: null, writer: null, lane: null, seq: null, at: null, reason };
}
