import { z } from 'zod';
import type { ReadonlyDeep } from '../kernel/readonly-deep.ts';

const names = z.array(z.string()).optional();

/** What follows from an act, before it is done. Holds no secret. */
export const CONSEQUENCES = z.array(
  z.object({
    code: z.string().describe('for programs'),
    text: z.string().meta({ column: 'WHAT FOLLOWS', description: 'a clause for people' }),
    count: z.int().nonnegative().optional().describe('the number in the clause'),
    names: names.describe('the names in the clause'),
    rights: names.describe('the rights in the clause, `scope:action`'),
  }),
);

export type Consequence = ReadonlyDeep<z.output<typeof CONSEQUENCES>>[number];

/** @returns the list with the consequence, if there is one */
export function consequence(
  applies: boolean,
  code: string,
  text: string,
  facts: Omit<Consequence, 'code' | 'text'> = {},
): readonly Consequence[] {
  return applies ? [{ code, text, ...facts }] : [];
}

/** @returns `1 token`, `3 tokens` */
export function countText(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}
