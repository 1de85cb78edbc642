import { type RandomNumbers, randomText } from '../kernel/clock.ts';
import type { OcraSuite, QuestionFormat } from './suite.ts';

const DIGITS = '0123456789';

/** The characters of random questions. */
const DRAWN: Readonly<Record<QuestionFormat, string>> = {
  A: `abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ${DIGITS}`,
  N: DIGITS,
  H: `${DIGITS}abcdef`,
};

/**
 * The characters that are removed from display data. Only ASCII is kept: digits of other scripts cannot be in a data
 * input.
 */
const UNFIT: Readonly<Record<QuestionFormat, RegExp>> = {
  A: /[^A-Za-z0-9]/g,
  N: /[^0-9]/g,
  H: /[^0-9A-Fa-f]/g,
};

const SEPARATOR = '0000';

/**
 * Makes the question that is shown with `data`: the characters of the data that the suite's format allows, then `0000`,
 * then random ones, cut to the suite's length. The user's app can thus show the data, and the question is still new
 * each time.
 * @param data the text for the user; nothing or an empty text gives an entirely random question
 * @returns a question of exactly the suite's length
 */
export function questionFromData(suite: OcraSuite, data: string | undefined, random: RandomNumbers): string {
  const { format, length } = suite.question;
  const drawn = randomText(random, DRAWN[format], length);
  if (data === undefined || data === '') {
    return drawn;
  }
  const shown = (data.replace(UNFIT[format], '') + SEPARATOR).slice(0, length);
  return shown + drawn.slice(shown.length);
}

/**
 * Normalises a question. Several texts can be one question to a device, and have one response: hexadecimal digits of
 * either case, and texts that differ only in zeros at the end, as numbers are converted to hexadecimal and padded with
 * zeros there (RFC 6287 §5.1): 1 and 16.
 * @returns the same text for all of them, as long as the suite's questions; an invalid question unchanged
 */
export function plainQuestion({ question: { format, length } }: OcraSuite, question: string): string {
  if (question.length > length || question.search(UNFIT[format]) >= 0) {
    return question;
  }
  switch (format) {
    case 'A':
      return question;
    case 'H':
      return question.toLowerCase().replace(/0+$/, '').padEnd(length, '0');
    case 'N': {
      const digits = BigInt(question).toString(16).replace(/0+$/, '');
      return BigInt(`0x0${digits}`).toString().padStart(length, '0');
    }
  }
}
