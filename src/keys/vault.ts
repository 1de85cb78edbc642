declare module '../kernel/errors.ts' {
  interface ErrorPayloads {
    'key.unavailable': NoPayload;
    'key.refused': NoPayload;
    'secret.unreadable': NoPayload;
    'security-module.unavailable': NoPayload;
  }
}

declare const sealed: unique symbol;

/** A secret as the database stores it: encrypted, with the id of its key. The type keeps it apart from plain bytes. */
export type Sealed = Buffer & { readonly [sealed]: true };

/** The purpose of a sealed secret. It is authenticated, so that one secret cannot replace another. */
export type SecretPurpose =
  | 'seed'
  | 'shared-secret'
  | 'nonce'
  | 'pin'
  | 'ocra-pin'
  | 'so-pin'
  | 'resolver'
  | 'setting'
  | 'webhook'
  | 'probe';

/** Seals and opens secrets at rest. */
export interface Vault {
  /**
   * @param subject the owner of the secret: a token's serial, a resolver's name
   * @returns the encrypted secret, with its purpose and subject authenticated
   */
  seal(plain: Uint8Array, purpose: SecretPurpose, subject: string): Sealed;
  /**
   * @returns the plain bytes
   * @throws ServiceError 'key.unavailable' when its key is not loaded, 'secret.unreadable' when it was altered or moved
   */
  open(secret: Sealed, purpose: SecretPurpose, subject: string): Buffer;
}

/** A key of the vault, encrypted by a security module and useless without it. */
export interface WrappedKey {
  readonly bytes: Buffer;
  /** The encrypting key and its module, in words for operators. */
  readonly by: string;
}

/** A key that seals secrets in the database. */
export interface RegisteredKey {
  /** 16 hexadecimal digits. */
  readonly keyId: string;
  /** A known text sealed with it: a process that can open it has the key. */
  readonly canary: Buffer;
  /** Undefined: the key is only in a key file. */
  readonly wrapped?: WrappedKey;
  /** True if every server seals with it. */
  readonly isCurrent?: boolean;
  /** True if it was added to seal, and never has. */
  readonly isWaiting?: boolean;
  /** True if no secret is or ever will be sealed with it: it is needed for old backups only. */
  readonly isRetired?: boolean;
}

/** @returns the keys without which some secret might not open */
export function neededKeys(registered: readonly RegisteredKey[]): readonly RegisteredKey[] {
  return registered.filter(({ isRetired }) => isRetired !== true);
}

/** @returns the id of the sealing key: the one that the database names, else the one that was registered last */
export function sealingKey(registered: readonly RegisteredKey[]): string | undefined {
  const needed = neededKeys(registered);
  return (needed.find(({ isCurrent }) => isCurrent === true) ?? needed.at(-1))?.keyId;
}

/** The database's list of its keys. The keys themselves are never stored there in clear. */
export interface KeyRegistry {
  /** @returns the keys in the order in which they were registered */
  registered(): Promise<readonly RegisteredKey[]>;
  /**
   * Registers a key. The first key of a database becomes the sealing key.
   * @returns false when a key of that id is registered already; an existing entry is never overwritten
   */
  register(keyId: string, canary: Buffer, wrapped?: WrappedKey): Promise<boolean>;
  /**
   * Adds the wrapped form of a registered key.
   * @returns false when it has one, which is never overwritten
   */
  addWrapped(keyId: string, wrapped: WrappedKey): Promise<boolean>;
}

/** Lets one server at a time read and register keys. */
export interface KeyRegistration {
  /** @param work may run more than once; when it throws, nothing was registered */
  withRegistration<T>(work: (registry: KeyRegistry) => Promise<T>): Promise<T>;
}

/** A key derived from one of the vault's, which does not reveal that one. */
export interface DerivedKey {
  /** The id of the key from which it was derived. */
  readonly keyId: string;
  /** 32 bytes. */
  readonly bytes: Uint8Array;
}

/** Derives keys for other purposes than sealing. The same key file gives the same keys on every server. */
export interface KeyDerivation {
  /** @returns a key for the purpose from each of the vault's keys, the current one first */
  derive(purpose: string): readonly [DerivedKey, ...DerivedKey[]];
}

/** A key to be registered. */
export interface NewKey {
  readonly keyId: string;
  readonly canary: Buffer;
  readonly wrapped?: WrappedKey;
  /** False if the key file held it already. */
  readonly isMade: boolean;
}

/** The source of the vault's keys: a key file, or the database with a hardware module that wraps them. */
export interface KeySource {
  /** A description of it, for operators. */
  readonly place: string;
  /** @returns the bytes of keys; there may be others among them, and missing ones may be none of them */
  fetch(missing: readonly RegisteredKey[]): Promise<readonly Uint8Array[]>;
  /**
   * Fetches the keys anew, as at the start of a server.
   * @param inUse their ids
   * @returns a vault with them
   * @throws ServiceError 'security-module.unavailable' when that is not possible now, or keys in use are not among them
   */
  freshVault(inUse: readonly string[]): Promise<Pick<Vault, 'open'>>;
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
  /** Host name, process id and version: `tan1:4711 (1.0.0)`. */
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
