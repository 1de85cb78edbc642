import type { DirectoryUser, UserCondition, UserField, UserPattern } from './user-source.ts';

const MAX_LENGTH = 320;
/** The fields that a free search looks at. */
const SEARCHED: readonly UserField[] = ['login', 'givenName', 'surname', 'email', 'phone'];

/** @param text may hold asterisks, each for any text; without one, users with the text anywhere are found */
export function freeCondition(text: string): UserCondition {
  return { fields: SEARCHED, pattern: readPattern(text.includes('*') ? text : `*${text}*`) };
}

/** @param text may hold asterisks, each for any text; without one, the field must equal it */
export function fieldCondition(field: UserField, text: string): UserCondition {
  return { fields: [field], pattern: readPattern(text) };
}

/** The fields by whose beginnings people are looked up. */
const NAMED_BY: readonly UserField[] = ['login', 'givenName', 'surname', 'email'];

/** @returns the condition that the login, a name or the e-mail address begins with the text, in which nothing is a wildcard */
export function beginningCondition(text: string): UserCondition {
  return { fields: NAMED_BY, pattern: [text, ''] };
}

/** The fewest digits of a telephone number that are looked for, and the most: numbers are written in many ways. */
const PHONE_DIGITS = { min: 5, max: 7 };
/** The most digits of the country code of a number. */
const COUNTRY_DIGITS = 3;
const IS_INTERNATIONAL = /^\s*(?:\+|00)/;

/** @returns the digits of a telephone number without country or trunk prefix zeros; of `+49 (0)30 1`: 49301 */
function phoneDigits(text: string): string {
  return text.replaceAll('(0)', '').replace(/\D/g, '').replace(/^0+/, '');
}

/**
 * @returns the condition that the telephone number has the last digits of the text, perhaps others between or after
 *   them, or words, but none that may be a country code; undefined: it is no number
 */
export function phoneCondition(text: string): UserCondition | undefined {
  const digits = /^\s*[+\d\s()/.\u2010-\u2013-]+$/.test(text) ? phoneDigits(text) : '';
  const { min, max } = PHONE_DIGITS;
  const sure = digits.length - (IS_INTERNATIONAL.test(text) ? COUNTRY_DIGITS : 0);
  return digits.length < min
    ? undefined
    : {
        fields: ['phone'],
        pattern: ['', ...Array.from(digits.slice(-Math.min(max, Math.max(min, sure)))), ''],
      };
}

/** @returns the digits with which the telephone number of a `phoneCondition` ends; undefined: it is another condition */
export function endOfPhone({ fields, pattern }: UserCondition): string | undefined {
  const digits = pattern.slice(1, -1);
  const isOne =
    fields.join() === 'phone' &&
    pattern[0] === '' &&
    pattern.at(-1) === '' &&
    digits.length > 0 &&
    digits.every((piece) => /^\d$/.test(piece));
  return isOne ? digits.join('') : undefined;
}

/**
 * @returns false for somebody whom a `phoneCondition` of the text finds, and whose number is another one: other digits
 *   may stand between and after. The number that was found may be one that is not shown
 */
export function hasPhone(user: DirectoryUser, text: string): boolean {
  const condition = phoneCondition(text);
  const [shown, sought] = [phoneDigits(user.phone), phoneDigits(text)];
  const isFoundByOther = condition === undefined || !matchesUser(user, [condition]);
  const isNational = IS_INTERNATIONAL.test(text) && sought.length - shown.length <= COUNTRY_DIGITS;
  const fewest = isNational ? PHONE_DIGITS.min : PHONE_DIGITS.max;
  return isFoundByOther || shown.endsWith(sought) || (shown.length >= fewest && sought.endsWith(shown));
}

/** @returns false if no user can match: a source may fail on such a text */
export function isSearchable({ pattern }: UserCondition): boolean {
  return pattern.join('*').length <= MAX_LENGTH && !pattern.some((piece) => /\p{Cc}|\p{Cs}/u.test(piece));
}

/** @returns true if everybody matches, also those without a value */
export function matchesAll({ pattern }: UserCondition): boolean {
  return pattern.length > 1 && pattern.every((piece) => piece === '');
}

/** @returns true if all conditions hold */
export function matchesUser(user: DirectoryUser, conditions: readonly UserCondition[]): boolean {
  return conditions.every(({ fields, pattern }) => {
    const pieces = pattern.map((piece) => piece.toLowerCase());
    return fields.some((field) => matchesText(user[field].toLowerCase(), pieces));
  });
}

/** The character that escapes others in `likePattern`. A backslash would mean something to MySQL's texts as well. */
export const LIKE_ESCAPE = '!';

/** @returns the pattern for SQL's `LIKE … ESCAPE '!'` */
export function likePattern(pattern: UserPattern): string {
  return pattern.map((piece) => piece.replaceAll(/[!%_]/g, `${LIKE_ESCAPE}$&`)).join('%');
}

function readPattern(text: string): UserPattern {
  const [first = '', ...others] = text.split('*');
  return [first, ...others];
}

function matchesText(text: string, pieces: readonly string[]): boolean {
  const [first = '', ...others] = pieces;
  const last = others.pop();
  if (last === undefined) {
    return text === first;
  }
  const end = text.length - last.length;
  if (!text.startsWith(first) || !text.endsWith(last) || end < first.length) {
    return false;
  }
  let place = first.length;
  for (const piece of others) {
    const found = text.indexOf(piece, place);
    if (found < 0 || found + piece.length > end) {
      return false;
    }
    place = found + piece.length;
  }
  return true;
}
