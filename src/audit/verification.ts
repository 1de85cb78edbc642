declare module '../kernel/errors.ts' {
  interface ErrorPayloads {
    'audit.unverifiable': NoPayload;
  }
}

/** A part of the audit trail that no holder of a key has written in this form. */
export interface AuditFinding {
  /**
   * `changed`: a row or record differs from its writer's signature. `removed`: a row or record is missing. `inserted`:
   * no writer has written it. `reordered`: signed, but not for its present place.
   */
  readonly kind: 'changed' | 'removed' | 'inserted' | 'reordered';
  /** `journal` for a record of the journal. */
  readonly of: 'row' | 'journal';
  /** The id of the row, or the number of the record; null for a removed one. */
  readonly id: string | null;
  readonly writer: number | null;
  readonly lane: number | null;
  /** The row's place in its lane; the first and the last place of removed rows. */
  readonly seq: string | null;
  /** The row's time of writing; null for a removed row. */
  readonly at: string | null;
  readonly reason: string;
}

/** Receives findings one at a time: there may be millions. */
export type Report = (finding: AuditFinding) => void;

/** A verification of the trail by a server, under way or over. */
export interface VerificationRecord {
  /** Decimal digits. */
  readonly id: string;
  /** `interrupted`: its server stopped. `failed`: it could not read the trail to its end. */
  readonly state: 'running' | 'finished' | 'failed' | 'interrupted';
  readonly begunAt: Date;
  readonly begunBy: string;
  /** The required checkpoint, hexadecimal; empty where there is none. */
  readonly checkpoint: string;
  readonly endedAt: Date | null;
  readonly rows: number;
  /** The approximate number of all rows. */
  readonly of: number;
  /** Number of records of the journal; 0 before the end. */
  readonly records: number;
  /** The hash of the newest record of the journal, hexadecimal; empty before the end. */
  readonly newest: string;
  readonly findings: number;
  /** The first findings. */
  readonly listed: readonly AuditFinding[];
  /** The reason why it failed; empty where it did not. */
  readonly reason: string;
}

/** The end of a verification. */
export type VerificationEnd = Pick<
  VerificationRecord,
  'rows' | 'records' | 'newest' | 'findings' | 'listed' | 'reason'
> & {
  readonly state: Exclude<VerificationRecord['state'], 'running'>;
};
