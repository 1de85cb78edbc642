import { type OpenedKeys, openKeysOf } from '../keys/opened-keys.ts';
import {
  backupInvalid,
  openBackup,
  type OpenBackup,
  type RowCounts,
  total,
} from '../backup/backup-format.ts';
import type { Config } from '../config/config.ts';
import type { Log } from '../kernel/log.ts';
import { unlessAborted } from '../kernel/stop-request.ts';
import { neededKeys } from '../keys/vault.ts';
import { actOf, type Caller } from '../policy/caller.ts';
import { BackupCipher, type BackupUnlock } from '../backup/backup-encryption.ts';
import { assertLoadable, loadBackup, restoreToken } from '../backup/restore-store.ts';
import { BackupStore } from '../backup/backup-store.ts';
import type { Database } from '../database/database.ts';
import { DatabaseClock } from '../database/database-clock.ts';
import { connectDatabase } from './open-database.ts';

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
  /** The serial of the only token to restore, into the database as it is. */
  readonly onlyToken?: string | undefined;
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

/**
 * Restores a backup into an empty database, which is created where it is missing, or one token of it into one in use. The file is read twice: it is
 * verified to its end before the database is touched.
 * @param giveUp aborts the work
 * @throws ServiceError 'backup.invalid', 'key.unavailable', 'security-module.unavailable', 'database.not-empty',
 *   'database.unavailable'; the reason of `giveUp`
 */
export async function restoreBackup(
  config: Config,
  log: Log,
  caller: Caller,
  request: RestoreRequest,
  giveUp: AbortSignal,
): Promise<RestoredBackup> {
  const open = (): Promise<OpenBackup> =>
    openBackup(new BackupCipher().decrypt(request.open(), request.unlock));
  const first = await unlessAborted(open(), giveUp);
  assertLoadable(first);
  const keys = await unlessAborted(openKeysFor(first, config, log), giveUp);
  const rows = await unlessAborted(verify(first, keys, request), giveUp);
  const { version, createdAt } = first.header;
  if (!request.checksOnly) {
    const create = request.onlyToken === undefined;
    const opening = { role: 'command', create, log, clock: new DatabaseClock(), giveUp } as const;
    const { database, close } = await connectDatabase(config, opening);
    const restore = async (): Promise<void> => {
      if (request.onlyToken !== undefined) {
        await restoreOnly(database, keys, caller, await open(), request.onlyToken);
        return;
      }
      const progress = (done: number): void => {
        request.progress('restored', done, total(rows));
      };
      const { closesChallenges } = request;
      const options = { keys: keys.vault, of: total(rows), progress, closesChallenges };
      await loadBackup(database, await open(), options);
      const closing = closesChallenges ? ', open challenges closed' : '';
      const outcome = `restored from ${createdAt.toISOString()}, ${total(rows)} rows${closing}`;
      await new BackupStore({ database }).note(actOf(caller, 'backup/restore'), outcome);
    };
    try {
      await unlessAborted(restore(), giveUp);
    } finally {
      await close();
    }
  }
  return { version, createdAt, rows };
}

/**
 * Opens the keys that the backup needs: one that could not be used afterwards is not restored.
 * @throws ServiceError 'backup.invalid', 'key.unavailable', 'security-module.unavailable'
 */
async function openKeysFor({ header }: OpenBackup, config: Config, log: Log): Promise<OpenedKeys> {
  // Without one, a new key would be made.
  if (neededKeys(header.keys).length === 0) {
    throw backupInvalid('it names no encryption key');
  }
  return openKeysOf(header.keys, config, log);
}

/** @returns the number of rows of each table */
async function verify(
  backup: OpenBackup,
  { vault }: OpenedKeys,
  { progress, size }: RestoreRequest,
): Promise<RowCounts> {
  const batches = backup.rows(vault);
  for (;;) {
    const { value, done } = await batches.next();
    if (done === true) {
      return value;
    }
    progress('verified', size.read(), size.all);
  }
}

async function restoreOnly(
  database: Database,
  { vault }: OpenedKeys,
  caller: Caller,
  backup: OpenBackup,
  serial: string,
): Promise<void> {
  await restoreToken(database, backup, { keys: vault, serial, act: actOf(caller, 'backup/restore') });
}
