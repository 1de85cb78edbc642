import { type RandomNumbers, randomText } from '../kernel/clock.ts';
import type { OcraSuite, QuestionFormat, ResponseAlgorithm } from './suite.ts';

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
  const shown = shownOf(suite, data);
  return shown + drawn.slice(shown.length);
}

/** @returns the beginning of a question that is not random */
function shownOf({ question: { format, length } }: OcraSuite, data = ''): string {
  return data === '' ? '' : (fittingOf(format, data) + SEPARATOR).slice(0, length);
}

function fittingOf(format: QuestionFormat, data: string): string {
  return data.replace(UNFIT[format], '');
}

/**
 * The questions that may be shown with a text. Where the first one is that of another text, another one is drawn. The
 * text gives way only as far as it must: a user without an app types the digits of the text that a portal names.
 */
export class ShownQuestions {
  readonly suite: OcraSuite;
  readonly #data: string | undefined;
  readonly #random: RandomNumbers;

  /** @param data the text for the user; nothing or an empty text gives entirely random questions */
  constructor(suite: OcraSuite, data: string | undefined, random: RandomNumbers) {
    this.suite = suite;
    this.#data = data;
    this.#random = random;
  }

  /** @returns a question as `questionFromData` makes it */
  draw(): string {
    return questionFromData(this.suite, this.#data, this.#random);
  }

  /** @returns questions in place of one that is in use, each drawn anew */
  drawOthers(count: number): readonly string[] {
    const [beginning = ''] = this.#beginnings();
    return Array.from({ length: count }, () => beginning + this.#drawAfter(beginning));
  }

  /** @returns all questions in place of one that is in use, one by one, from a drawn one on */
  *others(): Generator<string, void> {
    for (const beginning of this.#beginnings()) {
      for (const rest of allFrom(this.#drawAfter(beginning), DRAWN[this.suite.question.format])) {
        yield beginning + rest;
      }
    }
  }

  #drawAfter(beginning: string): string {
    const { format, length } = this.suite.question;
    return randomText(this.#random, DRAWN[format], length - beginning.length);
  }

  /**
   * @returns beginnings of other questions, the longest first: all that is shown of the text, where something random
   *   follows it, and its first half. Nothing of a text without any fitting character
   */
  #beginnings(): readonly string[] {
    const { format, length } = this.suite.question;
    const whole = shownOf(this.suite, this.#data);
    const isShown = fittingOf(format, this.#data ?? '') !== '';
    const half = isShown ? whole.slice(0, Math.floor(length / 2)) : '';
    return [...new Set(whole.length < length ? [whole, half] : [half])];
  }
}

/** @returns all texts of that length, each once, from one on: its last character counts first */
function* allFrom(first: string, alphabet: string): Generator<string, void> {
  const digits = Array.from(first, (character) => alphabet.indexOf(character));
  const start = digits.join();
  do {
    yield digits.map((digit) => alphabet.charAt(digit)).join('');
    for (let place = digits.length - 1; place >= 0; place -= 1) {
      const next = ((digits[place] ?? 0) + 1) % alphabet.length;
      digits[place] = next;
      if (next > 0) {
        break;
      }
    }
  } while (digits.join() !== start);
}

/**
 * Normalises a question. Several texts can be one question to a device, and have one response: hexadecimal digits of
 * either case, and texts that differ only in zeros at the end, as numbers are converted to hexadecimal and padded with
 * zeros there (RFC 6287 §5.1): 1 and 16.
 * @returns the same text for all of them, as long as the suite's questions; an invalid question unchanged
 */
export function plainQuestion({ question: form }: ResponseAlgorithm, question: string): string {
  if (form === undefined) {
    return question;
  }
  const { format, length } = form;
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

/**
 * @param question one that fits the suite
 * @returns texts by which a database finds every stored question that a device may not tell from this one: one of them
 *   is that question in lower case, without zeros at its ends. Few others have one, too: `plainQuestion` tells them
 *   apart
 */
export function questionKeys(suite: OcraSuite, question: string): readonly string[] {
  const { format, length } = suite.question;
  if (format !== 'N') {
    return [trimmed(question)];
  }
  const keys = new Set<string>();
  let number = BigInt(plainQuestion(suite, question));
  do {
    keys.add(trimmed(number.toString()));
    number *= 16n;
  } while (number > 0n && number.toString().length <= length);
  return [...keys];
}

function trimmed(question: string): string {
  return question.toLowerCase().replace(/^0+|0+$/g, '');
}
