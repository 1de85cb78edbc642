import type { AuditRow } from './audit-row.ts';
import type { AuditFinding, Report } from './finding.ts';
import type { JournalFacts } from './journal-check.ts';
import type { InstallationFacts } from './ports.ts';

/**
 * Finds a trail that was emptied, journal and all, which leaves no chain behind that could be broken. What shows it is the
 * rest of the database: each administrator was made by an act, and before the first key was used there was a journal.
 */
export class EmptiedCheck {
  readonly #facts: Pick<JournalFacts, 'records' | 'isPruned'>;
  readonly #keyIds: readonly string[];
  readonly #administrators: readonly string[];
  /** Administrators of whom no row has told yet. */
  readonly #untold: Set<string>;
  #rows = 0;

  constructor(
    facts: Pick<JournalFacts, 'records' | 'isPruned'>,
    { keyIds, administrators }: InstallationFacts,
  ) {
    this.#facts = facts;
    this.#keyIds = keyIds;
    this.#administrators = administrators;
    this.#untold = new Set(administrators);
  }

  take(rows: readonly AuditRow[]): void {
    this.#rows += rows.length;
    for (const { action, outcome, subject } of rows) {
      if (outcome === 'created' && action.startsWith('administrator/')) {
        this.#untold.delete(subject);
      }
    }
  }

  /** To be called when every row was taken. A prune takes rows away, yet leaves its own. */
  finish(report: Report): void {
    if (this.#rows === 0) {
      this.#finishWithoutRows(report);
    } else if (!this.#facts.isPruned) {
      for (const name of this.#untold) {
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
