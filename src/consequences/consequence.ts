/** A consequence of an act, before it is done. Holds no secret. */
export interface Consequence extends ConsequenceFacts {
  /** For programs: `realm.tokens`. */
  readonly code: string;
  /** A clause for people: `3 tokens leave this realm`. */
  readonly text: string;
}

/** The facts of a clause, for other words than those of the text. */
interface ConsequenceFacts {
  readonly count?: number;
  /** Of realms, resolvers, policies, administrators: those that the code is about. */
  readonly names?: readonly string[];
  /** `scope:action`. */
  readonly rights?: readonly string[];
}

/** @returns the list with the consequence, if there is one */
export function consequence(
  applies: boolean,
  code: string,
  text: string,
  facts: ConsequenceFacts = {},
): readonly Consequence[] {
  return applies ? [{ code, text, ...facts }] : [];
}

/** @returns `1 token`, `3 tokens` */
export function countText(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
