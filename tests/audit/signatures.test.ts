import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';

import {
  MAX_TREE_ROWS,
  readRowSignature,
  signTogether,
  newSigningKey,
  SignatureVerifier,
} from '../../src/audit/signatures.ts';

const RUNS = 300;

const sha256 = (...parts: readonly Uint8Array[]): Buffer =>
  createHash('sha256').update(Buffer.concat(parts)).digest();
const hashesOf = (size: number): readonly Buffer[] =>
  Array.from({ length: size }, (_, index) => sha256(Buffer.from(`row ${index}`)));

/** RFC 9162 §2.1.1, written down once more. */
const leaf = (hash: Uint8Array): Buffer => sha256(Buffer.of(0), hash);
const node = (left: Uint8Array, right: Uint8Array): Buffer => sha256(Buffer.of(1), left, right);
const signedOf = (size: number, root: Uint8Array): Buffer =>
  Buffer.concat([Buffer.from('tankeeper audit tree 1', 'ascii'), Buffer.of(size), root]);

/** Bytes that a "signature" returns: what was signed is its own text, so that tests see it. */
function signing(): { readonly signed: Buffer[]; readonly sign: (bytes: Uint8Array) => Buffer } {
  const signed: Buffer[] = [];
  return {
    signed,
    sign: (bytes) => {
      signed.push(Buffer.from(bytes));
      return Buffer.alloc(64, 5);
    },
  };
}

/** @returns the stored signatures, and the bytes that were signed */
function stored(size: number): { readonly all: readonly Buffer[]; readonly signed: Buffer } {
  const { sign, signed } = signing();
  const all = signTogether(hashesOf(size), sign);
  expect(signed).toHaveLength(1);
  return { all, signed: signed[0] ?? Buffer.alloc(0) };
}

function at<Item>(items: readonly Item[], index: number): Item {
  const item = items[index];
  if (item === undefined) {
    throw new Error(`there is no item ${index}`);
  }
  return item;
}

describe('rows that are signed together', () => {
  it.each([...Array.from({ length: 70 }, (_, index) => index + 1), 128, 129, 254, MAX_TREE_ROWS])(
    'each lead to the signed bytes, in a tree of %d',
    (size) => {
      const { all, signed } = stored(size);
      const found = hashesOf(size).map((hash, index) => readRowSignature(hash, at(all, index))?.signed);
      expect(found).toEqual(all.map(() => signed));
    },
  );

  it('lead to the root of RFC 9162 for a few rows', () => {
    const leaves = hashesOf(7).map(leaf);
    const [a, b, c, d, e, f, g] = leaves as [Buffer, Buffer, Buffer, Buffer, Buffer, Buffer, Buffer];
    const roots: Readonly<Record<number, Buffer>> = {
      2: node(a, b),
      3: node(node(a, b), c),
      4: node(node(a, b), node(c, d)),
      5: node(node(node(a, b), node(c, d)), e),
      6: node(node(node(a, b), node(c, d)), node(e, f)),
      7: node(node(node(a, b), node(c, d)), node(node(e, f), g)),
    };
    for (const [size, root] of Object.entries(roots)) {
      expect(stored(Number(size)).signed).toEqual(signedOf(Number(size), root));
    }
  });

  it('have their places, and their paths from below, in what they store', () => {
    const [a, b, c] = hashesOf(3).map(leaf) as [Buffer, Buffer, Buffer];
    const signature = Buffer.alloc(64, 5);
    expect(stored(3).all).toEqual([
      Buffer.concat([signature, Buffer.of(0, 3), b, c]),
      Buffer.concat([signature, Buffer.of(1, 3), a, c]),
      Buffer.concat([signature, Buffer.of(2, 3), node(a, b)]),
    ]);
  });

  it('are signed by their hash where there is one, and not at all where there is none', () => {
    expect(stored(1).signed).toEqual(hashesOf(1)[0]);
    const { sign, signed } = signing();
    expect(signTogether([], sign)).toEqual([]);
    expect(signed).toEqual([]);
  });

  it('are 255 at most', () => {
    expect(() => signTogether(hashesOf(MAX_TREE_ROWS + 1), signing().sign)).toThrow('too many');
  });
});

describe('a stored signature does not verify', () => {
  const key = newSigningKey();
  const verifier = new SignatureVerifier(key.publicKey);
  const sizes = fc.integer({ min: 2, max: 40 });
  const leafOf = sizes.chain((size) => fc.tuple(fc.constant(size), fc.nat({ max: size - 1 })));
  const signedBy = (size: number): readonly Buffer[] =>
    signTogether(hashesOf(size), (bytes) => key.sign(bytes));

  async function verifies(hash: Buffer, signature: Buffer): Promise<boolean> {
    const read = readRowSignature(hash, signature);
    return read !== undefined && verifier.verify(read.signed, read.signature);
  }

  async function expectNever<Given>(
    arbitrary: fc.Arbitrary<Given>,
    forged: (given: Given) => readonly [Buffer, Buffer],
  ): Promise<void> {
    await fc.assert(
      fc.asyncProperty(arbitrary, async (given) => {
        expect(await verifies(...forged(given))).toBe(false);
      }),
      { numRuns: RUNS },
    );
  }

  it('unless it is left as it is', async () => {
    for (const size of [1, 2, 3, 40, 255]) {
      const all = signedBy(size);
      const results = await Promise.all(hashesOf(size).map((hash, index) => verifies(hash, at(all, index))));
      expect(results).toEqual(all.map(() => true));
    }
  });

  it('with any bit changed, of the hash or of the signature', async () => {
    await expectNever(fc.tuple(leafOf, fc.nat(), fc.nat({ max: 7 })), ([[size, index], place, bit]) => {
      const all = Buffer.concat([at(hashesOf(size), index), at(signedBy(size), index)]);
      const where = place % all.length;
      all.writeUInt8(all.readUInt8(where) ^ (1 << bit), where);
      return [all.subarray(0, 32), all.subarray(32)];
    });
  });

  it('with another index or size', async () => {
    for (const size of [2, 3, 4, 5, 9]) {
      for (const [index, signature] of signedBy(size).entries()) {
        for (let other = 0; other < 256; other += 1) {
          const moved = Buffer.from(signature);
          const resized = Buffer.from(signature);
          moved.writeUInt8(other, 64);
          resized.writeUInt8(other, 65);
          const hash = at(hashesOf(size), index);
          expect(await verifies(hash, moved)).toBe(other === index);
          expect(await verifies(hash, resized)).toBe(other === size);
        }
      }
    }
  });

  it('with a path that is cut or longer', async () => {
    await expectNever(fc.tuple(leafOf, fc.integer({ min: 1, max: 200 })), ([[size, index], cut]) => {
      const signature = at(signedBy(size), index);
      return [at(hashesOf(size), index), signature.subarray(0, Math.max(0, signature.length - cut))];
    });
    await expectNever(
      fc.tuple(leafOf, fc.uint8Array({ minLength: 1, maxLength: 64 })),
      ([[size, index], more]) => [
        at(hashesOf(size), index),
        Buffer.concat([at(signedBy(size), index), more]),
      ],
    );
  });

  it('with the path of another row', async () => {
    const two = leafOf.chain(([size, index]) =>
      fc.tuple(fc.constant([size, index] as const), fc.integer({ min: 1, max: size - 1 })),
    );
    await expectNever(two, ([[size, index], steps]) => [
      at(hashesOf(size), index),
      at(signedBy(size), (index + steps) % size),
    ]);
  });

  it('for a node, the root or a leaf of the tree in place of a row', async () => {
    const [a, b, c, d] = hashesOf(4).map(leaf) as [Buffer, Buffer, Buffer, Buffer];
    const [signature] = signedBy(4) as [Buffer];
    const bare = signature.subarray(0, 64);
    const root = node(node(a, b), node(c, d));
    const forged = [
      [root, bare],
      [node(a, b), Buffer.concat([bare, Buffer.of(0, 2), node(c, d)])],
      [node(a, b), Buffer.concat([bare, Buffer.of(0, 4), c, d])],
      [a, signature],
      [root, Buffer.concat([bare, Buffer.of(0, 1)])],
      [sha256(signedOf(4, root)), bare],
    ] as const;
    expect(await Promise.all(forged.map(([hash, stolen]) => verifies(hash, stolen)))).toEqual(
      forged.map(() => false),
    );
  });

  it.each([0, 1, 63, 65, 66, 97])('of %d bytes', (length) => {
    expect(readRowSignature(at(hashesOf(1), 0), Buffer.alloc(length))).toBeUndefined();
  });
});
