import { hash as hashOnce } from 'node:crypto';

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

/** The most rows of a tree. */
export const MAX_TREE_ROWS = 255;

/** A row's signature in its parts. */
export interface RowSignature {
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
