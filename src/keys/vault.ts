declare const sealed: unique symbol;

/** A secret as the database keeps it: encrypted, with the id of its key. Never mixed up with plain bytes. */
export type Sealed = Buffer & { readonly [sealed]: true };

/** What a sealed secret is for. Bound to it, so that one cannot be put in another's place. */
export type SecretPurpose = 'seed' | 'shared-secret' | 'nonce' | 'pin' | 'ocra-pin' | 'resolver' | 'probe';

/** Keeps secrets at rest. */
export interface Vault {
  /**
   * @param subject what the secret belongs to: a token's serial, a resolver's name
   * @returns the secret, encrypted, its purpose and subject authenticated with it
   */
  seal(plain: Uint8Array, purpose: SecretPurpose, subject: string): Sealed;
  /**
   * @returns the plain bytes
   * @throws ServiceError 'key.unavailable' when its key is not loaded, 'secret.unreadable' when it was altered or moved
   */
  open(secret: Sealed, purpose: SecretPurpose, subject: string): Buffer;
}

/** A key of the vault, encrypted by a security module: nothing without that module. */
export interface WrappedKey {
  readonly bytes: Buffer;
  /** Which key of which module encrypted it, in words for operators. */
  readonly by: string;
}

/** A key that secrets in the database are sealed with. */
export interface RegisteredKey {
  /** 16 hexadecimal digits. */
  readonly keyId: string;
  /** A known text sealed by it: who can open it has the key. */
  readonly canary: Buffer;
  /** undefined: the key is in a key file alone. */
  readonly wrapped?: WrappedKey;
  /** Whether it is the one that seals, on every server. */
  readonly isCurrent?: boolean;
  /** Whether it was added to seal, and never has. */
  readonly isWaiting?: boolean;
  /** Whether nothing is sealed with it any more, nor ever will be: nobody needs it, but who wants to read old backups. */
  readonly isRetired?: boolean;
}

/** @returns the keys without which some secret might not open */
export function neededKeys(registered: readonly RegisteredKey[]): readonly RegisteredKey[] {
  return registered.filter(({ isRetired }) => isRetired !== true);
}

/** @returns the id of the key that seals: the one that the database names, else the one that was registered last */
export function sealingKey(registered: readonly RegisteredKey[]): string | undefined {
  const needed = neededKeys(registered);
  return (needed.find(({ isCurrent }) => isCurrent === true) ?? needed.at(-1))?.keyId;
}

/** The database's list of its keys. The keys themselves are never there in clear. */
export interface KeyRegistry {
  /** @returns the keys in the order in which they were registered */
  registered(): Promise<readonly RegisteredKey[]>;
  /**
   * The first key of a database becomes the one that seals.
   * @returns false when a key of that id is registered already; what is there is never overwritten
   */
  register(keyId: string, canary: Buffer, wrapped?: WrappedKey): Promise<boolean>;
  /** Adds the wrapped form of a registered key. @returns false when it has one, which is never overwritten */
  addWrapped(keyId: string, wrapped: WrappedKey): Promise<boolean>;
}

/** Where the keys of the vault come from: a key file, or a hardware module. */
export interface SecurityModule {
  /**
   * Fetches the keys anew, as a start does.
   * @returns a vault with them
   * @throws ServiceError 'security-module.unavailable' when that cannot be done now, or keys that are in use are not
   *   among them
   */
  freshVault(): Promise<Pick<Vault, 'open'>>;
}

/** Lets one server at a time look and register. */
export interface KeyRegistration {
  /** @param work may run more than once; when it throws, nothing was registered */
  withRegistration<T>(work: (registry: KeyRegistry) => Promise<T>): Promise<T>;
}

/** A key made from one of the vault's, from which that one cannot be told. */
export interface DerivedKey {
  /** The id of the key that it was made from. */
  readonly keyId: string;
  /** 32 bytes. */
  readonly bytes: Uint8Array;
}

/** Makes keys for other purposes than sealing. The same key file gives the same keys on every server. */
export interface KeyDerivation {
  /** @returns a key for the purpose from each of the vault's keys, the current one first */
  derive(purpose: string): readonly [DerivedKey, ...DerivedKey[]];
}
