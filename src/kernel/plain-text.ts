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
