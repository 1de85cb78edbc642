import { z } from 'zod';
import { type Answers, count, inEveryDialect, valueOf } from '../../answers.ts';

const event = z.strictObject({
  at: z.string().describe('UTC, to the microsecond'),
  event: z.enum(['issued', 'wrong', 'accepted', 'given up', 'refused', 'expired', 'superseded', 'other']),
  reason: z.string().describe('in words; empty where the event says it all'),
  action: z.string().describe('the action of the audit row; empty for a derived event'),
  actor: z.string(),
  client: z.string(),
  requestid: z.string(),
  derived: z.boolean().describe('true: no audit row reports the event, it follows from the challenge'),
});

/** The answers of /admin/transaction. */
export const TRANSACTION: Answers = inEveryDialect(
  valueOf(
    z.strictObject({
      transactionid: z.string(),
      serial: z.string(),
      realms: z.array(z.string()),
      state: z.enum(['open', 'expired', 'accepted', 'given up', 'superseded', 'ended']),
      stored: z.boolean().describe('false: the challenge is removed, and the audit alone tells its history'),
      data: z.string().optional().describe('the display data'),
      withheld: z.boolean().describe('true: the caller lacks the right to the display data'),
      events: z.array(event),
      more: count.describe('the number of further events that have no row'),
    }),
  ),
);

/** The answers of /audit/search. */
export const AUDIT_PAGE: Answers = inEveryDialect(
  valueOf(
    z.strictObject({
      rows: z.array(
        z.strictObject({
          id: z.string().describe('decimal digits'),
          at: z.string().describe('UTC, to the microsecond'),
          actor: z.string(),
          action: z.string(),
          serial: z.string().describe('the object of the act, such as the serial of a token'),
          realm: z.string().describe('the realms of the object, separated by commas'),
          outcome: z.string(),
          client: z.string(),
          request: z.string().describe('the id of the request'),
          transactionid: z.string().describe('empty where the act concerns no transaction'),
        }),
      ),
      next: z.string().nullable().describe('`cursor` of the next page; null: there is none'),
    }),
  ),
);
