import { z } from 'zod';

const names = z.array(z.string()).optional();

/** What follows from an act, before it is done. */
export const CONSEQUENCES = z.array(
  z.object({
    code: z.string().describe('for programs'),
    text: z.string().meta({ column: 'WHAT FOLLOWS', description: 'a clause for people' }),
    count: z.int().nonnegative().optional().describe('the number in the clause'),
    names: names.describe('the names in the clause'),
    rights: names.describe('the rights in the clause, `scope:action`'),
  }),
);
