import { ServiceError } from './errors.ts';

/** Letters and marks that show nothing, or look like `!`, `:`, `/`, `.`, `,` or `;`. Symbols have a list of their own. */
const DECEPTIVE =
  /[\p{Default_Ignorable_Code_Point}\u01C3\u02D0\u2D51\u3033\uA4F8-\uA4FD\u{13441}\u{13442}]|\u2D7F|\u{1107F}|\u{13440}|\u{16FE4}|\u{1BC9D}/u;
/** Marks that strike through the letter before them, or enclose it. */
const COVERING = /[\p{Me}\u0334-\u0338\u20D0-\u20F0]/u;
/** Letters, digits, marks, and the signs within names such as O’Brien, Col·lell, マリア・ルイサ and צ׳רלי. */
const WRITTEN = /^[\p{L}\p{N}\p{M}\u2019\u00B7\u30FB\u05F3]+$/u;
const ASCII = /^[\x20-\x7e]$/;
const BLANKS_AT_ENDS = /^[ \t\r\n]+|(?<![ \t\r\n])[ \t\r\n]+$/g;
/** Characters of a text from which on it is no name: the time that composing takes grows with the square of the length. */
const NO_NAME = 512;

/**
 * Reads the name of something new. Each character is of ASCII, or a letter, digit or mark that can be seen and also
 * stands for such alone (a full-width `＠` stands for an `@`), or a sign within a word. Letters that look alike, or like a
 * sign, are not told apart but for a few.
 * @returns the name as it is kept: without blanks at its ends, composed (NFC); empty: no name
 */
export function plainName(text: string): string {
  const name = text.length > NO_NAME ? '' : composed(text.replace(BLANKS_AT_ENDS, ''));
  return Array.from(name).every(isPlain) && !/^\p{M}/u.test(name) ? name : '';
}

/**
 * @returns the form of a name in which names are compared (NFC): it may be typed in pieces, `e` and the mark apart; a
 *   text too long for a name as it is
 */
export function composed(name: string): string {
  return name.length > NO_NAME ? name : name.normalize('NFC');
}

/** @returns the forms in which a source may hold a name, that name first */
export function formsOf(name: string): readonly string[] {
  return name.length > NO_NAME ? [name] : [...new Set([name, composed(name), name.normalize('NFD')])];
}

function isPlain(character: string): boolean {
  const isHidden = DECEPTIVE.test(character) || COVERING.test(character);
  return ASCII.test(character) || (!isHidden && WRITTEN.test(character.normalize('NFKC')));
}

/** @returns the entries of a comma list, trimmed, without empty ones */
export function splitList(text: string): readonly string[] {
  return text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}

/**
 * @param what names the text in the message
 * @returns the text, trimmed
 * @throws ServiceError 'parameter.invalid' if it is longer than `max` or holds control characters
 */
export function readPlainText(text: string, what: string, max: number): string {
  const plain = text.trim();
  if (plain.length > max || /\p{Cc}|\p{Cs}/u.test(plain)) {
    throw new ServiceError(
      'parameter.invalid',
      `The ${what} has at most ${max} characters, none of them a control character`,
    );
  }
  return plain;
}

/**
 * @returns the text
 * @throws ServiceError 'parameter.invalid' with the message if it does not match `form`
 */
export function requireForm(text: string, form: RegExp, message: string): string {
  if (!form.test(text)) {
    throw new ServiceError('parameter.invalid', message);
  }
  return text;
}

/** NUL, which PostgreSQL's text cannot hold, and halves of surrogate pairs, which UTF-8 cannot. */
const UNSTORABLE = /\0|\p{Surrogate}/u;

/** @returns true if the database can hold all of these texts; no stored text equals one that it cannot hold */
export function isStorable(...texts: readonly (string | undefined)[]): boolean {
  for (const text of texts) {
    if (text !== undefined && UNSTORABLE.test(text)) {
      return false;
    }
  }
  return true;
}

/** @returns the text, with U+FFFD in place of characters that the database cannot hold */
export function storableForm(text: string): string {
  return UNSTORABLE.test(text) ? text.replace(new RegExp(UNSTORABLE, 'gu'), '\u{FFFD}') : text;
}

/**
 * Control characters (C0, DEL, C1), line and paragraph separators, and the marks of writing direction: all characters
 * that could move the cursor, colour the screen or disguise a line as another one.
 */
// eslint-disable-next-line no-control-regex -- control characters are what this is about
const UNSAFE = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu;

/**
 * Makes foreign text (logins, descriptions, answers of servers) harmless for a terminal.
 * @returns the text on one line, each unsafe character as its escape, `\u001b` for instance
 */
export function safeText(text: string): string {
  return text.replace(UNSAFE, escapeCharacter);
}

/** Escapes as `safeText` does, but keeps line feeds. */
export function safeLines(text: string): string {
  return text.split('\n').map(safeText).join('\n');
}

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** Names in a clause; more are counted. */
const MAX_NAMES = 5;

/** @returns `a, b and c`; of many, the first ones and the number of the others */
export function listNames(names: readonly string[]): string {
  const shown = names.length > MAX_NAMES ? names.slice(0, MAX_NAMES - 1) : names;
  const others = names.length - shown.length;
  const items = others > 0 ? [...shown, `${others} others`] : shown;
  return items.length < 2 ? items.join('') : `${items.slice(0, -1).join(', ')} and ${items.at(-1) ?? ''}`;
}

const PASSWORD_PARAMETER = /^(?:ssl)?(?:pass|passwd|password|pwd)$/i;

/** @returns true if a URL holds a password, or text in which one may be hidden: it is no valid URL, or has an @ behind */
export function mayHoldPassword(url: string): boolean {
  const rest = /^[a-z][a-z0-9+.-]*:\/\/(.*)$/is.exec(url)?.[1] ?? '';
  const parameters = new URLSearchParams(/\?(.*)$/s.exec(rest)?.[1] ?? '');
  return (
    /:.*@/s.test(rest.replace(/^[^:@]*:@/, '')) ||
    [...parameters].some(([name, value]) => PASSWORD_PARAMETER.test(name) && value !== '')
  );
}

/** Hides the password in a URL. In a text that is no URL, hides all after a colon that introduces no port. */
export function maskPassword(url: string): string {
  const masked = url
    .replace(/^([a-z]+:\/\/.*?|(?![a-z]+:\/\/).*?):.*@/is, '$1:****@')
    .replace(/([?&]password=)[^&]*/gi, '$1****');
  return masked.includes('@') || URL.canParse(url)
    ? masked
    : masked.replace(/:(?!\/\/)(?!\d{1,5}(?:[/?]|$)).*/s, ':****');
}

/** @returns the value; undefined where the text is no JSON */
export function parseJsonOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** @returns the object; undefined where the text is no JSON object */
export function parseJsonObject(text: string): Readonly<Record<string, unknown>> | undefined {
  const value = parseJsonOrUndefined(text);
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : undefined;
}

/** @throws ServiceError 'parameter.invalid' when one of the texts cannot be stored as it is */
export function assertStorable(...texts: readonly (string | null | undefined)[]): void {
  if (!isStorable(...texts.map((text) => text ?? undefined))) {
    throw new ServiceError('parameter.invalid', 'A text holds a NUL character or half of a surrogate pair');
  }
}

const ROW_ID = /^[1-9]\d{0,17}$/;

/**
 * @returns true if the text can be the id of a row; any other text would make the query fail instead of finding no row
 */
export function isRowId(text: string): boolean {
  return ROW_ID.test(text);
}

/** What a spreadsheet may take for a formula, also after spaces and quotation marks and with full-width letters. */
const FORMULA = /(^|[,;|])(?=["'\s]*[=+\-@\uff1d\uff0b\uff0d\uff20])/gu;

/**
 * A line of RFC 4180. A possible formula gets an apostrophe in front, also within a cell: a spreadsheet that divides at
 * another separator begins a cell there. A cell with a separator is quoted; control characters are escaped.
 */
export function csvLine(values: readonly string[], separator: ',' | ';' = ','): string {
  const cells = values.map((value) => {
    const safe = safeText(value).replaceAll(FORMULA, "$1'");
    return /[",;|]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
  });
  return `${cells.join(separator)}\r\n`;
}

/** The characters of windows-1252 in place of the controls 0x80 to 0x9f; browsers read Latin-1 so, too. */
const WINDOWS_1252 =
  '\u20ac\u0081\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\u008d\u017d\u008f' +
  '\u0090\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\u009d\u017e\u0178';

const CODES = Uint16Array.from({ length: 256 }, (_, byte) =>
  byte >= 0x80 && byte < 0xa0 ? WINDOWS_1252.charCodeAt(byte - 0x80) : byte,
);

/** Decodes ISO-8859-1 and windows-1252 (https://encoding.spec.whatwg.org/#names-and-labels makes them one). */
export function decodeLatin1(bytes: Uint8Array): string {
  const units = Buffer.alloc(2 * bytes.length);
  for (let place = 0; place < bytes.length; place += 1) {
    units.writeUInt16LE(CODES[bytes[place] ?? 0] ?? 0, 2 * place);
  }
  return units.toString('utf16le');
}
