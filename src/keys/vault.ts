import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
} from 'node:crypto';
import type { Random } from '../kernel/clock.ts';
import { isServiceError, ServiceError } from '../kernel/errors.ts';

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

export const KEY_LENGTH = 32;

const VERSION = 1;
const KEY_ID_LENGTH = 8;
const HEADER_LENGTH = 1 + KEY_ID_LENGTH;
const NONCE_LENGTH = 12;
const NONCES_AT_ONCE = 64;
const TAG_LENGTH = 16;
const CIPHER = 'aes-256-gcm';

/**
 * Seals secrets with AES-256-GCM (NIST SP 800-38D). A sealed secret is `version (1) | key id (8) | nonce (12) |
 * ciphertext | tag (16)`; header, purpose and subject are authenticated with it. The first key seals, all of them open,
 * so that keys can be changed. The reasons are in docs/adr/0004-secrets-at-rest.md.
 */
export class SecretVault implements Vault, KeyDerivation {
  /** The id of the sealing key: 16 hexadecimal digits. */
  readonly currentKeyId: string;
  readonly #keys: ReadonlyMap<string, KeyObject>;
  readonly #current: KeyObject;
  readonly #random: Random;
  /** Version and id of the current key, in front of what it seals. */
  readonly #header: Buffer;
  #nonces = Buffer.alloc(0);

  /** @param keys of 32 bytes each, the current one first */
  constructor({ keys, random }: { keys: readonly Uint8Array[]; random: Random }) {
    const [current] = keys;
    if (current === undefined || keys.some(({ length }) => length !== KEY_LENGTH)) {
      throw new ServiceError('key.unavailable', `A vault needs keys of ${KEY_LENGTH} bytes`);
    }
    this.currentKeyId = keyIdOf(current);
    this.#current = createSecretKey(current);
    this.#keys = new Map(keys.map((key) => [keyIdOf(key), createSecretKey(key)]));
    this.#random = random;
    this.#header = Buffer.concat([Buffer.of(VERSION), Buffer.from(this.currentKeyId, 'hex')]);
  }

  /** @returns the ids of all keys, the current one first */
  get keyIds(): readonly string[] {
    return [...this.#keys.keys()];
  }

  /**
   * @param added keys that open from now on
   * @param currentKeyId the sealing key; the present one where the vault has no such key
   * @returns another vault
   */
  withKeys(added: readonly Uint8Array[], currentKeyId: string | undefined): SecretVault {
    const keys = [...[...this.#keys.values()].map((key) => key.export()), ...added];
    const current = keys.filter((key) => keyIdOf(key) === currentKeyId);
    return new SecretVault({ keys: [...current, ...keys], random: this.#random });
  }

  derive(purpose: string): readonly [DerivedKey, ...DerivedKey[]] {
    const older = [...this.#keys].filter(([keyId]) => keyId !== this.currentKeyId);
    return [
      derivedKey(this.currentKeyId, this.#current, purpose),
      ...older.map(([keyId, key]) => derivedKey(keyId, key, purpose)),
    ];
  }

  seal(plain: Uint8Array, purpose: SecretPurpose, subject: string): Sealed {
    const header = this.#header;
    const nonce = this.#nextNonce();
    const cipher = createCipheriv(CIPHER, this.#current, nonce, { authTagLength: TAG_LENGTH });
    cipher.setAAD(context(header, purpose, subject));
    const ciphertext = Buffer.concat([cipher.update(plain), cipher.final()]);
    return Buffer.concat([header, nonce, ciphertext, cipher.getAuthTag()]) as Sealed;
  }

  /** Nonces are drawn many at a time: an import seals millions of secrets. */
  #nextNonce(): Buffer {
    if (this.#nonces.length === 0) {
      this.#nonces = Buffer.from(this.#random.bytes(NONCE_LENGTH * NONCES_AT_ONCE));
    }
    const nonce = this.#nonces.subarray(0, NONCE_LENGTH);
    this.#nonces = this.#nonces.subarray(NONCE_LENGTH);
    return nonce;
  }

  open(secret: Sealed, purpose: SecretPurpose, subject: string): Buffer {
    if (secret.length < HEADER_LENGTH + NONCE_LENGTH + TAG_LENGTH || secret[0] !== VERSION) {
      throw unreadable(purpose, subject);
    }
    const header = secret.subarray(0, HEADER_LENGTH);
    const keyId = header.subarray(1).toString('hex');
    const key = this.#keys.get(keyId);
    if (key === undefined) {
      throw new ServiceError('key.unavailable', `The encryption key ${keyId} is not loaded`, {
        detail: `needed for ${purpose} of ${subject}`,
      });
    }
    const nonce = secret.subarray(HEADER_LENGTH, HEADER_LENGTH + NONCE_LENGTH);
    const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_LENGTH });
    decipher.setAAD(context(header, purpose, subject));
    decipher.setAuthTag(secret.subarray(-TAG_LENGTH));
    const ciphertext = secret.subarray(HEADER_LENGTH + NONCE_LENGTH, -TAG_LENGTH);
    try {
      return Buffer.concat([decipher.update(ciphertext), decipher.final()]);
    } catch (cause) {
      throw unreadable(purpose, subject, cause);
    }
  }
}

/** @returns the public id of a key, which reveals nothing about it: 16 hexadecimal digits */
export function keyIdOf(key: Uint8Array): string {
  return createHmac('sha256', key)
    .update('tankeeper key id')
    .digest()
    .subarray(0, KEY_ID_LENGTH)
    .toString('hex');
}

/** Derives a key by HKDF (RFC 5869) without salt: the vault's keys are random already. */
function derivedKey(keyId: string, key: KeyObject, purpose: string): DerivedKey {
  const info = `tankeeper ${purpose}`;
  return { keyId, bytes: new Uint8Array(hkdfSync('sha256', key, Buffer.alloc(0), info, KEY_LENGTH)) };
}

/** Concatenates the parts, each preceded by its length, so that no two contexts have the same encoding. */
function context(header: Uint8Array, purpose: SecretPurpose, subject: string): Buffer {
  const parts = [header, Buffer.from(purpose, 'utf8'), Buffer.from(subject, 'utf8')];
  return Buffer.concat(parts.flatMap((part) => [lengthOf(part), part]));
}

function lengthOf(part: Uint8Array): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(part.length);
  return length;
}

function unreadable(purpose: SecretPurpose, subject: string, cause?: unknown): ServiceError {
  return new ServiceError('secret.unreadable', 'A stored secret was altered or is not where it belongs', {
    detail: `${purpose} of ${subject}`,
    cause,
  });
}

const CANARY = Buffer.from('tankeeper canary', 'utf8');

/** @returns a known text sealed by the vault's current key: a process that can open it has that key */
export function sealCanary(vault: SecretVault): Sealed {
  return vault.seal(CANARY, 'probe', canarySubject(vault.currentKeyId));
}

/** @returns true if the vault has the key that sealed the canary */
export function opensCanary(vault: SecretVault, { keyId, canary }: RegisteredKey): boolean {
  try {
    return vault.open(canary as Sealed, 'probe', canarySubject(keyId)).equals(CANARY);
  } catch (error) {
    if (isServiceError(error)) {
      return false;
    }
    throw error;
  }
}

function canarySubject(keyId: string): string {
  return `key ${keyId}`;
}

/**
 * @param reason may reach clients
 * @param detail for operators: paths, labels, codes
 * @returns a ServiceError 'security-module.unavailable'
 */
export function notReady(reason: string, detail: string, cause?: unknown): ServiceError {
  return new ServiceError('security-module.unavailable', `The security module is not ready: ${reason}`, {
    detail,
    cause,
  });
}

/** @throws ServiceError 'security-module.unavailable' when a key in use is not among those of the vault */
export function assertHolds({ keyIds }: SecretVault, inUse: readonly string[]): void {
  const missing = inUse.filter((keyId) => !keyIds.includes(keyId));
  if (missing.length > 0) {
    throw notReady('it no longer has a key that is in use', missing.join(', '));
  }
}
