import { z } from 'zod';
import { type Answers, inEveryDialect, valueOf } from '../../answers.ts';

/** The answers of /admin/userlist. */
export const USERS: Answers = inEveryDialect(
  valueOf(
    z.array(
      z.strictObject({
        username: z.string(),
        userid: z.string(),
        givenname: z.string(),
        surname: z.string(),
        email: z.string(),
        phone: z.string(),
        mobile: z.string().describe('empty: resolvers here have one phone number'),
        description: z.string().describe('empty'),
        useridresolver: z.string().describe('the class and the name of the resolver, as LinOTP writes them'),
      }),
    ),
  ),
);
