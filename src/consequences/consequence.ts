/** What follows from an act, before it is done. Holds no secret. */
export interface Consequence {
  /** For programs: `realm.tokens`. */
  readonly code: string;
  /** A clause for people: `3 tokens leave this realm`. */
  readonly text: string;
}

/** @returns the list with the consequence, if there is one */
export function consequence(applies: boolean, code: string, text: string): readonly Consequence[] {
  return applies ? [{ code, text }] : [];
}

/** @returns `1 token`, `3 tokens` */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** Names in a clause; more are counted. */
const MAX_NAMES = 5;

/** @returns `a, b and c`; of many, the first ones and the number of the others */
export function named(names: readonly string[]): string {
  const shown = names.length > MAX_NAMES ? names.slice(0, MAX_NAMES - 1) : names;
  const others = names.length - shown.length;
  const items = others > 0 ? [...shown, `${others} others`] : shown;
  return items.length < 2 ? items.join('') : `${items.slice(0, -1).join(', ')} and ${items.at(-1) ?? ''}`;
}
