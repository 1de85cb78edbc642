import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign as signBytes,
  verify as verifyBytes,
} from 'node:crypto';
import type { DerivedKey, KeyDerivation } from '../keys/vault.ts';

/** A public key of the installation. */
export interface InstallationKey {
  /** The id of the vault's key from which it was derived: 16 hexadecimal digits. */
  readonly keyId: string;
  /** 32 bytes, Ed25519. */
  readonly publicKey: Buffer;
}

const PURPOSE = 'audit writers';

/**
 * Certifies the writers of rows by keys that are derived from the vault's, the same on every server: access to the
 * database alone does not suffice. The public halves reveal nothing of the vault. The keys are derived at each call, as
 * the vault's keys change at run time.
 */
export class AuditAuthority {
  readonly #vault: KeyDerivation;

  constructor({ vault }: { readonly vault: KeyDerivation }) {
    this.#vault = vault;
  }

  /** @returns the installation's public keys, the current one first */
  keys(): readonly [InstallationKey, ...InstallationKey[]] {
    const [current, ...older] = this.#vault.derive(PURPOSE);
    return [publicKeyOf(current), ...older.map(publicKeyOf)];
  }

  /** @returns the current key's signature */
  sign(hash: Uint8Array): Buffer {
    return signingKeyFromSeed(this.#vault.derive(PURPOSE)[0].bytes).sign(hash);
  }
}

function publicKeyOf({ keyId, bytes }: DerivedKey): InstallationKey {
  return { keyId, publicKey: signingKeyFromSeed(bytes).publicKey };
}

/** Encodings of RFC 8410 that precede the 32 bytes of a private key (PKCS #8) and of a public one (SPKI). */
const PRIVATE_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');
const PUBLIC_PREFIX = Buffer.from('302a300506032b6570032100', 'hex');
const KEY_LENGTH = 32;

/** An Ed25519 key pair (RFC 8032). The private half is never disclosed. */
export interface SigningKey {
  /** 32 bytes. */
  readonly publicKey: Buffer;
  /** @returns 64 bytes. Takes some 50 µs, less than the wait for another thread under load */
  sign(bytes: Uint8Array): Buffer;
}

/** @returns a new key pair, which lives in this process only */
export function newSigningKey(): SigningKey {
  return signingKey(generateKeyPairSync('ed25519').privateKey);
}

/**
 * @param seed 32 bytes
 * @returns the key pair of the seed, always the same
 */
function signingKeyFromSeed(seed: Uint8Array): SigningKey {
  const key = Buffer.concat([PRIVATE_PREFIX, seed]);
  return signingKey(createPrivateKey({ key, format: 'der', type: 'pkcs8' }));
}

/** Verifies signatures of one signing key. Rejects all where the key is invalid. */
export class SignatureVerifier {
  readonly #key: KeyObject | undefined;

  /** @param publicKey 32 bytes; with another length, every verification fails */
  constructor(publicKey: Uint8Array) {
    this.#key =
      publicKey.length === KEY_LENGTH
        ? createPublicKey({ key: Buffer.concat([PUBLIC_PREFIX, publicKey]), format: 'der', type: 'spki' })
        : undefined;
  }

  verify(bytes: Uint8Array, signature: Uint8Array): Promise<boolean> {
    const key = this.#key;
    return key === undefined
      ? Promise.resolve(false)
      : new Promise((resolve) => {
          verifyBytes(null, bytes, key, signature, (error, isValid) => {
            resolve(error === null && isValid);
          });
        });
  }
}

function signingKey(privateKey: KeyObject): SigningKey {
  const spki = createPublicKey(privateKey).export({ format: 'der', type: 'spki' });
  return {
    publicKey: spki.subarray(-KEY_LENGTH),
    sign: (bytes) => signBytes(null, bytes, privateKey),
  };
}
