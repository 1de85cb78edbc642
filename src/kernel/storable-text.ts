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
