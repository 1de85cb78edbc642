import type { Clock } from '../kernel/clock.ts';
import { ServiceError } from '../kernel/errors.ts';
import type { Vault } from '../keys/vault.ts';
import { actOf, assertOperator, type Caller } from '../policy/caller.ts';
import type { BackupCipher, BackupLock } from './backup-encryption.ts';
import type { BackupStore } from './backup-store.ts';
import { packBackup, type RowCounts, total } from './backup-format.ts';

/** The shortest passphrase in UTF-16 code units: a thief of the file can try any number of them. */
const MIN_PASSPHRASE_LENGTH = 12;

interface BackupRequest {
  readonly lock: BackupLock;
  /** The version of the program. */
  readonly version: string;
  /** Takes the encrypted bytes, piece by piece. */
  readonly write: (bytes: Uint8Array) => Promise<void>;
  /** Receives the number of rows so far, and the approximate number of all. */
  readonly progress?: (rows: number, of: number) => void;
}

interface WrittenBackup {
  /** By table. */
  readonly rows: RowCounts;
  /** The ids of the keys without which its secrets do not open. */
  readonly keyIds: readonly string[];
}

/** Writes backups of the installation, and makes a recovered one safe. For operators at the machine. */
export class BackupService {
  readonly #deps;

  constructor(dependencies: {
    readonly store: BackupStore;
    /** Loads the encryption at the first use: few processes need it. */
    readonly cipher: () => Promise<BackupCipher>;
    readonly keys: Pick<Vault, 'derive'>;
    readonly clock: Clock;
  }) {
    this.#deps = dependencies;
  }

  /**
   * Writes a backup of one instant, while servers run. The act is recorded in the audit first: where the database takes
   * no row, nothing is handed out.
   * @throws ServiceError 'right.missing' for a caller who is no operator, 'parameter.invalid' for a short passphrase or
   *   a wrong recipient
   */
  async export(caller: Caller, { lock, version, write, progress }: BackupRequest): Promise<WrittenBackup> {
    assertOperator(caller, 'Backup and recovery are done');
    if ('passphrase' in lock && lock.passphrase.length < MIN_PASSPHRASE_LENGTH) {
      throw new ServiceError(
        'parameter.invalid',
        `The passphrase of a backup needs at least ${MIN_PASSPHRASE_LENGTH} characters`,
      );
    }
    const { store, keys, clock } = this.#deps;
    const cipher = await this.#deps.cipher();
    // Before the audit row, which would keep a secret key that was given as recipient.
    cipher.assertLock(lock);
    const kind = 'passphrase' in lock ? 'by a passphrase' : `for ${lock.recipients.join(', ')}`;
    await store.note(actOf(caller, 'backup/export'), `handed out, encrypted ${kind}`);
    const of = await store.estimate();
    const rows: RowCounts = new Map();
    const keyIds = await store.read(async (snapshot) => {
      const tar = packBackup(snapshot, version, clock.now(), keys, rows);
      for await (const bytes of cipher.encrypt(tar, lock)) {
        await write(bytes);
        const done = total(rows);
        progress?.(done, Math.max(done, of));
      }
      return snapshot.keys.filter(({ isRetired }) => isRetired !== true).map(({ keyId }) => keyId);
    });
    return { rows, keyIds };
  }

  /**
   * Closes all challenges that are open now. After a recovery that has lost commits, none that was answered before is
   * answered again then; responses of HOTP and TOTP may be accepted again. Users who have not answered yet begin again.
   * @returns their number
   * @throws ServiceError 'right.missing' for a caller who is no operator
   */
  async closeChallenges(caller: Caller): Promise<number> {
    assertOperator(caller, 'Backup and recovery are done');
    return this.#deps.store.closeChallenges(actOf(caller, 'challenge/close-all'));
  }
}
