import type { AuditRow } from './audit-row.ts';
import type { AuditFinding } from './finding.ts';
import type { JournalFacts } from './journal-check.ts';
import type { RecordedInstallation } from './audit-snapshot.ts';

/**
 * Detects a trail that was emptied together with its journal, which leaves no broken chain behind. The rest of the
 * database shows it: each administrator was created by an audited act, and the journal is older than the first use of a
 * key.
 */
export class EmptiedCheck {
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
