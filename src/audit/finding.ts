/** Something in the audit trail that nobody with a key has written so. */
export interface AuditFinding {
  /**
   * `changed`: a row or record says what its writer has not signed. `removed`: there is none where one was. `inserted`: one
   * that no writer has put there. `reordered`: signed, but not to stand behind the one that it stands behind.
   */
  readonly kind: 'changed' | 'removed' | 'inserted' | 'reordered';
  /** `journal` where it is a record of the journal that stands beside the rows. */
  readonly of: 'row' | 'journal';
  /** The id of the row, or the number of the record; null for what is removed. */
  readonly id: string | null;
  readonly writer: number | null;
  readonly lane: number | null;
  /** The row's place in its lane; of what is removed the first and the last. */
  readonly seq: string | null;
  /** When the row says that it was written; null for what is removed. */
  readonly at: string | null;
  /** What is wrong, in words. */
  readonly reason: string;
}

/** Takes findings as they come: there may be millions. */
export type Report = (finding: AuditFinding) => void;

/** @returns a finding about a record of the journal */
export function journalFinding(
  kind: AuditFinding['kind'],
  record: { readonly number: number; readonly at: string | null } | null,
  reason: string,
): AuditFinding {
  return {
    ...{ kind, of: 'journal', id: record === null ? null : String(record.number) },
    ...{ writer: null, lane: null, seq: null, at: record?.at ?? null, reason },
  };
}
