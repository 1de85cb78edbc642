import { isDeepStrictEqual } from 'node:util';
import { BackupCipher, type BackupUnlock } from '../backup/backup-encryption.ts';
import {
  backupInvalid,
  readBackup,
  type ReadBackup,
  type RowCounts,
  rowsOf,
  total,
} from '../backup/backup-format.ts';
import { BackupStore } from '../backup/backup-store.ts';
import {
  assertLoadable,
  loadBackup,
  restoreToken,
  skip,
  type VerifiedBackup,
} from '../backup/restore-store.ts';
import type { Config } from '../config/config.ts';
import { DatabaseClock } from '../database/database-clock.ts';
import type { Log } from '../kernel/log.ts';
import { unlessAborted } from '../kernel/stop-request.ts';
import { openKeysOf } from '../keys/opened-keys.ts';
import { type Vault, neededKeys } from '../keys/vault.ts';
import { actOf, type Caller } from '../policy/caller.ts';
import { connectDatabase } from './open-database.ts';

/** A backup to restore. */
export interface RestoreRequest {
  /** Opens the file at its beginning; called once for each time that it is read. */
  readonly open: () => AsyncIterable<Uint8Array>;
  readonly unlock: BackupUnlock;
  /** Verifies the backup and touches no database. */
  readonly checksOnly: boolean;
  /** The serial of the only token to restore, into the database as it is. */
  readonly onlyToken?: string | undefined;
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
 * Restores a backup into an empty database, which is created where it is missing, or one token of it into one in use.
 * The file is read twice: it is verified to its end before the database is touched.
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
  const read = (take: Parameters<typeof readBackup>[1]): Promise<ReadBackup> =>
    readBackup(new BackupCipher().decrypt(request.open(), request.unlock), take);
  const first = await unlessAborted(
    read((_table, bytes) => skip(bytes)),
    giveUp,
  );
  const { manifest } = first;
  assertLoadable(manifest);
  const keys = await unlessAborted(openKeysFor(first, config, log), giveUp);
  const again: VerifiedBackup['read'] = async (take) => {
    const second = await read(take);
    second.assertMade(keys);
    if (!isDeepStrictEqual(second.manifest, manifest)) {
      throw backupInvalid('another one was put in its place while it was read');
    }
  };
  if (!request.checksOnly) {
    await restore(config, log, caller, request.onlyToken, { manifest, read: again }, giveUp);
  }
  return { version: manifest.version, createdAt: manifest.created, rows: rowsOf(manifest) };
}

async function restore(
  config: Config,
  log: Log,
  caller: Caller,
  onlyToken: string | undefined,
  backup: VerifiedBackup,
  giveUp: AbortSignal,
): Promise<void> {
  const create = onlyToken === undefined;
  const opening = { role: 'command', create, log, clock: new DatabaseClock(), giveUp } as const;
  const { database, close } = await connectDatabase(config, opening);
  const act = actOf(caller, 'backup/restore');
  const { manifest } = backup;
  const load = async (): Promise<void> => {
    await loadBackup(database, backup);
    const outcome = `restored from ${manifest.created.toISOString()}, ${total(rowsOf(manifest))} rows, open challenges closed`;
    await new BackupStore({ database }).note(act, outcome);
  };
  const work = onlyToken === undefined ? load() : restoreToken(database, backup, { serial: onlyToken, act });
  try {
    await unlessAborted(work, giveUp);
  } finally {
    await close();
  }
}

/**
 * Opens the keys that the backup needs: one that could not be used afterwards is not restored.
 * @throws ServiceError 'backup.invalid', 'key.unavailable', 'security-module.unavailable'
 */
async function openKeysFor(backup: ReadBackup, config: Config, log: Log): Promise<Pick<Vault, 'derive'>> {
  const { keys } = backup.manifest;
  // Without one, a new key would be made.
  if (neededKeys(keys).length === 0) {
    throw backupInvalid('it names no encryption key');
  }
  const { vault } = await openKeysOf(keys, config, log);
  backup.assertMade(vault);
  return vault;
}
