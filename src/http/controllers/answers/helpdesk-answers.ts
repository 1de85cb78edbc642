import { z } from 'zod';
import { type Answers, count, inEveryDialect, valueOf } from '../../answers.ts';

const realms = z.array(z.string());
const login = z.string().describe('the login');
const names = { given_name: z.string(), surname: z.string(), email: z.string(), phone: z.string() };

const token = z.strictObject({
  serial: z.string(),
  type: z.string(),
  description: z.string(),
  owner: z
    .strictObject({
      user: login,
      resolver: z.string(),
      realm: z.string().nullable().describe('a visible realm by which the owner is found'),
    })
    .nullable()
    .describe('null: nobody'),
  realms: realms.describe('those that the caller may see'),
  active: z.boolean(),
  locked: z.boolean().describe('true: too many wrong responses'),
  fail_count: count.describe('the number of wrong responses since the last right one'),
  max_fail: count.describe('the number of wrong responses that locks the token'),
  counter: z.string().describe('the next counter: 64 bits, as a text'),
  counter_window: count,
  sync_window: count,
  time_shift: z.int().describe('seconds that the device is ahead'),
  ocra_suite: z.string().nullable(),
  rollout: z.enum(['phase1', 'phase2', 'complete']).describe('the phase of the roll-out'),
  has_pin: z.boolean().describe('true: there is a token PIN'),
  created: z.iso.datetime(),
  last_success: z.iso.datetime().nullable().describe('the time of the last accepted response'),
});

const transactions = z
  .array(
    z.strictObject({
      transaction_id: z.string(),
      serial: z.string(),
      issued: z.iso.datetime(),
      state: z.enum(['open', 'expired', 'accepted', 'given up', 'superseded']),
      wrong: count.describe('the number of wrong responses'),
    }),
  )
  .nullable()
  .describe(
    'the latest ones that are stored, newest first; null: the caller lacks the right `admin:transaction`',
  );

/** The answers of /admin/search. */
export const SEARCH_RESULT: Answers = inEveryDialect(
  valueOf(
    z.strictObject({
      tokens: z
        .strictObject({ hits: z.array(token), more: z.boolean() })
        .nullable()
        .describe('null: the caller lacks the right `admin:show`'),
      people: z
        .strictObject({
          hits: z.array(
            z.strictObject({
              user: login,
              ...names,
              resolver: z.string(),
              realms: realms.describe('the visible realms that have the resolver, the default one first'),
            }),
          ),
          more: z.boolean(),
          incomplete: z
            .array(z.strictObject({ resolver: z.string(), reason: z.string() }))
            .describe('the resolvers whose users may be missing'),
        })
        .nullable()
        .describe('null: the caller lacks the right `admin:userlist`'),
      transactions: z
        .array(
          z.strictObject({
            transaction_id: z.string(),
            serial: z.string(),
            realms,
            state: z.enum(['open', 'expired', 'accepted', 'given up', 'superseded', 'ended']),
          }),
        )
        .nullable()
        .describe('null: the caller lacks the right `admin:transaction`'),
    }),
  ),
);

/** The answers of /admin/person. */
export const PERSON: Answers = inEveryDialect(
  valueOf(
    z.strictObject({
      user: login,
      realm: z.string(),
      resolver: z.string(),
      details: z.strictObject(names).nullable().describe('null: the caller lacks the right `admin:userlist`'),
      tokens: z.array(token).describe('the first hundred'),
      more: z.boolean().describe('true: there are further tokens'),
      transactions,
    }),
  ),
);

/** The answers of /admin/token. */
export const TOKEN: Answers = inEveryDialect(valueOf(z.strictObject({ token, transactions })));

/** The answers of /admin/tokens. */
export const TOKEN_SHEET: Answers = inEveryDialect(
  valueOf(
    z.strictObject({
      tokens: z.array(token),
      next: z.string().nullable().describe('`cursor` of the next page; null: there is none'),
      total: count
        .nullable()
        .describe('the number of tokens on all pages; null: no count is kept for this filter'),
    }),
  ),
);
