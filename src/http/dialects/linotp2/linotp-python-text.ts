/*
 * LinOTP's answers contain texts as Python 2 prints them: quoted and escaped, Unicode texts with a leading `u`.
 */

const NAMED: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };

/** @returns the `repr` of Python 2 of a Unicode text: `u'\xe4'` */
export function unicodeRepr(text: string): string {
  return `u${plainRepr(text)}`;
}

/** @returns the `repr` of Python 2 of a text, without the `u` */
export function plainRepr(text: string): string {
  const quote = text.includes("'") && !text.includes('"') ? '"' : "'";
  return `${quote}${Array.from(text, (character) => escapeCharacter(character, quote)).join('')}${quote}`;
}

function escapeCharacter(character: string, quote: string): string {
  if (character === quote) {
    return `\\${quote}`;
  }
  const named = NAMED[character];
  if (named !== undefined) {
    return named;
  }
  const code = character.codePointAt(0) ?? 0;
  if (code >= 0x20 && code < 0x7f) {
    return character;
  }
  if (code <= 0xff) {
    return `\\x${code.toString(16).padStart(2, '0')}`;
  }
  return code <= 0xffff
    ? `\\u${code.toString(16).padStart(4, '0')}`
    : `\\U${code.toString(16).padStart(8, '0')}`;
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
