import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  createSecretKey,
  hkdfSync,
  type KeyObject,
} from 'node:crypto';
import type { DerivedKey, KeyDerivation, RegisteredKey, Sealed, SecretPurpose, Vault } from './vault.ts';
import type { Random } from '../kernel/clock.ts';
import { isServiceError, ServiceError } from '../kernel/errors.ts';

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
