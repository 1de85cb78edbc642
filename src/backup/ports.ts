import type { Act } from '../policy/caller.ts';
import type { BackupHeader } from './backup-format.ts';

/**
 * The encryption of a backup: by one passphrase, or for the holders of the secret halves of age recipients (`age1…`).
 */
export type BackupLock = { readonly passphrase: string } | { readonly recipients: readonly string[] };

/** The secrets that open a backup: its passphrase, or age identities (`AGE-SECRET-KEY-1…`), one of which must fit. */
export type BackupUnlock = { readonly passphrase: string } | { readonly identities: readonly string[] };

/** Encrypts backups. Text passes in lines without their ends, which the encryption adds and removes. */
export interface BackupCipher {
  /** @throws ServiceError 'parameter.invalid' if a recipient is none */
  assertLock(lock: BackupLock): void;
  /** @throws ServiceError as `assertLock` */
  encrypt(lines: AsyncIterable<string>, lock: BackupLock): AsyncIterable<Uint8Array>;
  /** @throws ServiceError 'backup.invalid' if it does not open, or was changed or cut off; 'parameter.invalid' */
  decrypt(bytes: AsyncIterable<Uint8Array>, unlock: BackupUnlock): AsyncIterable<string>;
}

/** The tables at one instant. */
export interface BackupSnapshot {
  facts(): Promise<Omit<BackupHeader, 'version' | 'createdAt'>>;
  /** @returns the rows of a table as JSON objects, some at a time */
  rows(table: string): AsyncIterable<readonly string[]>;
}

/** The tables to back up. */
export interface BackupStore {
  /** Reads in one snapshot of any duration; writers are not blocked. `work` runs once. */
  read<T>(work: (snapshot: BackupSnapshot) => Promise<T>): Promise<T>;
  /** Writes the audit row of an act. */
  note(act: Act, outcome: string): Promise<void>;
  /** @returns the approximate number of rows, from the database's statistics */
  estimate(): Promise<number>;
}

/** Receives the number of rows so far, and the approximate number of all. */
export type RowProgress = (rows: number, of: number) => void;
