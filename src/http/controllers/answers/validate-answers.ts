import { z } from 'zod';
import { type Answers, count, inEveryDialect, valueOf } from '../../answers.ts';

const accepted = z.boolean().describe('true: the response was accepted, once and for all');
const validated = z.strictObject({
  failcount: count.describe('the number of wrong responses since the last right one'),
  value: accepted,
});

/** The answers of /validate/check and /validate/check_s. */
export const VALIDATED: Answers = inEveryDialect(valueOf(accepted));

/** The answers of /validate/check_t. */
export const VALIDATED_TRANSACTION: Answers = {
  documented: valueOf(validated),
  linotp: valueOf(
    z.union([
      validated,
      z.strictObject({
        failure: z.string().describe('no open transaction of that id'),
        value: z.literal(false),
      }),
    ]),
    {
      detail: z
        .strictObject({
          ...validated.shape,
          token_type: z.string(),
          serial: z.string().describe('the serial of the token'),
        })
        .optional(),
    },
  ),
};
