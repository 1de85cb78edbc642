/*
 * LinOTP's answers contain texts as Python prints them, in Python 2 Unicode texts with a leading `u`; and objects in the
 * order of its dicts.
 */

const NAMED: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** @returns a time as Python prints it, in UTC with microseconds: `2026-11-20 10:55:08.853000` */
export function pythonTime(at: Date): string {
  return at.toISOString().replace('T', ' ').replace('Z', '000');
}

/** @returns the `repr` of Python 2 of a Unicode text: `u'\xe4'` */
export function unicodeRepr(text: string): string {
  return `u${plainRepr(text)}`;
}

/** @returns the `repr` of Python 2 of a text, without the `u` */
export function plainRepr(text: string): string {
  return repr(text, (character) => character >= ' ' && character < '\x7f');
}

/** Single quotes, or double ones around a text with single quotes alone; backslashes and what is not plain are escaped. */
function repr(text: string, isPlain: (character: string) => boolean): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  const escaped = Array.from(text, (character) => {
    const named = character === quote ? `\\${quote}` : NAMED[character];
    return named ?? (isPlain(character) ? character : numericEscape(character.codePointAt(0) ?? 0));
  });
  return `${quote}${escaped.join('')}${quote}`;
}

function numericEscape(code: number): string {
  const digits = code.toString(16);
  if (code <= 0xff) {
    return `\\x${digits.padStart(2, '0')}`;
  }
  return code <= 0xffff ? `\\u${digits.padStart(4, '0')}` : `\\U${digits.padStart(8, '0')}`;
}

/** @returns the `repr` of Python 2 of a text that is Unicode only where it is not ASCII */
export function looseRepr(text: string): string {
  return /^[\0-\x7f]*$/.test(text) ? plainRepr(text) : unicodeRepr(text);
}

/** @returns the message of Python 2 for a text that is not ASCII; undefined where it is */
export function asciiRefusal(text: string): string | undefined {
  const characters = Array.from(text);
  const first = characters.findIndex((character) => character > '\x7f');
  if (first === -1) {
    return undefined;
  }
  const length = characters.slice(first).findIndex((character) => character <= '\x7f');
  const last = length === -1 ? characters.length - 1 : first + length - 1;
  const what =
    first === last
      ? `character ${unicodeRepr(characters[first] ?? '')} in position ${first}`
      : `characters in position ${first}-${last}`;
  return `'ascii' codec can't encode ${what}: ordinal not in range(128)`;
}

/** The slots of an empty dict. A table two thirds full grows to the power of two beyond four times its keys. */
const MIN_TABLE_SLOTS = 8;
const GROWTH = 4;
/** The growth of a copied dict: a table beyond twice its keys at once, where the smallest table is too small. */
const GROWTH_OF_COPY = 2;
const PERTURB_SHIFT = 5n;
const MULTIPLIER = 1_000_003n;

/**
 * Puts keys into the order of a Python 2 dict, which follows from the hashes of the keys; clients may compare answers
 * of LinOTP 2 as text. The order is that of CPython 2.7 with 64 bits, without hash randomisation, with keys inserted in
 * the given order.
 * @returns the object with its keys in that order; keys that are array indices come first, as in any object
 */
export function inPython2Order<Value>(entries: Iterable<readonly [string, Value]>): Record<string, Value> {
  return inOrderOf(entries, filledTable);
}

/** @returns the same for a dict that was filled and then copied: a copy has another size, and so another order */
export function inPython2OrderOfCopy<Value>(
  entries: Iterable<readonly [string, Value]>,
): Record<string, Value> {
  return inOrderOf(entries, (keys) => copyTable(filledTable(keys)));
}

/** @returns the keys in their order in a large dict that also holds others, ignoring collisions with those */
export function inPython2OrderOfTable(keys: readonly string[], size: number): readonly string[] {
  return keysOf(tableOf(keys, size));
}

function inOrderOf<Value>(
  entries: Iterable<readonly [string, Value]>,
  tableFor: (keys: readonly string[]) => Table,
): Record<string, Value> {
  const values = new Map(entries);
  return Object.fromEntries(
    keysOf(tableFor([...values.keys()])).map((key) => [key, values.get(key)] as [string, Value]),
  );
}

type Table = (string | undefined)[];

function filledTable(keys: readonly string[]): Table {
  let table = tableOf([], MIN_TABLE_SLOTS);
  keys.forEach((key, index) => {
    insert(table, key);
    const used = index + 1;
    if (isTooFull(table, used)) {
      table = tableOf(keysOf(table), sizeBeyond(used * GROWTH));
    }
  });
  return table;
}

function copyTable(table: Table): Table {
  const keys = keysOf(table);
  const isSmall = !isTooFull(tableOf([], MIN_TABLE_SLOTS), keys.length);
  return tableOf(keys, isSmall ? MIN_TABLE_SLOTS : sizeBeyond(keys.length * GROWTH_OF_COPY));
}

function isTooFull(table: Table, used: number): boolean {
  return used * 3 >= table.length * 2;
}

function sizeBeyond(keys: number): number {
  let size = MIN_TABLE_SLOTS;
  while (size <= keys) {
    size *= 2;
  }
  return size;
}

function tableOf(keys: readonly string[], size: number): Table {
  const table = new Array<string | undefined>(size).fill(undefined);
  for (const key of keys) {
    insert(table, key);
  }
  return table;
}

function keysOf(table: Table): readonly string[] {
  return table.filter((key) => key !== undefined);
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
  // CPython reserves -1 for errors.
  return hash === 2n ** 64n - 1n ? 2n ** 64n - 2n : hash;
}

const UNPRINTABLE = /[\p{C}\p{Z}]/u;

/**
 * Quotes a name as `repr` of Python 3 does, which the messages of LinOTP 3 and of the published interface contain.
 * @returns `'mydefrealm'`, `"o'realm"`, `'a\nb'`
 */
export function quotedName(name: string): string {
  return repr(name, (character) => character === ' ' || !UNPRINTABLE.test(character));
}
