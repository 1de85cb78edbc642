import type { AuditRow } from './audit-row.ts';
import type { AuditFinding, Report } from './finding.ts';
import type { JournalFacts } from './journal-check.ts';
import type { RecordedInstallation } from './audit-snapshot.ts';

/**
 * Detects a trail that was emptied together with its journal, which leaves no broken chain behind. The rest of the
 * database shows it: each administrator was created by an audited act, and the journal is older than the first use of a
 * key.
 */
export class EmptiedCheck {
  readonly #facts: Pick<JournalFacts, 'records' | 'isPruned'>;
  readonly #keyIds: readonly string[];
  readonly #administrators: readonly string[];
  /** Administrators whose creation no row has recorded yet. */
  readonly #unrecorded: Set<string>;
  #rows = 0;

  constructor(
    facts: Pick<JournalFacts, 'records' | 'isPruned'>,
    { keyIds, administrators }: RecordedInstallation,
  ) {
    this.#facts = facts;
    this.#keyIds = keyIds;
    this.#administrators = administrators;
    this.#unrecorded = new Set(administrators);
  }

  check(rows: readonly AuditRow[]): void {
    this.#rows += rows.length;
    for (const { action, outcome, subject } of rows) {
      if (outcome === 'created' && action.startsWith('administrator/')) {
        this.#unrecorded.delete(subject);
      }
    }
  }

  /** Reports the findings; called after the last row. A prune removes rows, but leaves its own. */
  finish(report: Report): void {
    if (this.#rows === 0) {
      this.#finishWithoutRows(report);
    } else if (!this.#facts.isPruned) {
      for (const name of this.#unrecorded) {
        report(removed(`none tells who made the administrator '${name}'`));
      }
    }
  }

  #finishWithoutRows(report: Report): void {
    const [name] = this.#administrators;
    const [keyId] = this.#keyIds;
    if (name !== undefined) {
      report(removed(`there is none at all, though there is the administrator '${name}'`));
    } else if (keyId !== undefined && this.#facts.records === 0) {
      report(removed(`there is none at all, and no journal, though the encryption key ${keyId} is in use`));
    }
  }
}

function removed(reason: string): AuditFinding {
  return { kind: 'removed', of: 'row', id: null, writer: null, lane: null, seq: null, at: null, reason };
}
