import type { Act } from '../policy/caller.ts';
import type { RegisteredKey, Vault, WrappedKey } from './vault.ts';

/** A key that is to be registered. */
export interface NewKey {
  readonly keyId: string;
  readonly canary: Buffer;
  readonly wrapped?: WrappedKey;
  /** false: it was in the key file already. */
  readonly isMade: boolean;
}

/** Where new keys are made and kept: the key file, or the database, wrapped by a security module. */
export interface KeyMaterial {
  /** Where that is, in words for operators. */
  readonly place: string;
  /**
   * Makes a key, durably; or takes one that is there and that nobody has registered, as a try that was interrupted leaves.
   * @throws ServiceError 'key.unavailable', 'security-module.unavailable'
   */
  provide(registered: readonly RegisteredKey[]): Promise<NewKey>;
  /**
   * @returns false when it was not there
   * @throws ServiceError 'key.refused' where keys are in no file
   */
  remove(keyId: string): Promise<boolean>;
}

/** What the database knows of a key. */
export interface KeyState {
  /** 16 hexadecimal digits. */
  readonly keyId: string;
  /** undefined: secrets are sealed with it, but it is not registered. */
  readonly addedAt: Date | undefined;
  readonly isCurrent: boolean;
  /** Since when it seals, or has sealed; undefined: it never did. */
  readonly currentSince: Date | undefined;
  readonly retiredAt: Date | undefined;
  /** How many secrets are sealed with it. */
  readonly secrets: number;
}

/** A server that runs, or was seen a few seconds ago. */
export interface KeyHolder {
  /** Host name and process id. */
  readonly place: string;
  readonly keyIds: readonly string[];
  /** The id of the key that it seals with. */
  readonly sealingKey: string;
}

/** What came of sealing secrets anew. */
export interface Resealing {
  /** How many secrets were sealed anew. */
  readonly resealed: number;
  /** How many are still sealed with other keys though they could be opened, as somebody else changed them all the time. */
  readonly left: number;
  /** Whose secrets could not be opened, the first hundred: `tokens T1`. */
  readonly unreadable: readonly string[];
  /** How many secrets could not be opened. */
  readonly unreadableCount: number;
}

/** Told how many secrets of how many are done. */
export type Progress = (done: number, total: number) => void;

/** The keys of the database, and what is sealed with them. */
export interface KeyAdministration {
  states(): Promise<readonly KeyState[]>;
  /** @returns the servers that run */
  holders(): Promise<readonly KeyHolder[]>;
  /** Registers what `provide` gives, one at a time. Whoever starts from then on needs the key. */
  add(provide: (registered: readonly RegisteredKey[]) => Promise<NewKey>, act: Act): Promise<NewKey>;
  /** @returns false when it is the current one already @throws ServiceError 'key.refused' when it is unknown or retired */
  makeCurrent(keyId: string, act: Act): Promise<boolean>;
  /**
   * Seals with the vault's current key whatever is sealed with another one. May be interrupted at any point and done again.
   */
  reseal(vault: SealingVault, progress: Progress, act: Act): Promise<Resealing>;
  /**
   * @returns whether it is retired now, and what is still sealed with it, by table; false: it was retired before
   * @throws ServiceError 'key.refused' when it is unknown, current, or something is sealed with it
   */
  retire(keyId: string, act: Act): Promise<boolean>;
}

/** A vault, and what it seals with. */
export interface SealingVault extends Vault {
  readonly currentKeyId: string;
}

/** A vault that keeps in step with the database's list of keys. */
export interface RotatingVault extends SealingVault {
  readonly keyIds: readonly string[];
  /** @returns the ids of the keys that are needed and could not be loaded */
  refresh(): Promise<readonly string[]>;
}
