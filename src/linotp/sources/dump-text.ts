import type { LinotpSource, SourceValue } from '../linotp-source.ts';
import { decodeWindows1252 } from '../installation-reading.ts';

/**
 * SQL as it is read: bytes as characters of the same number (Latin-1), so that no encoding is assumed before a value is
 * complete. Every function gets a position and returns the one after what it has read, or undefined where the text ends
 * too early.
 */
interface Read<Value> {
  readonly value: Value;
  readonly end: number;
}

export interface DumpSyntax {
  readonly dialect: LinotpSource['dialect'];
  /** A backslash in a text is an escape. */
  readonly escapes: boolean;
  readonly encoding: 'utf-8' | 'windows-1252';
}

export interface DumpColumn {
  /** In lower case. */
  readonly name: string;
  readonly isBinary: boolean;
}

export class UnreadableDump extends Error {
  override readonly name = 'UnreadableDump';
}

/** Skips blanks, line ends and comments. @returns the comments; undefined if one has no end yet */
export function skipBlanks(text: string, start: number): Read<readonly string[]> | undefined {
  const comments: string[] = [];
  let at = start;
  for (;;) {
    const blank = /[\s;]*/y;
    blank.lastIndex = at;
    blank.exec(text);
    at = blank.lastIndex;
    const isLine = text.startsWith('--', at) || text.charAt(at) === '#' || text.charAt(at) === '\\';
    const isBlock = text.startsWith('/*', at);
    if (!isLine && !isBlock) {
      return { value: comments, end: at };
    }
    const end = text.indexOf(isLine ? '\n' : '*/', at + (isLine ? 0 : 2));
    if (end < 0) {
      return undefined;
    }
    comments.push(text.slice(at, end));
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
    return findClosing(text, start, mark, escapes && mark !== '`');
  }
  const closer = mark === '--' ? '\n' : mark === '/*' ? '*/' : mark;
  const end = text.indexOf(closer, start + mark.length);
  return end < 0 ? undefined : end + closer.length;
}

/** Quotation marks and backslashes. */
const ESCAPED: Readonly<Partial<Record<string, RegExp>>> = { "'": /['\\]/g, '"': /["\\]/g };

function nextOf(special: RegExp, text: string, start: number): number {
  special.lastIndex = start;
  return special.exec(text)?.index ?? -1;
}

/** @returns the position after the closing quotation mark; doubled ones belong to the text */
function findClosing(text: string, start: number, mark: string, escapes: boolean): number | undefined {
  const special = escapes ? ESCAPED[mark] : undefined;
  let at = start + 1;
  for (;;) {
    const end = special === undefined ? text.indexOf(mark, at) : nextOf(special, text, at);
    if (end < 0 || end + 1 >= text.length) {
      return undefined;
    }
    if (text.charAt(end) === mark && text.charAt(end + 1) !== mark) {
      return end + 1;
    }
    at = end + 2;
  }
}

const NAME = /\s*(?:"((?:[^"]|"")+)"|`((?:[^`]|``)+)`|([A-Za-z_][\w$]*))(?=[^\w$"`])/y;

/** Reads a name, also one with a schema in front, which is dropped. */
export function readName(text: string, start: number): Read<string> | undefined {
  for (let at = start; ;) {
    NAME.lastIndex = at;
    const match = NAME.exec(text);
    if (match === null) {
      return undefined;
    }
    const end = NAME.lastIndex;
    if (text.charAt(end) !== '.') {
      const name = (match[1] ?? match[2] ?? match[3] ?? '').replace(/(["`])\1/g, '$1');
      return { value: name, end };
    }
    at = end + 1;
  }
}

/** Reads a list of values in parentheses. @param columns those of the values */
export function readTuple(
  text: string,
  start: number,
  syntax: DumpSyntax,
  columns: readonly DumpColumn[],
): Read<SourceValue[]> | undefined {
  if (text.charAt(start) !== '(') {
    throw new UnreadableDump('a list of values is expected');
  }
  const values: SourceValue[] = [];
  let at = start + 1;
  for (;;) {
    const isBinary = columns[values.length]?.isBinary === true;
    const read = readValue(text, skipSpaces(text, at), syntax, isBinary);
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

export function skipSpaces(text: string, start: number): number {
  let at = start;
  while (/\s/.test(text.charAt(at))) {
    at += 1;
  }
  return at;
}

/** A literal: text, number, hexadecimal bytes, NULL, a boolean; with a cast of PostgreSQL behind it. */
const BARE =
  /(?:0x([0-9a-fA-F]*)|(-?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?)|(NULL|TRUE|FALSE)|(_\w+\s*|[EeXxBb]|replace\(|unistr\())(?=[^]|$)/iy;

function readValue(
  text: string,
  start: number,
  syntax: DumpSyntax,
  isBinary: boolean,
): Read<SourceValue> | undefined {
  if (text.charAt(start) === "'") {
    const read = readBytes(text, start, syntax.escapes);
    return read && { value: decodeAs(read.value, syntax, isBinary), end: read.end };
  }
  return readBare(text, start, syntax, isBinary);
}

function readBare(
  text: string,
  start: number,
  syntax: DumpSyntax,
  isBinary: boolean,
): Read<SourceValue> | undefined {
  BARE.lastIndex = start;
  const match = BARE.exec(text);
  const end = BARE.lastIndex;
  if (match === null || end >= text.length) {
    return text.length - start < 64 ? undefined : unexpected(text, start);
  }
  const [, hex, number, word, prefix] = match;
  if (prefix !== undefined) {
    return readPrefixed(text, prefix.trim().toLowerCase(), end, syntax, isBinary);
  }
  if (word !== undefined) {
    const value = word.toUpperCase() === 'NULL' ? null : word.toUpperCase() === 'TRUE';
    return { value, end };
  }
  return { value: number ?? Buffer.from(hex ?? '', 'hex'), end };
}

function readPrefixed(
  text: string,
  prefix: string,
  start: number,
  syntax: DumpSyntax,
  isBinary: boolean,
): Read<SourceValue> | undefined {
  if (prefix === 'replace(') {
    return readReplacement(text, start, syntax);
  }
  if (text.charAt(start) !== "'" && text.length > start + 2) {
    return unexpected(text, start);
  }
  if (prefix === 'unistr(') {
    return readUnicodeEscapes(text, start, syntax);
  }
  const read = readBytes(text, start, syntax.escapes || prefix === 'e');
  if (read === undefined) {
    return undefined;
  }
  if (prefix === 'x') {
    return { value: Buffer.from(read.value, 'hex'), end: read.end };
  }
  return { value: decodeAs(read.value, syntax, isBinary || prefix === '_binary'), end: read.end };
}

/** SQLite nests one for each kind of line end: two. */
const MAX_REPLACEMENTS = 1_000;

/** SQLite writes line ends as `replace('a\nb','\n',char(10))`. */
function readReplacement(text: string, start: number, syntax: DumpSyntax): Read<SourceValue> | undefined {
  const heads = /(?:replace\(){0,1000}/iy;
  heads.lastIndex = start;
  const [nested = ''] = heads.exec(text) ?? [];
  const calls = 1 + nested.length / 'replace('.length;
  if (calls > MAX_REPLACEMENTS) {
    throw new UnreadableDump('a text is replaced too often');
  }
  const inner = readValue(text, start + nested.length, syntax, false);
  if (inner === undefined) {
    return undefined;
  }
  let value = String(inner.value);
  let end = inner.end;
  for (let call = 0; call < calls; call += 1) {
    const rest = /\s*,\s*'([^']*)'\s*,\s*char\((\d+)\)\s*\)/y;
    rest.lastIndex = end;
    const match = rest.exec(text);
    if (match === null) {
      return text.length - end < 64 ? undefined : unexpected(text, end);
    }
    const [, from = '', code = ''] = match;
    value = value.replaceAll(from, String.fromCharCode(Number(code)));
    end = rest.lastIndex;
  }
  return { value, end };
}

/** SQLite writes control characters as `unistr('a\u000ab')` from version 3.50 on. */
function readUnicodeEscapes(text: string, start: number, syntax: DumpSyntax): Read<SourceValue> | undefined {
  const read = readBytes(text, start, syntax.escapes);
  const end = read && skipSpaces(text, read.end);
  if (read === undefined || end === undefined || end >= text.length) {
    return undefined;
  }
  if (text.charAt(end) !== ')') {
    return unexpected(text, end);
  }
  const value = String(decodeAs(read.value, syntax, false)).replace(
    /\\(?:\\|u?([0-9a-f]{4})|\+([0-9a-f]{6})|U([0-9a-f]{8}))/gi,
    (_, ...codes: (string | undefined)[]) => {
      const code = codes.slice(0, 3).find((one) => one !== undefined);
      return code === undefined ? '\\' : String.fromCodePoint(Number.parseInt(code, 16));
    },
  );
  return { value, end: end + 1 };
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
  const end = findClosing(text, start, "'", escapes);
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

/**
 * Decodes a value: as bytes, or as text; a text that is not UTF-8 is taken as Windows-1252, which old connections
 * wrote.
 * @param text bytes as characters of the same number
 */
function decodeAs(text: string, { dialect, encoding }: DumpSyntax, isBinary: boolean): SourceValue {
  const bytes = Buffer.from(text, 'latin1');
  if (isBinary) {
    return dialect === 'postgresql' ? readBytea(text) : bytes;
  }
  if (encoding === 'windows-1252') {
    return decodeWindows1252(bytes);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return decodeWindows1252(bytes);
  }
}

/** PostgreSQL writes bytes as `\x` and hexadecimal digits, or as text with octal numbers. */
function readBytea(text: string): Uint8Array {
  if (text.startsWith('\\x')) {
    return Buffer.from(text.slice(2), 'hex');
  }
  const plain = text.replace(/\\(?:\\|([0-7]{3}))/g, (_, code: string | undefined) =>
    code === undefined ? '\\' : String.fromCharCode(Number.parseInt(code, 8)),
  );
  return Buffer.from(plain, 'latin1');
}

export function unexpected(text: string, at: number): never {
  // Only the kind of the character: the text may be a secret.
  const kind = /\w/.test(text.charAt(at)) ? 'a word' : `'${text.charAt(at)}'`;
  throw new UnreadableDump(`${kind} is not expected in a list of values`);
}

/** The beginning of a statement that makes a table. */
export const CREATE_TABLE = /^CREATE\s+TABLE\s+(?:IF\s+NOT\s+EXISTS\s+)?/i;
const CONSTRAINT = /^(?:PRIMARY|UNIQUE|KEY|INDEX|CONSTRAINT|CHECK|FOREIGN|FULLTEXT|SPATIAL)\b/i;
/** bytea, BLOB and their kind. */
const BINARY = /^\s*(?:bytea|(?:tiny|medium|long)?blob|(?:var)?binary)\b/i;
/** Characters; an expression such as the next one has no room for its steps through more than some millions. */
const MAX_LENGTH = 1 << 20;
const QUOTED_TEXT = /'(?:[^'\\]|''|\\[^])*'/g;

/** @returns the name of the table that a statement makes, and its columns; undefined for one without columns */
export function readTable(
  statement: string,
): { readonly table: string; readonly columns: readonly DumpColumn[] } | undefined {
  if (statement.length > MAX_LENGTH) {
    throw new UnreadableDump('the description of a table is too long');
  }
  const head = CREATE_TABLE.exec(statement)?.[0].length ?? 0;
  const name = readName(statement, head);
  const open = statement.indexOf('(', name?.end ?? statement.length);
  if (name === undefined || open < 0) {
    return undefined;
  }
  // A default or a comment may have commas and parentheses.
  const body = statement.slice(open + 1, statement.lastIndexOf(')')).replace(QUOTED_TEXT, "''");
  const columns = topLevelParts(body)
    .filter((part) => !CONSTRAINT.test(part))
    .flatMap((part) => readColumn(`${part} `));
  return { table: name.value, columns };
}

function readColumn(definition: string): readonly DumpColumn[] {
  const name = readName(definition, 0);
  return name === undefined
    ? []
    : [{ name: name.value.toLowerCase(), isBinary: BINARY.test(definition.slice(name.end)) }];
}

/** Reads a comma list of names. @param known the columns of the table */
export function readColumns(list: string, known: readonly DumpColumn[]): readonly DumpColumn[] {
  return list
    .split(',')
    .flatMap((part) => readColumn(`${part.trim()} `))
    .map(({ name }) => known.find((column) => column.name === name) ?? { name, isBinary: false });
}

/** Splits at commas outside of parentheses. */
function topLevelParts(text: string): readonly string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at <= text.length; at += 1) {
    const character = text.charAt(at);
    depth += character === '(' ? 1 : character === ')' ? -1 : 0;
    if (at === text.length || (character === ',' && depth === 0)) {
      parts.push(text.slice(start, at).trim());
      start = at + 1;
    }
  }
  return parts.filter((part) => part !== '');
}

const COPY_ESCAPES: Readonly<Partial<Record<string, string>>> = {
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

/**
 * Reads a row of PostgreSQL's COPY in its text format.
 * @param line bytes as characters of the same number, without the line end
 */
export function readCopiedRow(
  line: string,
  syntax: DumpSyntax,
  columns: readonly DumpColumn[],
): readonly SourceValue[] {
  return line
    .split('\t')
    .map((text, index) => readCopiedValue(text, syntax, columns[index]?.isBinary === true));
}

function readCopiedValue(text: string, syntax: DumpSyntax, isBinary: boolean): SourceValue {
  if (text === '\\N') {
    return null;
  }
  const plain = text.replace(/\\(x[0-9a-fA-F]{1,2}|[0-7]{1,3}|[^])/g, (_, escaped: string) => {
    if (/^x./.test(escaped)) {
      return String.fromCharCode(Number.parseInt(escaped.slice(1), 16));
    }
    return /^[0-7]/.test(escaped)
      ? String.fromCharCode(Number.parseInt(escaped, 8))
      : (COPY_ESCAPES[escaped] ?? escaped);
  });
  return decodeAs(plain, syntax, isBinary);
}
