import { z } from 'zod';
import { csvLine, splitList } from '../../../kernel/text.ts';
import { NO_REALM } from '../../../monitoring/monitoring-query.ts';
import type { Services } from '../../../services.ts';
import {
  readTokenSort,
  TOKEN_ORDERS,
  type TokenListing,
  type TokenPage,
  type TokenSort,
} from '../../../tokens/token-selection.ts';
import { type DialectAnswers, valueOf } from '../../answers.ts';
import { TOKEN_PAGE } from '../../dialects/administration-answers.ts';
import type { Dialect } from '../../dialects/dialect.ts';
import { administratorEndpoint, type Endpoint } from '../../endpoint-spec.ts';
import type { Reply } from '../../reply.ts';
import { blankAsUndefined, invalidParameter, optional } from '../../request/parameters.ts';
import { readNumber, SELECTION } from './token-controller.ts';

const CSV_ANSWER = {
  contentType: 'text/csv',
  meaning: 'with `outform=csv`: a head and the tokens, no formulas',
} as const;

export function tokenListEndpoint({ tokens }: Pick<Services, 'tokens'>): Endpoint {
  const orders = Object.keys(TOKEN_ORDERS)
    .map((name) => `\`${name}\``)
    .join(', ');
  return administratorEndpoint(
    {
      path: '/admin/show',
      methods: ['GET', 'POST'],
      summary: 'lists tokens',
      requires: 'admin:show',
      answers: { documented: orCsv(TOKEN_PAGE.documented), linotp: orCsv(TOKEN_PAGE.linotp) },
      answerHeaders: { 'Content-Disposition': 'the name of the file, with `outform=csv`' },
      usage: 'admin/show: list tokens.',
      changesState: false,
      parameters: z.object({
        ...SELECTION,
        viewrealm: optional('a comma list of realms, `/:no realm:/` for tokens in none; empty or `*`: all'),
        page: optional('the number of the page, from 1', '1'),
        pagesize: optional('the number of tokens on a page', '50'),
        filter: optional(
          'a text in serial, type, description or login, in any case; `*` stands for any text',
          'QR1',
        ),
        sortby: optional(`what to sort by: ${orders}; default: the serial`, 'TokenSerialnumber'),
        sortdir: optional('`asc` (default) or `desc`', 'asc'),
        outform: optional('`json` (default) or `csv`, all tokens unless `pagesize` is given', 'json'),
      }),
    },
    async ({ caller, parameters, context, dialect }) => {
      const { serial, user, realm, resconf, viewrealm, page, pagesize, filter, outform } = parameters;
      const sort = readTokenSort(parameters);
      const listing: TokenListing = {
        serial: blankAsUndefined(serial),
        user: blankAsUndefined(user),
        userRealm: realm,
        userResolver: blankAsUndefined(resconf),
        ...readViewRealm(viewrealm ?? ''),
        search: blankAsUndefined(filter),
        sort,
      };
      const paged = {
        ...listing,
        page: { page: readNumber(blankAsUndefined(page)), pageSize: readNumber(blankAsUndefined(pagesize)) },
      };
      if (!isCsv(outform)) {
        return dialect.administration.tokenPage(await tokens.page(caller, paged), context);
      }
      if (paged.page.page !== undefined || paged.page.pageSize !== undefined) {
        return csvReply(dialect, [await tokens.page(caller, paged)]);
      }
      refuseOtherOrder(sort);
      return csvReply(dialect, await tokens.allPages(caller, listing));
    },
  );
}

function orCsv(schema: z.ZodType): DialectAnswers {
  return { ...valueOf(schema), others: [CSV_ANSWER] };
}

function isCsv(outform: string | undefined): boolean {
  const form = outform?.trim().toLowerCase() ?? '';
  if (form !== '' && form !== 'json' && form !== 'csv') {
    throw invalidParameter('outform', "The parameter 'outform' is json or csv");
  }
  return form === 'csv';
}

/** All tokens are read piece by piece, in the order of an index. */
function refuseOtherOrder(sort: TokenSort | undefined): void {
  if (sort !== undefined && (sort.by !== 'serial' || sort.descending)) {
    throw invalidParameter(
      'sortby',
      "With outform=csv and without 'pagesize' tokens are listed by serial: leave out 'sortby'",
    );
  }
}

function csvReply(
  { administration: { tokenTable } }: Dialect,
  pages: AsyncIterable<TokenPage> | Iterable<TokenPage>,
): Reply {
  const { separator, columns } = tokenTable;
  return {
    status: 200,
    contentType: 'text/csv; charset=utf-8',
    headers: { 'Content-Disposition': 'attachment; filename="tokens.csv"' },
    stream: async (write) => {
      await write(csvLine(columns, separator));
      for await (const page of pages) {
        const rows = tokenTable.rows(page);
        const lines = rows.map((row) =>
          csvLine(
            columns.map((column) => cell(row[column])),
            separator,
          ),
        );
        await write(lines.join(''));
      }
    },
  };
}

function cell(value: unknown): string {
  if (Array.isArray(value)) {
    return value.join(' ');
  }
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : '';
}

function readViewRealm(list: string): Pick<TokenListing, 'realm' | 'realms'> {
  const names = splitList(list);
  if (names.length === 0 || names.includes('*')) {
    return {};
  }
  return names.length === 1 && names[0] === NO_REALM ? { realm: null } : { realms: names };
}
