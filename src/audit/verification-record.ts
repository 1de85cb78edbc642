import type { AuditFinding } from './finding.ts';

/** A verification of the trail by a server, under way or over. */
export interface VerificationRecord {
  /** Decimal digits. */
  readonly id: string;
  /** `interrupted`: its server stopped. `failed`: it could not read the trail to its end. */
  readonly state: 'running' | 'finished' | 'failed' | 'interrupted';
  readonly begunAt: Date;
  /** The administrator's name. */
  readonly begunBy: string;
  /** The required checkpoint, hexadecimal; empty where there is none. */
  readonly checkpoint: string;
  readonly endedAt: Date | null;
  /** Number of rows checked so far. */
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
