import { ServiceError } from './errors.ts';

/** NUL, which PostgreSQL's text cannot hold, and halves of surrogate pairs, which UTF-8 cannot. */
const UNSTORABLE = /\0|\p{Surrogate}/u;

/** @returns true if the database can hold all of these texts; no stored text equals one that it cannot hold */
export function isStorable(...texts: readonly (string | undefined)[]): boolean {
  return !texts.some((text) => text !== undefined && UNSTORABLE.test(text));
}

/** @returns the text, with U+FFFD in place of characters that the database cannot hold */
export function storableForm(text: string): string {
  return isStorable(text) ? text : text.replace(new RegExp(UNSTORABLE, 'gu'), '\u{FFFD}');
}

const ROW_ID = /^[1-9]\d{0,17}$/;

/** @throws ServiceError 'parameter.invalid' when one of the texts cannot be stored as it is */
export function assertStorable(...texts: readonly (string | null | undefined)[]): void {
  if (!isStorable(...texts.map((text) => text ?? undefined))) {
    throw new ServiceError('parameter.invalid', 'A text holds a NUL character or half of a surrogate pair');
  }
}

/**
 * @returns true if the text can be the id of a row; any other text would make the query fail instead of finding no row
 */
export function isRowId(text: string): boolean {
  return ROW_ID.test(text);
}
