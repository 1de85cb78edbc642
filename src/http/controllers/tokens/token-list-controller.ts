import { z } from 'zod';
import { ServiceError } from '../../../kernel/errors.ts';
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
import { count, type DialectAnswers, valueOf } from '../../answers.ts';
import type { Dialect } from '../../dialects/dialect.ts';
import { administratorEndpoint, type Endpoint } from '../../endpoint-spec.ts';
import type { Reply } from '../../reply.ts';
import { blankAsUndefined, optional } from '../../request/parameters.ts';
import { readNumber, SELECTION } from './token-controller.ts';

const failcount = count.describe('the number of wrong responses since the last right one');
const realms = z.array(z.string());

const TOKEN = z.strictObject({
  serial: z.string(),
  type: z.string(),
  description: z.string(),
  user: z.string().nullable().describe('the login of the owner; null: nobody'),
  resolver: z.string().nullable().describe('the resolver of the owner'),
  realms,
  active: z.boolean(),
  failcount,
  maxfail: count.describe('the number of wrong responses that locks the token'),
  counter: z.string().describe('the next counter: 64 bits, as a text'),
  counterwindow: count,
  syncwindow: count,
  ocrasuite: z.string().nullable(),
  rollout: z.string().describe('the phase of the roll-out'),
  haspin: z.boolean().describe('true: there is a token PIN'),
  validfrom: z.iso.datetime().nullable().describe('the beginning of its period; null: none'),
  validuntil: z.iso.datetime().nullable().describe('the end of its period; null: none'),
  usecount: count.describe('the number of responses, counted while a maximum is set'),
  maxuses: count.nullable().describe('the number of responses after which none is accepted; null: any'),
  successcount: count.describe('the number of accepted responses, counted while a maximum is set'),
  maxsuccesses: count.nullable().describe('the number of accepted responses; null: any'),
  created: z.iso.datetime(),
  lastsuccess: z.iso.datetime().nullable().describe('the time of the last accepted response'),
});

const LINOTP_TOKEN = z.strictObject({
  'LinOtp.OtpLen': count,
  'LinOtp.TokenType': z.string(),
  'LinOtp.TokenSerialnumber': z.string(),
  'LinOtp.CountWindow': count,
  'User.description': z.string(),
  'LinOtp.IdResClass': z.string(),
  'LinOtp.RealmNames': realms,
  'LinOtp.Count': count,
  'User.userid': z.string(),
  'LinOtp.TokenId': count,
  'LinOtp.TokenInfo': z.string().describe('JSON'),
  'LinOtp.FailCount': failcount,
  'LinOtp.MaxFail': count,
  'User.username': z.string(),
  'LinOtp.LastAuthSuccess': z.string(),
  'LinOtp.SyncWindow': count,
  'LinOtp.LastAuthMatch': z.string(),
  'LinOtp.TokenDesc': z.string(),
  'LinOtp.IdResolver': z.string(),
  'LinOtp.Userid': z.string(),
  'LinOtp.CreationDate': z.string(),
  'LinOtp.Isactive': z.boolean(),
});

export const TOKEN_PAGE = {
  documented: z.strictObject({
    total: count.describe('the number of tokens on all pages'),
    page: count,
    pagesize: count,
    tokens: z.array(TOKEN),
  }),
  linotp: z.strictObject({
    resultset: z.strictObject({ tokens: count, pages: count, pagesize: count, page: count }),
    data: z.array(LINOTP_TOKEN),
  }),
};

const CSV_ANSWER = {
  contentType: 'text/csv',
  meaning: 'with `outform=csv`: a head and the tokens, no formulas',
} as const;

export function tokenListEndpoint({ tokens }: Pick<Services, 'tokens'>): Endpoint {
  const orders = [...TOKEN_ORDERS.keys()].map((name) => `\`${name}\``).join(', ');
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
    throw new ServiceError('parameter.invalid', "The parameter 'outform' is json or csv", {
      parameter: 'outform',
    });
  }
  return form === 'csv';
}

/** All tokens are read piece by piece, in the order of an index. */
function refuseOtherOrder(sort: TokenSort | undefined): void {
  if (sort !== undefined && (sort.by !== 'serial' || sort.descending)) {
    throw new ServiceError(
      'parameter.invalid',
      "With outform=csv and without 'pagesize' tokens are listed by serial: leave out 'sortby'",
      { parameter: 'sortby' },
    );
  }
}

function csvReply(
  { name, administration }: Dialect,
  pages: AsyncIterable<TokenPage> | Iterable<TokenPage>,
): Reply {
  const separator = name === 'linotp' ? ';' : ',';
  const head = Object.keys(name === 'linotp' ? LINOTP_TOKEN.shape : TOKEN.shape);
  return {
    status: 200,
    contentType: 'text/csv; charset=utf-8',
    headers: { 'Content-Disposition': 'attachment; filename="tokens.csv"' },
    stream: async (write) => {
      await write(csvLine(head, separator));
      for await (const page of pages) {
        const rows = administration.tokenRows(page);
        const lines = rows.map((row) =>
          csvLine(
            head.map((key) => cell(row[key])),
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
