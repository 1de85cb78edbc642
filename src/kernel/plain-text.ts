import { ServiceError } from './errors.ts';

/**
 * Letters and marks that show nothing, or look like `!`, `:`, `/`, `.`, `,` or `;`. Symbols need no list: names have
 * none but those of ASCII.
 */
const DECEPTIVE = /[\p{Default_Ignorable_Code_Point}\u01C3\u02D0\u2D51\u3033\uA4F8-\uA4FD]|\u{16FE4}/u;
const WRITTEN = /^[\p{L}\p{N}\p{M}]+$/u;
const ASCII = /^[\x20-\x7e]$/;
const BLANKS_AT_ENDS = /^[ \t\r\n]+|[ \t\r\n]+$/g;

/**
 * Reads the name of something new. Each character is of ASCII, or a letter, digit or mark that can be seen and also
 * stands for such alone (a full-width `＠` stands for an `@`). Letters of several scripts that look alike are not told
 * apart.
 * @returns the name as it is kept: without blanks at its ends, composed (NFC); empty: no name
 */
export function plainName(text: string): string {
  const name = composed(text.replace(BLANKS_AT_ENDS, ''));
  return Array.from(name).every(isPlain) && !/^\p{M}/u.test(name) ? name : '';
}

/** @returns the form of a name in which names are compared (NFC): it may be typed in pieces, `e` and the mark apart */
export function composed(name: string): string {
  return name.normalize('NFC');
}

function isPlain(character: string): boolean {
  return ASCII.test(character) || (!DECEPTIVE.test(character) && WRITTEN.test(character.normalize('NFKC')));
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
