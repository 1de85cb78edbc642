import { type Random, randomText } from '../kernel/clock.ts';
import type { OcraSuite, QuestionFormat } from './suite.ts';

const DIGITS = '0123456789';

/** What random questions are drawn from. */
const DRAWN: Readonly<Record<QuestionFormat, string>> = {
  A: `abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ${DIGITS}`,
  N: DIGITS,
  H: `${DIGITS}abcdef`,
};

/** What may not stay of the display data. ASCII only: other scripts' digits have no place in a data input. */
const UNFIT: Readonly<Record<QuestionFormat, RegExp>> = {
  A: /[^A-Za-z0-9]/g,
  N: /[^0-9]/g,
  H: /[^0-9A-Fa-f]/g,
};

const SEPARATOR = '0000';

/**
 * Makes the question that is shown with `data`: those characters of the data that the suite's format allows, then `0000`,
 * then random ones, cut to the suite's length. So the user's app can show what the question is about, and it is still a
 * new one each time.
 * @param data what the user shall see; nothing or an empty text gives a question that is random throughout
 * @returns a question of exactly the suite's length
 */
export function questionFromData(suite: OcraSuite, data: string | undefined, random: Random): string {
  const { format, length } = suite.question;
  const drawn = randomText(random, DRAWN[format], length);
  if (data === undefined || data === '') {
    return drawn;
  }
  const shown = (data.replace(UNFIT[format], '') + SEPARATOR).slice(0, length);
  return shown + drawn.slice(shown.length);
}

/**
 * Several texts can be one question to a device, and have one response: small and capital hexadecimal digits, and
 * whatever differs in zeros at the end only, as numbers are taken as hexadecimal and filled up with zeros there
 * (RFC 6287 §5.1): 1 and 16.
 * @returns the same text for all of them, as long as the suite's questions; a text that is no question as it is
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
