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
import type { Log } from '../kernel/log.ts';

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

/** A key of the vault, encrypted by a security module and useless without it. */
interface WrappedKey {
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
  /** True if the last rotation named it: what is sealed from now on is sealed with it. */
  readonly isCurrent?: boolean;
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

/** A key derived from one of the vault's, which does not reveal that one. */
export interface DerivedKey {
  /** The id of the key from which it was derived. */
  readonly keyId: string;
  /** 32 bytes. */
  readonly bytes: Uint8Array;
}

/** A key to be registered; or the wrapped form of a registered one. */
export type NewKey = Pick<RegisteredKey, 'keyId' | 'canary' | 'wrapped'>;

/** What a start finds where the keys are. */
export interface FoundKeys {
  /** The registered keys that are needed, perhaps others; the newest last. */
  readonly keys: readonly Uint8Array[];
  /** To be written to the database before the keys are used. */
  readonly added: readonly NewKey[];
}

/** Where the keys are: a key file, or the database with a hardware module that wraps them. */
export interface KeySource {
  /** A description of it, for operators. */
  readonly place: string;
  /**
   * Finds the keys at a start, and makes the first one of a database. Where one is missing, nothing is written.
   * @param log gets what operators should know or correct
   * @throws ServiceError 'key.unavailable' that names the needed keys, 'security-module.unavailable'
   */
  open(registered: readonly RegisteredKey[], log: Log): Promise<FoundKeys>;
  /**
   * @returns the bytes of the keys as they are now; not necessarily all that are registered
   * @throws ServiceError 'security-module.unavailable'
   */
  read(registered: readonly RegisteredKey[]): Promise<readonly Uint8Array[]>;
  /**
   * Makes a key, durably; or takes an unregistered one, which was put there by hand or by an interrupted attempt.
   * @throws ServiceError 'key.unavailable', 'security-module.unavailable'
   */
  provide(registered: readonly RegisteredKey[]): Promise<NewKey & { readonly isMade: boolean }>;
}

/** A key as the database knows it. */
export interface KeyState {
  /** 16 hexadecimal digits. */
  readonly keyId: string;
  /** Undefined: secrets are sealed with it, but it is not registered. */
  readonly createdAt: Date | undefined;
  readonly isCurrent: boolean;
  /** The time since which it is, or first was, the sealing key; undefined: it never was. */
  readonly currentSince: Date | undefined;
  readonly retiredAt: Date | undefined;
}

/** Receives the number of finished secrets and the number of all. */
export type Progress = (done: number, total: number) => void;

/** The key that seals. */
interface SealingKey {
  readonly keyId: string;
  readonly key: KeyObject;
  /** Version and id, in front of what it seals. */
  readonly header: Buffer;
}

export const KEY_LENGTH = 32;

const VERSION = 1;
const KEY_ID_LENGTH = 8;
const HEADER_LENGTH = 1 + KEY_ID_LENGTH;
const NONCE_LENGTH = 12;
const TAG_LENGTH = 16;
const CIPHER = 'aes-256-gcm';

/**
 * Seals secrets with AES-256-GCM (NIST SP 800-38D). A sealed secret is `version (1) | key id (8) | nonce (12) |
 * ciphertext | tag (16)`; header, purpose and subject are authenticated with it. The first key seals, all of them open,
 * so that keys can be changed. The reasons are in docs/adr/0004-secrets-at-rest.md.
 */
export class Vault {
  readonly #keys: Map<string, KeyObject>;
  readonly #random: Random;
  #sealing: SealingKey;

  /** @param keys of 32 bytes each, the current one first */
  constructor({ keys, random }: { keys: readonly Uint8Array[]; random: Random }) {
    const [current] = keys;
    if (current === undefined || keys.some(({ length }) => length !== KEY_LENGTH)) {
      throw new ServiceError('key.unavailable', `A vault needs keys of ${KEY_LENGTH} bytes`);
    }
    this.#keys = new Map(keys.map((key) => [keyIdOf(key), createSecretKey(key)]));
    this.#sealing = sealingWith(keyIdOf(current), createSecretKey(current));
    this.#random = random;
  }

  /** The id of the sealing key: 16 hexadecimal digits. */
  get currentKeyId(): string {
    return this.#sealing.keyId;
  }

  /** The ids of all keys. */
  get keyIds(): readonly string[] {
    return [...this.#keys.keys()];
  }

  /**
   * Opens with these keys, too, from now on; keys that are loaded stay.
   * @param sealing the id of the key to seal with, if the vault has it
   */
  load(keys: readonly Uint8Array[], sealing: string | undefined): void {
    keys.forEach((key) => this.#keys.set(keyIdOf(key), createSecretKey(key)));
    const current = this.#keys.get(sealing ?? '');
    if (sealing !== undefined && current !== undefined) {
      this.#sealing = sealingWith(sealing, current);
    }
  }

  /**
   * Derives keys for other purposes than sealing. The same key file gives the same keys on every server.
   * @returns a key for the purpose from each of the vault's keys, the current one first
   */
  derive(purpose: string): readonly [DerivedKey, ...DerivedKey[]] {
    const { keyId: current, key: sealing } = this.#sealing;
    const older = [...this.#keys].filter(([keyId]) => keyId !== current);
    return [
      derivedKey(current, sealing, purpose),
      ...older.map(([keyId, key]) => derivedKey(keyId, key, purpose)),
    ];
  }

  /**
   * @param subject the owner of the secret: a token's serial, a resolver's name
   * @returns the encrypted secret, with its purpose and subject authenticated
   */
  seal(plain: Uint8Array, purpose: SecretPurpose, subject: string): Sealed {
    const { key, header } = this.#sealing;
    const nonce = this.#random.bytes(NONCE_LENGTH);
    const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_LENGTH });
    cipher.setAAD(context(header, purpose, subject));
    const ciphertext = Buffer.concat([cipher.update(plain), cipher.final()]);
    return Buffer.concat([header, nonce, ciphertext, cipher.getAuthTag()]) as Sealed;
  }

  /**
   * @returns the plain bytes
   * @throws ServiceError 'key.unavailable' when its key is not loaded, 'secret.unreadable' when it was altered or moved
   */
  open(secret: Sealed, purpose: SecretPurpose, subject: string): Buffer {
    if (secret.length < HEADER_LENGTH + NONCE_LENGTH + TAG_LENGTH || secret[0] !== VERSION) {
      throw unreadable(purpose, subject);
    }
    const header = secret.subarray(0, HEADER_LENGTH);
    const keyId = header.subarray(1).toString('hex');
    const key = this.#keys.get(keyId);
    if (key === undefined) {
      throw new ServiceError('key.unavailable', `The encryption key ${keyId} is not loaded`, {
        detail: `needed for ${purpose} of ${subject}; SIGHUP has a server read its keys anew`,
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

function sealingWith(keyId: string, key: KeyObject): SealingKey {
  return { keyId, key, header: Buffer.concat([Buffer.of(VERSION), Buffer.from(keyId, 'hex')]) };
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
  const bytes = Buffer.alloc(parts.reduce((length, part) => length + 4 + part.length, 0));
  let end = 0;
  for (const part of parts) {
    end = bytes.writeUInt32BE(part.length, end);
    bytes.set(part, end);
    end += part.length;
  }
  return bytes;
}

function unreadable(purpose: SecretPurpose, subject: string, cause?: unknown): ServiceError {
  return new ServiceError('secret.unreadable', 'A stored secret was altered or is not where it belongs', {
    detail: `${purpose} of ${subject}`,
    cause,
  });
}

const CANARY = Buffer.from('tankeeper canary', 'utf8');

/** @returns the key for the database, with a known text sealed by it: a process that can open it has that key */
export function newKey(key: Uint8Array, random: Random, wrapped?: WrappedKey): NewKey {
  const vault = new Vault({ keys: [key], random });
  const keyId = vault.currentKeyId;
  const canary = vault.seal(CANARY, 'probe', canarySubject(keyId));
  return { keyId, canary, ...(wrapped !== undefined && { wrapped }) };
}

/** @returns true if the vault has the key that sealed the canary */
function opensCanary(vault: Vault, { keyId, canary }: RegisteredKey): boolean {
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

/** As `notReady`, where the keys are in a file, or in either place. */
export function keysNotReady(reason: string, detail: string, cause?: unknown): ServiceError {
  return new ServiceError('security-module.unavailable', `The encryption keys are not ready: ${reason}`, {
    detail,
    cause,
  });
}

/**
 * @param keys the newest last
 * @returns a vault that seals with the current one of the registered keys, else with the newest
 * @throws ServiceError 'key.unavailable' when one of them does not open its canary
 */
export function vaultOf(
  keys: readonly Uint8Array[],
  registered: readonly RegisteredKey[],
  random: Random,
): Vault {
  const vault = new Vault({ keys: keys.toReversed(), random });
  vault.load([], sealingKey(registered));
  for (const key of registered.filter(({ keyId }) => vault.keyIds.includes(keyId))) {
    if (!opensCanary(vault, key)) {
      throw new ServiceError(
        'key.unavailable',
        `The encryption key ${key.keyId} does not open what the database keeps to try it: the database was altered. ` +
          'Nothing was written.',
      );
    }
  }
  return vault;
}
