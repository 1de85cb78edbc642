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

/** The answers of /audit/values. */
export const AUDIT_VALUES: Answers = inEveryDialect(
  valueOf(
    z.strictObject({
      actions: z.array(z.string()).describe('sorted'),
      outcomes: z.array(z.string()).describe('sorted; details may follow these words'),
    }),
  ),
);

/** The answers of /audit/export. */
export const AUDIT_EXPORT: Answers = inEveryDialect({
  others: [
    {
      contentType: 'application/x-ndjson',
      meaning: 'JSON lines: a head, the journal of signatures where it can be verified, the rows, the end',
    },
    { contentType: 'text/csv', meaning: 'with `format=csv`: a head and the rows (RFC 4180), no formulas' },
  ],
});

const finding = z.strictObject({
  kind: z.enum(['changed', 'removed', 'inserted', 'reordered']),
  of: z.enum(['row', 'journal']),
  id: z.string().nullable().describe('of the row, or number of the record; null for a removed one'),
  writer: count.nullable(),
  lane: count.nullable(),
  seq: z.string().nullable().describe('place in its lane; first and last place of removed rows'),
  at: z.string().nullable().describe('UTC, to the microsecond'),
  reason: z.string(),
});

const verification = z.strictObject({
  id: z.string().describe('decimal digits'),
  state: z.enum(['running', 'finished', 'failed', 'interrupted']),
  begun: z.iso.datetime(),
  begun_by: z.string(),
  ended: z.iso.datetime().nullable(),
  rows: count.describe('checked so far'),
  of: count.describe('the approximate number of all'),
  records: count.describe('of the journal; 0 before the end'),
  newest: z.string().describe('the newest checkpoint, hexadecimal; empty before the end'),
  checkpoint: z.string().describe('the checkpoint that must be there; empty where none was given'),
  findings: count,
  listed: z.array(finding).describe('the first hundred findings; empty before the end'),
  reason: z.string().describe('why it failed; empty where it did not'),
});

/** The answers of /audit/verify. */
export const AUDIT_VERIFICATION: Answers = inEveryDialect(valueOf(verification));

/** The answers of /audit/verification. */
export const AUDIT_VERIFICATION_OVERVIEW: Answers = inEveryDialect(
  valueOf(
    z.strictObject({
      verification: verification.nullable().describe('the newest one; null: there was none yet'),
      keys: z.array(z.string()).describe('public keys of the installation, Base64, the current one first'),
    }),
  ),
);
