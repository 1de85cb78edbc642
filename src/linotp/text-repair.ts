/** Undoes an encoding of texts that depends on the whole database. */
export type TextRepair = (text: string) => string;

/**
 * The characters of the bytes 80 to 9F in Windows-1252, undefined ones as themselves. Some releases of Node decode
 * them as Latin-1 with `TextDecoder`.
 */
const WINDOWS_1252 = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';
const FIRST_SPECIAL = 0x80;

/** @returns the text of bytes in Windows-1252 */
export function decodeWindows1252(bytes: Uint8Array): string {
  return Buffer.from(bytes)
    .toString('latin1')
    .replace(/[\x80-\x9f]/g, (character) => WINDOWS_1252.charAt(character.charCodeAt(0) - FIRST_SPECIAL));
}

/** Leaves texts as they are. */
export const unchanged: TextRepair = (text) => text;

/**
 * Undoes UTF-8 that a latin1 connection encoded a second time (`Ã¼` for `ü`), the old default of MySQL.
 * @returns undefined for a text that was not encoded twice; an ASCII text is its own repair
 */
function decodedTwice(text: string): string | undefined {
  const bytes: number[] = [];
  for (const character of text) {
    const special = WINDOWS_1252.indexOf(character);
    const code = special < 0 ? (character.codePointAt(0) ?? 0) : FIRST_SPECIAL + special;
    if (code > 0xff) {
      return undefined;
    }
    bytes.push(code);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Uint8Array.from(bytes));
  } catch {
    return undefined;
  }
}

/** Undoes the second encoding. Leaves texts that were encoded once. */
export const repairDoubleUtf8: TextRepair = (text) => decodedTwice(text) ?? text;

/** Undoes `linotp.uencode_data`: the text is the inside of a JSON string. */
export const undoUnicodeEscapes: TextRepair = (text) => {
  if (!text.includes('\\')) {
    return text;
  }
  try {
    const parsed: unknown = JSON.parse(`"${text}"`);
    return typeof parsed === 'string' ? parsed : text;
  } catch {
    return text;
  }
};

/** Finds out whether the texts of a database were encoded twice: all of those with other characters than ASCII were. */
export class DoubleUtf8Detector {
  #foreign = 0;
  #isDisproved = false;

  note(text: string): void {
    // eslint-disable-next-line no-control-regex -- the range of ASCII
    if (/^[\x00-\x7f]*$/.test(text)) {
      return;
    }
    this.#foreign += 1;
    this.#isDisproved ||= decodedTwice(text) === undefined;
  }

  get isDouble(): boolean {
    return this.#foreign > 0 && !this.#isDisproved;
  }
}
