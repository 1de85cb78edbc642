import type { BackupUnlock } from '../backup/backup-encryption.ts';
import type { RowCounts } from '../backup/backup-lines.ts';

/** A backup to restore. */
export interface RestoreRequest {
  /** Opens the file at its beginning; called once for each time that it is read. */
  readonly open: () => AsyncIterable<Uint8Array>;
  /** Bytes of the file: all, and those that were read since `open` was called first. */
  readonly size: { readonly all: number; readonly read: () => number };
  readonly unlock: BackupUnlock;
  /** Verifies the backup and touches no database. */
  readonly checksOnly: boolean;
  /** Closes every open challenge. */
  readonly closesChallenges: boolean;
  /**
   * @param done bytes that were verified, or rows that were restored
   * @param of all of them
   */
  readonly progress: (step: 'verified' | 'restored', done: number, of: number) => void;
}

/** A backup that was restored, or verified. */
export interface RestoredBackup {
  /** The version of the program that wrote it. */
  readonly version: string;
  readonly createdAt: Date;
  /** By table. */
  readonly rows: RowCounts;
}
