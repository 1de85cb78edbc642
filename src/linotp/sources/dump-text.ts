import type { SourceValue } from '../source-row.ts';
import { decodeWindows1252 } from '../text-repair.ts';

/**
 * SQL as it is read: bytes as characters of the same number (Latin-1), so that no encoding is assumed before a value is
 * complete. Every function gets a position and returns the one after what it has read, or undefined where the text ends
 * too early.
 */
export interface Read<Value> {
  readonly value: Value;
  readonly end: number;
}

/** A dump that is not understood. */
export class UnreadableDump extends Error {
  override readonly name = 'UnreadableDump';
}

/** Skips blanks, line ends and comments. @returns undefined if a comment has no end yet */
export function skipBlanks(text: string, start: number): number | undefined {
  let at = start;
  for (;;) {
    const blank = /[\s;]*/y;
    blank.lastIndex = at;
    blank.exec(text);
    at = blank.lastIndex;
    const isLine = text.startsWith('--', at) || text.charAt(at) === '#' || text.charAt(at) === '\\';
    const isBlock = text.startsWith('/*', at);
    if (!isLine && !isBlock) {
      return at;
    }
    const end = text.indexOf(isLine ? '\n' : '*/', at + (isLine ? 0 : 2));
    if (end < 0) {
      return undefined;
    }
    at = end + (isLine ? 1 : 2);
  }
}

/** Finds the end of a statement: the position after its semicolon, outside of quotation marks. */
export function skipStatement(text: string, start: number, escapes: boolean): number | undefined {
  const special = /['"`;]|\$(?:[A-Za-z_]\w*)?\$|--|\/\*/g;
  let at = start;
  for (;;) {
    special.lastIndex = at;
    const found = special.exec(text);
    if (found === null) {
      return undefined;
    }
    if (found[0] === ';') {
      return found.index + 1;
    }
    const next = skipQuoted(text, found[0], found.index, escapes);
    if (next === undefined) {
      return undefined;
    }
    at = next;
  }
}

function skipQuoted(text: string, mark: string, start: number, escapes: boolean): number | undefined {
  if (mark === "'" || mark === '"' || mark === '`') {
    return closing(text, start, mark, escapes && mark !== '`');
  }
  const closer = mark === '--' ? '\n' : mark === '/*' ? '*/' : mark;
  const end = text.indexOf(closer, start + mark.length);
  return end < 0 ? undefined : end + closer.length;
}

/** @returns the position after the closing quotation mark; doubled ones belong to the text */
function closing(text: string, start: number, mark: string, escapes: boolean): number | undefined {
  let at = start + 1;
  for (;;) {
    const end = text.indexOf(mark, at);
    const escape = escapes ? text.indexOf('\\', at) : -1;
    if (escape >= 0 && (end < 0 || escape < end)) {
      at = escape + 2;
    } else if (end < 0 || end + 1 >= text.length) {
      return undefined;
    } else if (text.charAt(end + 1) === mark) {
      at = end + 2;
    } else {
      return end + 1;
    }
  }
}

const NAME = /\s*(?:"((?:[^"]|"")+)"|`((?:[^`]|``)+)`|([A-Za-z_][\w$]*))(?=[^\w$"`])/y;

/** Reads a name, also one with a schema in front, which is dropped. */
export function readName(text: string, start: number): Read<string> | undefined {
  NAME.lastIndex = start;
  const match = NAME.exec(text);
  if (match === null) {
    return undefined;
  }
  const end = NAME.lastIndex;
  const name = (match[1] ?? match[2] ?? match[3] ?? '').replace(/(["`])\1/g, '$1');
  return text.charAt(end) === '.' ? readName(text, end + 1) : { value: name, end };
}

/** Reads a list of values in parentheses. */
export function readTuple(text: string, start: number, escapes: boolean): Read<SourceValue[]> | undefined {
  if (text.charAt(start) !== '(') {
    throw new UnreadableDump(`a list of values is expected at byte ${start} of the statement`);
  }
  const values: SourceValue[] = [];
  let at = start + 1;
  for (;;) {
    const read = readValue(text, skipSpaces(text, at), escapes);
    if (read === undefined) {
      return undefined;
    }
    values.push(read.value);
    const end = skipSpaces(text, read.end);
    const separator = text.charAt(end);
    if (separator === ')') {
      return { value: values, end: end + 1 };
    }
    if (separator !== ',') {
      return separator === '' ? undefined : unexpected(text, end);
    }
    at = end + 1;
  }
}

function skipSpaces(text: string, start: number): number {
  let at = start;
  while (/\s/.test(text.charAt(at))) {
    at += 1;
  }
  return at;
}

/** A literal: text, number, hexadecimal bytes, NULL, a boolean; with a cast of PostgreSQL behind it. */
const BARE =
  /(?:0x([0-9a-fA-F]*)|(-?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?)|(NULL|TRUE|FALSE)|(_\w+\s*|[EeXxBb]|replace\())(?=[^]|$)/iy;

function readValue(text: string, start: number, escapes: boolean): Read<SourceValue> | undefined {
  if (text.charAt(start) === "'") {
    return readText(text, start, escapes);
  }
  BARE.lastIndex = start;
  const match = BARE.exec(text);
  const end = BARE.lastIndex;
  if (match === null || end >= text.length) {
    return text.length - start < 64 ? undefined : unexpected(text, start);
  }
  const [, hex, number, word, prefix] = match;
  if (hex !== undefined) {
    return { value: Buffer.from(hex, 'hex'), end };
  }
  if (number !== undefined) {
    return { value: number, end };
  }
  if (word !== undefined) {
    const value = word.toUpperCase() === 'NULL' ? null : word.toUpperCase() === 'TRUE';
    return { value, end };
  }
  return readPrefixed(text, (prefix ?? '').trim().toLowerCase(), end, escapes);
}

function readPrefixed(
  text: string,
  prefix: string,
  start: number,
  escapes: boolean,
): Read<SourceValue> | undefined {
  if (prefix === 'replace(') {
    return readReplacement(text, start);
  }
  if (text.charAt(start) !== "'" && text.length > start + 2) {
    return unexpected(text, start);
  }
  const read = readBytes(text, start, escapes || prefix === 'e');
  if (read === undefined) {
    return undefined;
  }
  if (prefix === 'x') {
    return { value: Buffer.from(read.value, 'hex'), end: read.end };
  }
  const isBinary = prefix === '_binary';
  const bytes = Buffer.from(read.value, 'latin1');
  return { value: isBinary ? bytes : decode(bytes), end: read.end };
}

/** SQLite writes line ends as `replace('a\nb','\n',char(10))`. */
function readReplacement(text: string, start: number): Read<SourceValue> | undefined {
  const inner = readValue(text, start, false);
  if (inner === undefined) {
    return undefined;
  }
  const rest = /\s*,\s*'([^']*)'\s*,\s*char\((\d+)\)\s*\)/y;
  rest.lastIndex = inner.end;
  const match = rest.exec(text);
  if (match === null) {
    return text.length - inner.end < 64 ? undefined : unexpected(text, inner.end);
  }
  const [, from = '', code = ''] = match;
  const value = String(inner.value).replaceAll(from, String.fromCharCode(Number(code)));
  return { value, end: rest.lastIndex };
}

function readText(text: string, start: number, escapes: boolean): Read<SourceValue> | undefined {
  const read = readBytes(text, start, escapes);
  return read && { value: decode(Buffer.from(read.value, 'latin1')), end: read.end };
}

const ESCAPES: Readonly<Partial<Record<string, string>>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  b: '\b',
  f: '\f',
  v: '\v',
  '0': '\0',
  Z: '\x1a',
};

function readBytes(text: string, start: number, escapes: boolean): Read<string> | undefined {
  const end = closing(text, start, "'", escapes);
  if (end === undefined) {
    return undefined;
  }
  const inside = text.slice(start + 1, end - 1);
  const value = escapes
    ? inside.replace(/''|\\([^])/g, (_, escaped: string | undefined) =>
        escaped === undefined ? "'" : (ESCAPES[escaped] ?? escaped),
      )
    : inside.replaceAll("''", "'");
  return { value, end };
}

/** @returns the text of bytes in UTF-8; else of Windows-1252, which a dump over a latin1 connection has */
export function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return decodeWindows1252(bytes);
  }
}

function unexpected(text: string, at: number): never {
  // Only the kind of the character: the text may be a secret.
  const kind = /\w/.test(text.charAt(at)) ? 'a word' : `'${text.charAt(at)}'`;
  throw new UnreadableDump(`${kind} is not expected in a list of values`);
}
