import { isServiceError } from '../kernel/errors.ts';
import { decodeActivationCode } from '../ocra/key-derivation.ts';

/** One typed character. */
export interface EnteredCharacter {
  readonly typed: string;
  /** The character that it is read as; empty for a separator. */
  readonly read: string;
  /**
   * `corrected`: a small letter, or O and 0 confused. `separator`: a dash or white space, which is dropped.
   * `impossible`: no code has this character in this place, or any character at all.
   */
  readonly state: 'kept' | 'corrected' | 'separator' | 'impossible';
}

/** An activation code while it is typed. */
export interface ActivationCodeEntry {
  /** One for each typed character (code point). */
  readonly characters: readonly EnteredCharacter[];
  /** The characters as they are read, without separators; impossible ones as typed. */
  readonly code: string;
  /** `code` in groups of four, the last one with the checksum: `GEZD GNBV GY3T QOJQ 01`. */
  readonly formatted: string;
  /** Number of characters that are still missing; 0 if there are enough. */
  readonly missing: number;
  /** True if nothing is missing, impossible or too much. */
  readonly isComplete: boolean;
  /** True if the checksum fits a complete code; `unknown` before. */
  readonly checksum: 'unknown' | 'right' | 'wrong';
}

/** Ten bytes in base32, as apps and servers draw them. */
const USUAL_LETTERS = 16;
const CHECKSUM_LENGTH = 2;
/** Base32 comes in groups of eight letters (RFC 4648 §6). */
const BASE32_GROUP = 8;
const SHOWN_GROUP = 4;

const LETTER = /^[A-Z2-7=]$/;
const HEX_DIGIT = /^[0-9A-F]$/;
/** Dashes of any kind, and white space. */
const SEPARATOR = /^[\s\p{Pd}\u2212]$/u;

/**
 * Checks an activation code after each key.
 * @param typed any text; shorter and longer codes than the usual one of 18 characters are known by their checksum
 */
export function inspectActivationCode(typed: string): ActivationCodeEntry {
  const typedCharacters = Array.from(typed);
  const letters = lettersIn(typedCharacters);
  const characters = readCharacters(typedCharacters, letters);
  const significant = characters.filter(({ state }) => state !== 'separator');
  const read = significant.map((character) => character.read);
  const expectedLength = letters + CHECKSUM_LENGTH;
  const code = read.join('');
  const isComplete =
    read.length === expectedLength && significant.every(({ state }) => state !== 'impossible');
  return {
    characters,
    code,
    formatted: inGroups(read, letters),
    missing: Math.max(0, expectedLength - read.length),
    isComplete,
    checksum: !isComplete ? 'unknown' : isRight(code) ? 'right' : 'wrong',
  };
}

/** @returns the number of letters before the checksum: 16, or another number if the checksum at the end then fits */
function lettersIn(characters: readonly string[]): number {
  const significant = characters.filter((character) => !SEPARATOR.test(character));
  const letters = significant.length - CHECKSUM_LENGTH;
  if (letters <= 0 || letters % BASE32_GROUP !== 0) {
    return USUAL_LETTERS;
  }
  const code = readCharacters(significant, letters).map(({ read }) => read);
  return isRight(code.join('')) ? letters : USUAL_LETTERS;
}

function readCharacters(characters: readonly string[], letters: number): readonly EnteredCharacter[] {
  let place = 0;
  return characters.map((typed) => {
    if (SEPARATOR.test(typed)) {
      return { typed, read: '', state: 'separator' };
    }
    place += 1;
    if (place > letters + CHECKSUM_LENGTH) {
      return { typed, read: typed, state: 'impossible' };
    }
    return place > letters
      ? correctCharacter(typed, 'O', '0', HEX_DIGIT)
      : correctCharacter(typed, '0', 'O', LETTER);
  });
}

function correctCharacter(
  typed: string,
  mistaken: string,
  meant: string,
  possible: RegExp,
): EnteredCharacter {
  // Other small letters than ASCII's have capitals in it, too: the dotless i.
  const capital = /^[a-z]$/.test(typed) ? typed.toUpperCase() : typed;
  const read = capital === mistaken ? meant : capital;
  if (!possible.test(read)) {
    return { typed, read: typed, state: 'impossible' };
  }
  return { typed, read, state: read === typed ? 'kept' : 'corrected' };
}

function inGroups(read: readonly string[], letters: number): string {
  const groups = Array.from({ length: Math.ceil(letters / SHOWN_GROUP) }, (_, index) =>
    read.slice(SHOWN_GROUP * index, Math.min(letters, SHOWN_GROUP * (index + 1))),
  );
  return [...groups, read.slice(letters)]
    .filter((group) => group.length > 0)
    .map((group) => group.join(''))
    .join(' ');
}

function isRight(code: string): boolean {
  try {
    decodeActivationCode(code);
    return true;
  } catch (error) {
    if (isServiceError(error, 'activation-code.invalid')) {
      return false;
    }
    throw error;
  }
}
