import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign as signBytes,
  verify as verifyBytes,
  hash as hashOnce,
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

/*
 * One signature for several rows: it signs the number of rows and the root of a Merkle tree over their hashes (RFC 9162
 * §2.1), and each row carries the path from its hash to the root. Each row thus verifies alone, as with a signature of
 * its own.
 */

/** Bytes of an Ed25519 signature (RFC 8032). */
const SIGNATURE_LENGTH = 64;
const HASH_LENGTH = 32;
/** Index and number of the rows, a byte each. */
const PLACE_LENGTH = 2;
/** The prefixes that keep a leaf from being taken for a node. */
const LEAF = Buffer.of(0);
const NODE = Buffer.of(1);
const TREE_FORM = Buffer.from('tankeeper audit tree 1', 'ascii');

export const MAX_TREE_ROWS = 255;

interface RowSignature {
  /** The bytes that are signed: the row's hash, or the form of the tree, its size and its root. */
  readonly signed: Buffer;
  /** 64 bytes. */
  readonly signature: Buffer;
}

/**
 * Signs rows together: one alone by its hash, several by the root of their tree.
 * @param hashes of the rows, 32 bytes each, `MAX_TREE_ROWS` at most
 * @returns the signature that each row stores, in the same order
 */
export function signTogether(hashes: readonly Buffer[], sign: (bytes: Uint8Array) => Buffer): Buffer[] {
  const [only] = hashes;
  if (only === undefined || hashes.length === 1) {
    return only === undefined ? [] : [sign(only)];
  }
  if (hashes.length > MAX_TREE_ROWS) {
    throw new Error(`${hashes.length} rows are too many for a tree`);
  }
  const leaves = hashes.map(leafHash);
  const paths = leaves.map((): Buffer[] => []);
  const root = growTree(leaves, 0, leaves.length, paths);
  const signature = sign(signedTree(hashes.length, root));
  return paths.map((path, index) => Buffer.concat([signature, Buffer.from([index, hashes.length]), ...path]));
}

/**
 * @param hash of the row
 * @param stored the row's stored signature
 * @returns undefined where no signature has this form
 */
export function readRowSignature(hash: Buffer, stored: Buffer): RowSignature | undefined {
  const signature = stored.subarray(0, SIGNATURE_LENGTH);
  if (stored.length <= SIGNATURE_LENGTH) {
    return stored.length === SIGNATURE_LENGTH ? { signed: hash, signature } : undefined;
  }
  const [index = 0, size = 0] = stored.subarray(SIGNATURE_LENGTH);
  const path = stored.subarray(SIGNATURE_LENGTH + PLACE_LENGTH);
  if (index >= size || size < 2) {
    return undefined;
  }
  const root = rootOf(leafHash(hash), index, size, path);
  return root && { signed: signedTree(size, root), signature };
}

/** With the size: leaves at the same height have the same path in trees of different sizes. */
function signedTree(size: number, root: Buffer): Buffer {
  return Buffer.concat([TREE_FORM, Buffer.of(size), root]);
}

/**
 * @param paths of all leaves, from below: what is missing of those from `from` to `end` is added
 * @returns the root of these leaves, at least one (RFC 9162 §2.1.1, §2.1.3.1)
 */
function growTree(leaves: readonly Buffer[], from: number, end: number, paths: readonly Buffer[][]): Buffer {
  const first = leaves[from];
  if (end - from === 1 && first !== undefined) {
    return first;
  }
  const middle = from + middleOf(end - from);
  const left = growTree(leaves, from, middle, paths);
  const right = growTree(leaves, middle, end, paths);
  for (let leaf = from; leaf < end; leaf += 1) {
    paths[leaf]?.push(leaf < middle ? right : left);
  }
  return nodeHash(left, right);
}

/** @returns the root that a path leads to (RFC 9162 §2.1.3.2); undefined where it is no path of this size */
function rootOf(leaf: Buffer, index: number, size: number, path: Buffer): Buffer | undefined {
  const siblings = siblingsOf(index, size);
  if (path.length !== siblings.length * HASH_LENGTH) {
    return undefined;
  }
  return siblings.reduce((node, side, place) => {
    const sibling = path.subarray(place * HASH_LENGTH, (place + 1) * HASH_LENGTH);
    return side === 'left' ? nodeHash(sibling, node) : nodeHash(node, sibling);
  }, leaf);
}

/** @returns the side of each sibling on the path of a leaf, from below; none for a tree of one leaf */
function siblingsOf(index: number, size: number): ('left' | 'right')[] {
  if (size < 2) {
    return [];
  }
  const middle = middleOf(size);
  return index < middle
    ? [...siblingsOf(index, middle), 'right']
    : [...siblingsOf(index - middle, size - middle), 'left'];
}

/** @returns the largest power of two below the number of leaves, where a tree is split (RFC 9162 §2.1.1) */
function middleOf(size: number): number {
  return 2 ** (Math.ceil(Math.log2(size)) - 1);
}

function leafHash(hash: Uint8Array): Buffer {
  return hashOnce('sha256', Buffer.concat([LEAF, hash]), 'buffer');
}

function nodeHash(left: Uint8Array, right: Uint8Array): Buffer {
  return hashOnce('sha256', Buffer.concat([NODE, left, right]), 'buffer');
}
