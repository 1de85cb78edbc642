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
