import { z } from 'zod';
import { count } from '../../answers.ts';

const names = z.array(z.string()).optional();

/** The consequences of an act. */
export const CONSEQUENCE_LIST = z.array(
  z.strictObject({
    code: z.string().describe('for programs'),
    text: z.string().describe('a clause for people'),
    count: count.optional().describe('the number in the clause'),
    names: names.describe('the names in the clause'),
    rights: names.describe('the rights in the clause, `scope:action`'),
  }),
);
