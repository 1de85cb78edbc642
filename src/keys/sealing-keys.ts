import type { RegisteredKey, Vault, WrappedKey } from './vault.ts';

/** A key to be registered. */
export interface NewKey {
  readonly keyId: string;
  readonly canary: Buffer;
  readonly wrapped?: WrappedKey;
  /** False if the key file held it already. */
  readonly isMade: boolean;
}

/** The storage of new keys: the key file, or the database, wrapped by a security module. */
export interface KeyMaterial {
  /** A description of the storage, for operators. */
  readonly place: string;
  /**
   * Makes a key, durably; or reuses an unregistered one, which an interrupted attempt leaves behind.
   * @throws ServiceError 'key.unavailable', 'security-module.unavailable'
   */
  provide(registered: readonly RegisteredKey[]): Promise<NewKey>;
  /**
   * @returns false when it did not exist
   * @throws ServiceError 'key.refused' where keys are in no file
   */
  remove(keyId: string): Promise<boolean>;
}

/** State of a key in the database. */
export interface KeyState {
  /** 16 hexadecimal digits. */
  readonly keyId: string;
  /** Undefined: secrets are sealed with it, but it is not registered. */
  readonly addedAt: Date | undefined;
  readonly isCurrent: boolean;
  /** The time since which it is, or first was, the sealing key; undefined: it never was. */
  readonly currentSince: Date | undefined;
  readonly retiredAt: Date | undefined;
  /** Number of secrets sealed with it. */
  readonly secrets: number;
}

/** A server that runs, or did a few seconds ago. */
export interface KeyHolder {
  /** Host name and process id. */
  readonly place: string;
  readonly keyIds: readonly string[];
  /** The id of the key with which it seals. */
  readonly sealingKey: string;
}

/** The result of sealing secrets anew. */
export interface Resealing {
  /** Number of secrets sealed anew. */
  readonly resealed: number;
  /** Number of secrets that could be opened but are still sealed with other keys, because they kept changing. */
  readonly left: number;
  /** Owners of the secrets that could not be opened, the first hundred: `tokens T1`. */
  readonly unreadable: readonly string[];
  /** Number of secrets that could not be opened. */
  readonly unreadableCount: number;
}

/** Receives the number of finished secrets and the number of all. */
export type Progress = (done: number, total: number) => void;

/** A vault with the ids of its keys. */
export interface SealingVault extends Vault {
  readonly currentKeyId: string;
}

/** A vault that follows the database's list of keys. */
export interface RotatingVault extends SealingVault {
  readonly keyIds: readonly string[];
  /** @returns the ids of the keys that are needed but could not be loaded */
  refresh(): Promise<readonly string[]>;
}
