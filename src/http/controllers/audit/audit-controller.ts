import { z } from 'zod';
import type { AuditExport, GrantedExport } from '../../../audit/audit-export.ts';
import type { AuditPageRequest, AuditSearch } from '../../../audit/audit-search.ts';
import type { ExportFormat } from '../../../audit/export-trail.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { ServiceError } from '../../../kernel/errors.ts';
import { parsePastInstant } from '../../../kernel/past-instant.ts';
import type { AdministrationDialect } from '../../dialects/dialect.ts';
import { administratorEndpoint, type Endpoint } from '../../endpoint-spec.ts';
import type { Reply } from '../../reply.ts';
import { optional } from '../../request/parameter-schemas.ts';
import { AUDIT_EXPORT, AUDIT_PAGE, AUDIT_VALUES } from '../answers/audit-answers.ts';

/** The parameters that select rows. */
const FILTERS = {
  serial: optional('the token, or whatever else the act was about'),
  actor: optional('the administrator; `operator:NAME` for commands'),
  action: optional('such as `ocra/check_t` or `admin/init`; an unknown one is refused'),
  realm: optional('a realm of what the act was about'),
  outcome: optional(
    'such as `accepted`, `wrong` or `created`, whatever details follow; an unknown one is refused',
  ),
  client: optional('the address'),
  request: optional('the id of the request'),
  transactionid: optional('the transaction'),
  since: optional('a date, a time, or a duration back from now (`30M`, `1H`, `2D`, `1W`)'),
  until: optional('likewise; excludes this instant itself'),
} as const;

type Filters = Readonly<Partial<Record<keyof typeof FILTERS, string | undefined>>>;

/** @returns the endpoints that search and export the audit trail */
export function auditEndpoints(
  audit: AuditSearch,
  exports: AuditExport,
  dialect: AdministrationDialect,
  clock: Clock,
): Endpoint[] {
  return [
    searchEndpoint(audit, dialect, clock),
    valuesEndpoint(audit, dialect),
    exportEndpoint(exports, clock),
  ];
}

function searchEndpoint(audit: AuditSearch, dialect: AdministrationDialect, clock: Clock): Endpoint {
  return administratorEndpoint(
    {
      path: '/audit/search',
      methods: ['GET', 'POST'],
      summary: 'rows of the audit trail, newest first; all filters must match',
      requires: 'admin:audit',
      answers: AUDIT_PAGE,
      family: 'linotp2',
      usage: 'audit/search: search the audit trail.',
      changesState: false,
      parameters: z.object({
        ...FILTERS,
        limit: optional('the number of rows on a page, 1 to 1000; default: 100'),
        cursor: optional('`next` of the page before; default: the first page'),
      }),
    },
    async ({ caller, parameters: { limit, cursor, ...filters }, context }) => {
      const page = await audit.page(caller, {
        ...filterOf(filters, clock),
        ...withoutEmpty({ cursor }),
        ...(isGiven(limit) && { limit: /^\d{1,6}$/.test(limit) ? Number(limit) : Number.NaN }),
      });
      return dialect.value(dialect.shapes.auditPage(page), context);
    },
  );
}

function valuesEndpoint(audit: AuditSearch, dialect: AdministrationDialect): Endpoint {
  return administratorEndpoint(
    {
      path: '/audit/values',
      methods: ['GET', 'POST'],
      summary: 'the actions and outcomes that rows of the audit trail may have',
      requires: 'admin:audit',
      answers: AUDIT_VALUES,
      family: 'linotp2',
      usage: 'audit/values: get the values of filters.',
      changesState: false,
      parameters: z.object({}),
    },
    async ({ caller, context }) => dialect.value({ ...(await audit.values(caller)) }, context),
  );
}

function exportEndpoint(exports: AuditExport, clock: Clock): Endpoint {
  return administratorEndpoint(
    {
      path: '/audit/export',
      methods: ['POST'],
      summary:
        'a file of the audit trail; it can be verified if it is JSON lines and no filter but times is given',
      requires: 'admin:audit',
      answers: AUDIT_EXPORT,
      answerHeaders: {
        'Content-Disposition': 'the name of the file',
        'X-Audit-Verifiable': '`yes`, or `no` for CSV, selected rows, and callers who are bound to realms',
      },
      family: 'linotp2',
      usage: 'audit/export: export the audit trail.',
      changesState: true,
      parameters: z.object({ ...FILTERS, format: optional('`jsonl` (default) or `csv`', 'csv') }),
    },
    async ({ caller, parameters: { format, ...filters } }) => {
      const granted = await exports.grant(caller, { ...filterOf(filters, clock), format: formatOf(format) });
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

function filterOf(
  { serial, request, transactionid, since, until, ...filter }: Filters,
  clock: Clock,
): Omit<AuditPageRequest, 'limit' | 'cursor'> {
  const now = clock.now();
  return {
    ...withoutEmpty(filter),
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
