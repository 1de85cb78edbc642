import { z } from 'zod';
import { ACTS, OUTCOME_WORDS } from '../audit/acts.ts';
import type { AuditQuery } from '../audit/audit-reading.ts';
import { NEWEST_VERIFICATION, VERIFICATION } from '../audit/verification.ts';
import type { Caller } from '../policy/caller.ts';
import type { Services } from '../services.ts';
import { filter, wholeNumber } from './input.ts';
import { operation, type OperationGroup } from './operation.ts';

/** What selects rows, as programs and commands give it. */
export const AUDIT_FILTERS = {
  serial: filter('the token, or whatever else the act was about', 'LSGO1'),
  user: filter(
    'the owner of tokens: rows about those that the user has now, which takes the right admin:show, too',
    'anna@customers',
  ),
  actor: filter('the administrator; operator:NAME for commands', 'anna'),
  action: filter('such as ocra/check_t or admin/init', 'ocra/check_t'),
  realm: filter('a realm of what the act was about', 'customers'),
  outcome: filter('in a word (wrong, accepted, created), whatever details follow', 'wrong'),
  client: filter('the address', '192.0.2.7'),
  request_id: filter('the id of the request, as the log names it', '01JD0Q9V7W'),
  transaction_id: filter('the transaction', '0123456789ab'),
  since: filter('a date, a time in UTC, or a duration back from now (30M, 1H, 2D, 1W)', '1D'),
  until: filter('likewise; excludes this instant itself', '1H'),
} as const;

type AuditFilters = z.output<z.ZodObject<typeof AUDIT_FILTERS>>;

/** @returns what selects rows, as the service takes it */
export async function selectedBy(
  { people }: Pick<Services, 'people'>,
  caller: Caller,
  { serial, user, request_id: requestId, transaction_id: transaction, ...others }: AuditFilters,
): Promise<AuditQuery> {
  return {
    ...others,
    subject: serial,
    requestId,
    transaction,
    ...(user !== undefined && { subjects: await people.serialsOf(caller, { user }) }),
  };
}

const ROW = z.object({
  id: z.string().describe('decimal digits'),
  at: z.string().meta({ column: 'TIME', description: 'UTC, to the microsecond' }),
  actor: z.string().meta({ column: 'ACTOR' }),
  action: z.string().meta({ column: 'ACTION' }),
  subject: z.string().meta({ column: 'SUBJECT', description: 'of the act, such as the serial of a token' }),
  realm: z.string().meta({ column: 'REALM', description: 'the realms of the subject, with commas' }),
  outcome: z.string().meta({ column: 'OUTCOME' }),
  client: z.string().meta({ column: 'CLIENT' }),
  requestId: z.string().meta({ column: 'REQUEST' }),
  transactionId: z
    .string()
    .meta({ column: 'TRANSACTION', description: 'empty where the act concerns no transaction' }),
});

const search = operation({
  name: 'audit search',
  does: 'rows of the audit trail, newest first; all filters must match',
  right: 'admin:audit',
  changes: false,
  input: {
    ...AUDIT_FILTERS,
    limit: wholeNumber('the number of rows on a page, 1 to 1000; default: 100', 1, 1_000).optional(),
    cursor: filter('`next` of the page before; default: the first page', '2026-11-20T12:00:00.123000Z,17'),
  },
  output: z.object({
    rows: z.array(ROW).meta({
      column: 'Rows',
      description: 'fewer than the limit, perhaps none, where matches are rare: the search goes on at `next`',
    }),
    next: z.string().nullable().describe('`cursor` of the next page; null: there is none'),
  }),
  run: async (services, caller, { limit, cursor, ...filters }) => {
    const selected = await selectedBy(services, caller, filters);
    const page = await services.auditReading.page(caller, { ...selected, limit, cursor });
    const rows = page.rows.map(({ transaction, ...row }) => ({ ...row, transactionId: transaction }));
    return { ...page, rows };
  },
});

const values = operation({
  name: 'audit values',
  does: 'the actions and outcomes that rows of the audit trail may have',
  right: 'admin:audit',
  changes: false,
  input: {},
  output: z.object({
    actions: z.array(z.string()).describe('sorted'),
    outcomes: z.array(z.string()).describe('sorted; details may follow these words'),
  }),
  run: () => Promise.resolve({ actions: ACTS.toSorted(), outcomes: OUTCOME_WORDS.toSorted() }),
});

const verify = operation({
  name: 'audit verify',
  does: 'begins to verify the whole audit trail in the background; the running verification if there is one',
  right: 'admin:audit',
  changes: true,
  // In the background: the command verifies while one waits.
  onlyServed: true,
  input: {
    checkpoint: filter(
      'the hash of a checkpoint that must be there, as a server has logged it',
      'ab'.repeat(32),
    ),
  },
  output: VERIFICATION,
  run: ({ auditVerification }, caller, { checkpoint }) => auditVerification.begin(caller, checkpoint),
});

const verification = operation({
  name: 'audit verification',
  does: 'the progress or the result of the newest verification of the audit trail by a server',
  right: 'admin:audit',
  changes: false,
  input: {},
  output: NEWEST_VERIFICATION,
  run: ({ auditVerification }, caller) => auditVerification.newest(caller),
});

export const AUDIT: OperationGroup = {
  name: 'audit',
  about: 'the audit trail: what administrators did, and each decision on a response',
  operations: [search, values, verify, verification],
};
