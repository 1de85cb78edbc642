/** Undoes an encoding of texts that depends on the whole database. */
export type TextRepair = (text: string) => string;

/** The bytes of Windows-1252 that differ from Latin-1, by character. */
const WINDOWS_1252 = new Map(
  [
    ...new TextDecoder('windows-1252').decode(Uint8Array.from({ length: 32 }, (_, index) => 0x80 + index)),
  ].map((character, index) => [character, 0x80 + index]),
);

/** Leaves texts as they are. */
export const unchanged: TextRepair = (text) => text;

/**
 * Undoes UTF-8 that a latin1 connection encoded a second time (`Ã¼` for `ü`), the old default of MySQL.
 * @returns undefined for a text that was not encoded twice; an ASCII text is its own repair
 */
export function decodedTwice(text: string): string | undefined {
  const bytes: number[] = [];
  for (const character of text) {
    const code = WINDOWS_1252.get(character) ?? character.codePointAt(0) ?? 0;
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

/** Undoes the second encoding, and leaves what was encoded once. */
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
