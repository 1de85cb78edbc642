import { type DBSchema, type IDBPDatabase, openDB } from 'idb';
import type { AttemptRecord } from './attempts.ts';
import type { Protection } from './protection.ts';
import type { VaultErrorCode } from './vault.ts';

/** The kinds of encrypted records. */
export type RecordKind = 'token' | 'history' | 'settings';

/** A record at rest. */
export interface SealedRecord {
  /** Derived from the record's name by a key of the vault: it reveals nothing, and a name has one record. */
  readonly id: string;
  readonly kind: RecordKind;
  /** IV and ciphertext; id and kind are its additional data. */
  readonly sealed: Uint8Array<ArrayBuffer>;
}

interface VaultSchema extends DBSchema {
  records: { key: string; value: SealedRecord; indexes: { kind: RecordKind } };
  protection: { key: 'protection'; value: Protection };
  attempts: { key: 'attempts'; value: AttemptRecord };
}

export type VaultDatabase = IDBPDatabase<VaultSchema>;

/** The writes of a complete transaction are on disk. */
export const STRICT: IDBTransactionOptions = { durability: 'strict' };

const VERSION = 1;

/**
 * Opens the database, and makes it at the first start.
 * @param onLost called when the connection is closed by the browser, or for a newer version in another tab
 * @throws DOMException 'VersionError' for a database of a newer version
 */
export function openVaultDatabase(
  name: string,
  onLost: (reason: VaultErrorCode) => void,
): Promise<VaultDatabase> {
  return openDB<VaultSchema>(name, VERSION, {
    upgrade: (database) => {
      database.createObjectStore('records', { keyPath: 'id' }).createIndex('kind', 'kind');
      database.createObjectStore('protection');
      database.createObjectStore('attempts');
    },
    blocking: (_current, _blocked, event) => {
      (event.target as IDBDatabase).close();
      onLost('storage-newer');
    },
    terminated: () => {
      onLost('storage-failed');
    },
  });
}

/** Removes everything, the device key included: what is left on the disk cannot be opened. */
export async function clearDatabase(database: VaultDatabase): Promise<void> {
  const stores = ['records', 'protection', 'attempts'] as const;
  const transaction = database.transaction(stores, 'readwrite', STRICT);
  await Promise.all([...stores.map((store) => transaction.objectStore(store).clear()), transaction.done]);
}
