/** A table of a Python 2 dict is at most two thirds full; then it grows to the power of two beyond four times its keys. */
const SMALLEST_TABLE = 8;
const PERTURB_SHIFT = 5n;
const MULTIPLIER = 1_000_003n;

/**
 * LinOTP 2 ran on Python 2, whose dicts have an order that follows from the hashes of their keys, and clients may have
 * come to compare its answers as text. This puts keys into that order: CPython 2.7 with 64 bits, without hash
 * randomisation, keys inserted in the order given.
 * @returns the object with its keys in that order; keys that are array indices come first, as in any object
 */
export function inPython2Order<Value>(entries: Iterable<readonly [string, Value]>): Record<string, Value> {
  const values = new Map(entries);
  return Object.fromEntries(
    python2Order([...values.keys()]).map((key) => [key, values.get(key)] as [string, Value]),
  );
}

function python2Order(keys: readonly string[]): readonly string[] {
  let table = emptyTable(SMALLEST_TABLE);
  keys.forEach((key, index) => {
    insert(table, key);
    const used = index + 1;
    if (used * 3 >= table.length * 2) {
      table = resized(table, used);
    }
  });
  return occupied(table);
}

type Table = (string | undefined)[];

function emptyTable(size: number): Table {
  return new Array<string | undefined>(size).fill(undefined);
}

function occupied(table: Table): readonly string[] {
  return table.filter((key) => key !== undefined);
}

function resized(table: Table, used: number): Table {
  let size = SMALLEST_TABLE;
  while (size <= used * 4) {
    size *= 2;
  }
  const larger = emptyTable(size);
  for (const key of occupied(table)) {
    insert(larger, key);
  }
  return larger;
}

function insert(table: Table, key: string): void {
  const size = BigInt(table.length);
  let perturb = python2Hash(key);
  let slot = perturb % size;
  while (table[Number(slot)] !== undefined) {
    slot = (slot * 5n + perturb + 1n) % size;
    perturb >>= PERTURB_SHIFT;
  }
  table[Number(slot)] = key;
}

/** @returns the hash of a text, as an unsigned number of 64 bits */
function python2Hash(text: string): bigint {
  const points = Array.from(text, (character) => BigInt(character.codePointAt(0) ?? 0));
  const start = (points[0] ?? 0n) << 7n;
  const mixed = points.reduce((hash, point) => BigInt.asUintN(64, MULTIPLIER * hash) ^ point, start);
  const hash = BigInt.asUintN(64, mixed ^ BigInt(points.length));
  // -1 stands for an error in CPython.
  return hash === 2n ** 64n - 1n ? 2n ** 64n - 2n : hash;
}
