import { z } from 'zod';
import type { AuditPage, AuditPageRequest, GrantedExport } from '../../audit/audit-reading.ts';
import { ACTS, OUTCOME_WORDS } from '../../audit/filter-values.ts';
import type { ExportFormat } from '../../audit/export-trail.ts';
import { type Clock, parsePastInstant } from '../../kernel/clock.ts';
import { ServiceError } from '../../kernel/errors.ts';
import type { Caller } from '../../policy/caller.ts';
import type { RequiredRights } from '../../policy/access-control.ts';
import type { Services } from '../../services.ts';
import { type Answers, inEveryDialect, type Shown, count } from '../answers.ts';
import { administratorEndpoint, type Endpoint, valueReading, valueChange } from '../endpoint-spec.ts';
import type { Reply } from '../reply.ts';
import { optional } from '../request/parameters.ts';
import type { AuditVerification } from '../../audit/audit-verification.ts';
import type { VerificationRecord } from '../../audit/verification.ts';

/** The parameters that select rows. */
const FILTERS = {
  serial: optional('the token, or whatever else the act was about'),
  user: optional(
    'the owner of tokens, as `login@realm`: rows about those that the user has now, which takes the right `admin:show`, too',
    'anna@customers',
  ),
  actor: optional('the administrator; `operator:NAME` for commands'),
  action: optional('such as `ocra/check_t` or `admin/init`'),
  realm: optional('a realm of what the act was about'),
  outcome: optional('such as `accepted`, `wrong` or `created`, whatever details follow'),
  client: optional('the address'),
  request: optional('the id of the request'),
  transactionid: optional('the transaction'),
  since: optional('a date, a time, or a duration back from now (`30M`, `1H`, `2D`, `1W`)'),
  until: optional('likewise; excludes this instant itself'),
} as const;

type Filters = Readonly<Partial<Record<keyof typeof FILTERS, string | undefined>>>;

const PAGE = z.strictObject({
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
});

const VALUES = z.strictObject({
  actions: z.array(z.string()).describe('sorted'),
  outcomes: z.array(z.string()).describe('sorted; details may follow these words'),
});

const EXPORT: Answers = inEveryDialect({
  others: [
    {
      contentType: 'application/x-ndjson',
      meaning: 'JSON lines: a head, the rows, with checkpoints where it can be verified, the end',
    },
    { contentType: 'text/csv', meaning: 'with `format=csv`: a head and the rows (RFC 4180), no formulas' },
  ],
});

/** The services that select rows. */
type Selecting = Pick<Services, 'auditReading' | 'people'>;

export function auditEndpoints(
  services: Selecting & Pick<Services, 'auditVerification'>,
  clock: Clock,
  endpoints: () => readonly Endpoint[],
): Endpoint[] {
  return [
    searchEndpoint(services, clock),
    valuesEndpoint(endpoints),
    exportEndpoint(services, clock),
    beginEndpoint(services.auditVerification),
    verificationEndpoint(services.auditVerification),
  ];
}

function rightsFor({ user }: Pick<Filters, 'user'>): RequiredRights {
  return isGiven(user) ? ['admin:audit', 'admin:show'] : ['admin:audit'];
}

function searchEndpoint(services: Selecting, clock: Clock): Endpoint {
  return valueReading(
    {
      path: '/audit/search',
      summary: 'rows of the audit trail, newest first; all filters must match',
      requires: 'admin:audit',
      requiresFor: rightsFor,
      value: PAGE,
      parameters: {
        ...FILTERS,
        limit: optional('the number of rows on a page, 1 to 1000; default: 100'),
        rows: optional('the same, where `limit` is left out'),
        rp: optional('the same, where both are left out'),
        cursor: optional('`next` of the page before; default: the first page'),
      },
    },
    async ({ caller, parameters: { limit: number, rows, rp, cursor, ...filters } }) => {
      const limit = [number, rows, rp].find(isGiven);
      const page = await services.auditReading.page(caller, {
        ...(await filterOf(services, caller, filters, clock)),
        ...withoutEmpty({ cursor }),
        ...(isGiven(limit) && { limit: /^\d{1,6}$/.test(limit) ? Number(limit) : Number.NaN }),
      });
      return shownPage(page);
    },
  );
}

/** The rows have no signatures. */
function shownPage({ rows, next }: AuditPage): Shown<typeof PAGE> {
  return {
    rows: rows.map(({ id, at, actor, action, subject, realm, outcome, client, requestId, transaction }) => ({
      id,
      at,
      actor,
      action,
      serial: subject,
      realm,
      outcome,
      client,
      request: requestId,
      transactionid: transaction,
    })),
    next,
  };
}

function valuesEndpoint(endpoints: () => readonly Endpoint[]): Endpoint {
  return valueReading(
    {
      path: '/audit/values',
      summary: 'the actions and outcomes that rows of the audit trail may have',
      requires: 'admin:audit',
      value: VALUES,
      parameters: {},
    },
    () => {
      const paths = endpoints().map(({ path }) => path.slice(1));
      return Promise.resolve({
        actions: [...new Set([...ACTS, ...paths])].sort(),
        outcomes: [...OUTCOME_WORDS].sort(),
      });
    },
  );
}

function exportEndpoint(services: Selecting, clock: Clock): Endpoint {
  return administratorEndpoint(
    {
      path: '/audit/export',
      methods: ['POST'],
      summary:
        'a file of the audit trail; it can be verified if it is JSON lines and no filter but times is given',
      requires: 'admin:audit',
      requiresFor: rightsFor,
      answers: EXPORT,
      answerHeaders: {
        'Content-Disposition': 'the name of the file',
        'X-Audit-Verifiable': '`yes`, or `no` for CSV, selected rows, and callers who are bound to realms',
      },
      changesState: true,
      parameters: z.object({ ...FILTERS, format: optional('`jsonl` (default) or `csv`', 'csv') }),
    },
    async ({ caller, parameters: { format, ...filters } }) => {
      const granted = await services.auditReading.grantExport(caller, {
        ...(await filterOf(services, caller, filters, clock)),
        format: formatOf(format),
      });
      return fileReply(granted, clock.now());
    },
  );
}

function formatOf(text: string | undefined): ExportFormat {
  const format = isGiven(text) ? text : 'jsonl';
  if (format !== 'jsonl' && format !== 'csv') {
    throw new ServiceError('parameter.invalid', 'The format must be jsonl or csv', { parameter: 'format' });
  }
  return format;
}

function fileReply({ format, isVerifiable, write }: GrantedExport, at: Date): Reply {
  const time = at.toISOString().slice(0, 19).replaceAll(':', '-');
  return {
    status: 200,
    contentType: format === 'csv' ? 'text/csv; charset=utf-8' : 'application/x-ndjson; charset=utf-8',
    headers: {
      'Content-Disposition': `attachment; filename="audit${isVerifiable ? '' : '-extract'}-${time}Z.${format}"`,
      'X-Audit-Verifiable': isVerifiable ? 'yes' : 'no',
    },
    stream: async (take) => {
      await write(take);
    },
  };
}

async function filterOf(
  { people }: Selecting,
  caller: Caller,
  { serial, user, request, transactionid, since, until, ...filter }: Filters,
  clock: Clock,
): Promise<Omit<AuditPageRequest, 'limit' | 'cursor'>> {
  const now = clock.now();
  return {
    ...withoutEmpty(filter),
    ...(isGiven(user) && { subjects: await people.serialsOf(caller, { user }) }),
    ...withoutEmpty({ subject: serial, requestId: request, transaction: transactionid }),
    ...(isGiven(since) && { since: parsePastInstant(since, now, 'since') }),
    ...(isGiven(until) && { until: parsePastInstant(until, now, 'until') }),
  };
}

function isGiven(text: string | undefined): text is string {
  return text !== undefined && text !== '';
}

/** Leaves out empty parameters, as forms send them for fields that were not filled in. */
function withoutEmpty<Names extends string>(
  texts: Readonly<Partial<Record<Names, string | undefined>>>,
): Partial<Record<Names, string>> {
  const entries = Object.entries<string | undefined>(texts).filter(([, text]) => isGiven(text));
  return Object.fromEntries(entries) as Partial<Record<Names, string>>;
}

const FINDING = z.strictObject({
  kind: z.enum(['changed', 'removed', 'inserted']),
  of: z.enum(['row', 'checkpoint']),
  id: z.string().nullable().describe('of the row, or number of the checkpoint; null where it is not known'),
  at: z.string().nullable().describe('UTC, to the microsecond'),
  reason: z.string(),
});

const VERIFICATION = z.strictObject({
  id: z.string().describe('decimal digits'),
  state: z.enum(['running', 'finished', 'failed', 'interrupted']),
  begun: z.iso.datetime(),
  begun_by: z.string(),
  ended: z.iso.datetime().nullable(),
  rows: count.describe('checked so far'),
  of: count.describe('the approximate number of all'),
  checkpoints: count.describe('0 before the end'),
  newest: z.string().describe('the newest checkpoint, hexadecimal; empty before the end'),
  checkpoint: z.string().describe('the checkpoint that must be there; empty where none was given'),
  findings: count,
  listed: z.array(FINDING).describe('the first hundred findings; empty before the end'),
  reason: z.string().describe('why it failed; empty where it did not'),
});

const NEWEST = z.strictObject({
  verification: VERIFICATION.nullable().describe('the newest one; null: there was none yet'),
  keys: z.array(z.string()).describe('public keys of the installation, Base64, the current one first'),
});

function beginEndpoint(verification: AuditVerification): Endpoint {
  return valueChange(
    {
      path: '/audit/verify',
      summary:
        'begins to verify the whole audit trail in the background; the running verification if there is one',
      requires: 'admin:audit',
      value: VERIFICATION,
      parameters: {
        checkpoint: optional('the hash of a checkpoint that must be there, as a server has logged it'),
      },
    },
    async ({ caller, parameters: { checkpoint } }) => {
      const begun = await verification.begin(caller, checkpoint === '' ? undefined : checkpoint);
      return shownVerification(begun);
    },
  );
}

function verificationEndpoint(verification: AuditVerification): Endpoint {
  return valueReading(
    {
      path: '/audit/verification',
      summary: 'the progress or the result of the newest verification of the audit trail',
      requires: 'admin:audit',
      value: NEWEST,
      parameters: {},
    },
    async ({ caller }) => {
      const { newest, publicKeys } = await verification.newest(caller);
      return {
        verification: newest === undefined ? null : shownVerification(newest),
        keys: publicKeys.map((key) => key.toString('base64')),
      };
    },
  );
}

function shownVerification(record: VerificationRecord): Shown<typeof VERIFICATION> {
  return {
    id: record.id,
    state: record.state,
    begun: record.begunAt.toISOString(),
    begun_by: record.begunBy,
    ended: record.endedAt?.toISOString() ?? null,
    rows: record.rows,
    of: Math.max(record.rows, record.of),
    checkpoints: record.checkpoints,
    newest: record.newest,
    checkpoint: record.checkpoint,
    findings: record.findings,
    listed: record.listed,
    reason: record.reason,
  };
}
