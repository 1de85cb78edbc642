import { z } from 'zod';
import type { AuditSearch } from '../../audit/audit-search.ts';
import type { Clock } from '../../kernel/clock.ts';
import { parsePastInstant } from '../../kernel/past-instant.ts';
import type { AdministrationDialect } from '../dialects/dialect.ts';
import { administratorEndpoint, type Endpoint } from '../endpoint-spec.ts';
import { optional } from '../request/parameter-schemas.ts';
import { AUDIT_PAGE } from './answers/audit-answers.ts';

/** The operations on the audit. */
export type AuditOperations = Pick<AuditSearch, 'page'>;

/** The parameters that a row must equal. */
const FILTERS = {
  serial: optional('the token, or whatever else the act was about'),
  actor: optional('the administrator; `operator:NAME` for commands'),
  action: optional('such as `ocra/check_t` or `admin/init`; an unknown one is refused'),
  realm: optional('a realm of what the act was about'),
  outcome: optional('such as `accepted`, `wrong` or `created`; an unknown one is refused'),
  client: optional('the address'),
  request: optional('the id of the request'),
  transactionid: optional('the transaction'),
} as const;

/** @returns the endpoint that searches the audit trail */
export function auditEndpoint(
  audit: AuditOperations,
  dialect: AdministrationDialect,
  clock: Clock,
): Endpoint {
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
        since: optional('a date, a time, or a duration back from now (`30M`, `1H`, `2D`, `1W`)'),
        until: optional('likewise; excludes this instant itself'),
        limit: optional('the number of rows on a page, 1 to 1000; default: 100'),
        cursor: optional('`next` of the page before; default: the first page'),
      }),
    },
    async ({ caller, parameters, context }) => {
      const { serial, request, transactionid, since, until, limit, cursor, ...filter } = parameters;
      const now = clock.now();
      const page = await audit.page(caller, {
        ...given(filter),
        ...given({ subject: serial, requestId: request, transaction: transactionid, cursor }),
        ...(isGiven(since) && { since: parsePastInstant(since, now, 'since') }),
        ...(isGiven(until) && { until: parsePastInstant(until, now, 'until') }),
        ...(isGiven(limit) && { limit: /^\d{1,6}$/.test(limit) ? Number(limit) : Number.NaN }),
      });
      return dialect.value(dialect.shapes.auditPage(page), context);
    },
  );
}

function isGiven(text: string | undefined): text is string {
  return text !== undefined && text !== '';
}

/** Leaves out empty parameters, as forms send them for fields that were not filled in. */
function given<Names extends string>(
  texts: Readonly<Partial<Record<Names, string | undefined>>>,
): Partial<Record<Names, string>> {
  const entries = Object.entries<string | undefined>(texts).filter(([, text]) => isGiven(text));
  return Object.fromEntries(entries) as Partial<Record<Names, string>>;
}
