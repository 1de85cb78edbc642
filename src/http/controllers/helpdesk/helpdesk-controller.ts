import { z } from 'zod';
import type { Services } from '../../../services.ts';
import type { OwnedToken } from '../../../helpdesk/owned-token.ts';
import type { Person, RecentTransaction } from '../../../helpdesk/person-service.ts';
import type { SearchResult } from '../../../helpdesk/search-service.ts';
import type { TokenSheet } from '../../../helpdesk/token-list-service.ts';
import { ServiceError } from '../../../kernel/errors.ts';
import { splitList } from '../../../kernel/text.ts';
import { NO_REALM } from '../../../monitoring/monitoring-query.ts';
import type { DirectoryUser } from '../../../resolvers/user-source.ts';
import { count, type Shown } from '../../answers.ts';
import { type Endpoint, valueChange, valueReading } from '../../endpoint-spec.ts';
import { readTokenSort } from '../../../tokens/token-selection.ts';
import { blankAsUndefined, optional, required } from '../../request/parameters.ts';
import type {
  TransactionEvent,
  TransactionHistory,
  TransactionService,
} from '../../../challenges/transaction-service.ts';
import type { UserReference } from '../../../users/user-directory.ts';

const REALMS = z.array(z.string());
const LOGIN = z.string().describe('the login');
const NAMES = { given_name: z.string(), surname: z.string(), email: z.string(), phone: z.string() };

const TOKEN = z.strictObject({
  serial: z.string(),
  type: z.string(),
  description: z.string(),
  owner: z
    .strictObject({
      user: LOGIN,
      resolver: z.string(),
      realm: z.string().nullable().describe('a visible realm by which the owner is found'),
    })
    .nullable()
    .describe('null: nobody'),
  realms: REALMS.describe('those that the caller may see'),
  second_factor: z.boolean().describe('true: an administrator signs in with it'),
  active: z.boolean(),
  locked: z.boolean().describe('true: too many wrong responses'),
  fail_count: count.describe('the number of wrong responses since the last right one'),
  max_fail: count.describe('the number of wrong responses that locks the token'),
  valid_from: z.iso.datetime().nullable().describe('the beginning of its period; null: none'),
  valid_until: z.iso.datetime().nullable().describe('the end of its period; null: none'),
  use_count: count.describe('the number of responses, counted while a maximum is set'),
  max_uses: count.nullable().describe('the number of responses after which none is accepted; null: any'),
  success_count: count.describe('the number of accepted responses, counted while a maximum is set'),
  max_successes: count.nullable().describe('the number of accepted responses; null: any'),
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

const TRANSACTIONS = z
  .array(
    z.strictObject({
      transaction_id: z.string(),
      serial: z.string(),
      issued: z.iso.datetime(),
      state: z.enum(['open', 'expired', 'accepted', 'given up', 'superseded', 'declined', 'reported']),
      wrong: count.describe('the number of wrong responses'),
    }),
  )
  .nullable()
  .describe(
    'the latest ones that are stored, newest first; null: the caller lacks the right `admin:transaction`',
  );

const SEARCH_RESULT = z.strictObject({
  tokens: z
    .strictObject({ hits: z.array(TOKEN), more: z.boolean() })
    .nullable()
    .describe('null: the caller lacks the right `admin:show`'),
  people: z
    .strictObject({
      hits: z.array(
        z.strictObject({
          user: LOGIN,
          ...NAMES,
          resolver: z.string(),
          realms: REALMS.describe('the visible realms that have the resolver, the default one first'),
          locked: z.boolean().describe('true: a visible token of the user is locked'),
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
        realms: REALMS,
        state: z.enum([
          'open',
          'expired',
          'accepted',
          'given up',
          'superseded',
          'declined',
          'reported',
          'ended',
        ]),
      }),
    )
    .nullable()
    .describe('null: the caller lacks the right `admin:transaction`'),
});

const PERSON = z.strictObject({
  user: LOGIN,
  realm: z.string(),
  resolver: z.string(),
  details: z.strictObject(NAMES).nullable().describe('null: the caller lacks the right `admin:userlist`'),
  tokens: z.array(TOKEN).describe('the first hundred'),
  more: z.boolean().describe('true: there are further tokens'),
  transactions: TRANSACTIONS,
  sessions: count
    .nullable()
    .describe('open sessions at the account page; null: the caller lacks the right `admin:sessions`'),
});

const TOKEN_FACTS = z.strictObject({ token: TOKEN, transactions: TRANSACTIONS });

const TOKEN_SHEET = z.strictObject({
  tokens: z.array(
    TOKEN.extend({
      owner_name: z
        .string()
        .nullable()
        .describe('given name and surname; null without `names`, `admin:userlist` or a timely answer'),
      open_challenges: count
        .nullable()
        .describe('the number of challenges that take responses; null without `admin:transaction`'),
    }),
  ),
  next: z.string().nullable().describe('`cursor` of the next page; null: there is none'),
  total: count
    .nullable()
    .describe('the number of tokens on all pages; null: no count is kept for this filter'),
});

export function helpdeskEndpoints({
  transactions,
  helpdesk,
}: Pick<Services, 'helpdesk' | 'transactions'>): Endpoint[] {
  const ofHelpdesk = [searchEndpoint, personEndpoint, sessionsEndpoint, tokenEndpoint, tokensEndpoint];
  return [transactionEndpoint(transactions), ...ofHelpdesk.map((endpoint) => endpoint(helpdesk))];
}

function searchEndpoint(operations: Services['helpdesk']): Endpoint {
  return valueReading(
    {
      path: '/admin/search',
      summary:
        'finds tokens by the beginning of the serial (`admin:show`), people by the beginning of a name or the digits of a telephone number (`admin:userlist`) and a transaction (`admin:transaction`), ten of each kind at most',
      requires: 'credential',
      requiresFor: () => [['admin:show', 'admin:userlist', 'admin:transaction']],
      value: SEARCH_RESULT,
      parameters: {
        text: required(
          'a serial, login, name, e-mail address, telephone number of five digits or more, `login@realm` or transaction',
          'QR1',
        ),
      },
    },
    async ({ caller, parameters: { text } }) => shownSearch(await operations.search.search(caller, text)),
  );
}

function personEndpoint(operations: Services['helpdesk']): Endpoint {
  return valueReading(
    {
      path: '/admin/person',
      summary:
        'a user with their tokens; names with `admin:userlist` only, the latest transactions with `admin:transaction` only, the sessions at the account page with `admin:sessions` only',
      requires: 'admin:show',
      value: PERSON,
      parameters: PERSON_NAMES,
    },
    async ({ caller, parameters }) =>
      shownPerson(await operations.people.person(caller, referenceOf(parameters))),
  );
}

function sessionsEndpoint(operations: Services['helpdesk']): Endpoint {
  return valueChange(
    {
      path: '/admin/person/sessions/end',
      summary:
        'ends the sessions of a user at the account page, and the sign-ins under way; the number of sessions that were open',
      requires: 'admin:sessions',
      value: count,
      parameters: PERSON_NAMES,
    },
    ({ caller, parameters }) => operations.people.endSessions(caller, referenceOf(parameters)),
  );
}

const PERSON_NAMES = {
  user: required('the login of the user', 'alice'),
  realm: optional('the realm of the user; default: the default realm', 'customers'),
  resconf: optional('the only resolver to ask'),
};

function referenceOf({ user, realm, resconf }: z.output<z.ZodObject<typeof PERSON_NAMES>>): UserReference {
  return { user, realm, resolver: blankAsUndefined(resconf) };
}

function tokenEndpoint(operations: Services['helpdesk']): Endpoint {
  return valueReading(
    {
      path: '/admin/token',
      summary: 'a token, with its latest transactions for callers with `admin:transaction`',
      requires: 'admin:show',
      value: TOKEN_FACTS,
      parameters: { serial: required('the serial of the token', 'QR1') },
    },
    async ({ caller, parameters: { serial } }) => {
      const { token, transactions } = await operations.people.token(caller, serial);
      return { token: shownToken(token), transactions: shownTransactions(transactions) };
    },
  );
}

function tokensEndpoint(operations: Services['helpdesk']): Endpoint {
  return valueReading(
    {
      path: '/admin/tokens',
      summary:
        'a page of tokens by serial, the only order with an index for each filter, without counting them one by one',
      requires: 'admin:show',
      value: TOKEN_SHEET,
      parameters: {
        serial: optional('the beginning of the serial, in any case', 'QR1'),
        user: optional('the login of the owner', 'alice'),
        userrealm: optional('the realm of the owner', 'customers'),
        resconf: optional('the resolver of the owner'),
        realm: optional('a realm of the tokens, `/:no realm:/` for tokens in none', 'customers'),
        status: optional(
          'a comma list of `active`, `inactive`, `assigned`, `unassigned`, `locked`; all must hold',
        ),
        limit: optional('1 to 200; default 50', '50'),
        cursor: optional('`next` of the page before'),
        sortdir: optional('`asc` (default) or `desc`: the last serials first', 'asc'),
        names: optional('`1`: with the names of the owners', '1'),
      },
    },
    async ({ caller, parameters }) => {
      const { serial, user, userrealm, resconf, realm, status = '', limit, cursor, names } = parameters;
      assertLogin(parameters);
      const sheet = await operations.tokenList.page(caller, {
        serialPrefix: blankAsUndefined(serial)?.trim(),
        user,
        userRealm: blankAsUndefined(userrealm),
        userResolver: blankAsUndefined(resconf),
        realm: realm === NO_REALM ? null : blankAsUndefined(realm),
        ...readStatus(status),
        limit: readLimit(blankAsUndefined(limit)),
        cursor: blankAsUndefined(cursor),
        isDescending: readTokenSort({ sortdir: parameters.sortdir })?.descending ?? false,
        hasNames: names === '1',
      });
      return shownTokenSheet(sheet);
    },
  );
}

/** @throws ServiceError 'parameter.invalid' for an owner without a login, who would be read as anybody */
function assertLogin({ user, userrealm, resconf }: Readonly<Record<string, string | undefined>>): void {
  const isOwner = user !== undefined || `${userrealm ?? ''}${resconf ?? ''}`.trim() !== '';
  if (isOwner && blankAsUndefined(user) === undefined) {
    const message = "The parameter 'user' must be a login, where the owner is given";
    throw new ServiceError('parameter.invalid', message, { parameter: 'user' });
  }
}

/** The conditions by their names in the interface. */
const STATUSES = {
  active: { active: true },
  inactive: { active: false },
  assigned: { assigned: true },
  unassigned: { assigned: false },
  locked: { isLocked: true },
} as const;

/** @throws ServiceError 'parameter.invalid' for an unknown name, and for two that exclude each other */
function readStatus(list: string): { active?: boolean; assigned?: boolean; isLocked?: boolean } {
  const names = splitList(list.toLowerCase());
  const excludes = (one: string, other: string): boolean => names.includes(one) && names.includes(other);
  if (
    !names.every((name) => Object.hasOwn(STATUSES, name)) ||
    excludes('active', 'inactive') ||
    excludes('assigned', 'unassigned')
  ) {
    const message =
      'The status must be a comma list of active or inactive, assigned or unassigned, and locked: no other';
    throw new ServiceError('parameter.invalid', message, { parameter: 'status' });
  }
  return Object.assign({}, ...names.map((name) => STATUSES[name as keyof typeof STATUSES])) as object;
}

function readLimit(text: string | undefined): number | undefined {
  if (text === undefined) {
    return undefined;
  }
  return /^\d{1,9}$/.test(text.trim()) ? Number(text) : Number.NaN;
}

function shownSearch({ tokens, people, transactions }: SearchResult): Shown<typeof SEARCH_RESULT> {
  return {
    tokens: tokens && { hits: tokens.hits.map(shownToken), more: tokens.hasMore },
    people: people && {
      hits: people.hits.map(({ login, resolver, realms, hasLockedToken, ...user }) => ({
        user: login,
        ...namesOf(user),
        resolver,
        realms,
        locked: hasLockedToken,
      })),
      more: people.hasMore,
      incomplete: people.incomplete,
    },
    transactions:
      transactions?.map(({ transactionId, serial, realms, state }) => ({
        transaction_id: transactionId,
        serial,
        realms,
        state,
      })) ?? null,
  };
}

function shownPerson(person: Person): Shown<typeof PERSON> {
  const { login, realm, resolver, details, tokens, hasMore, transactions, sessions } = person;
  return {
    user: login,
    realm,
    resolver,
    details: details && namesOf(details),
    tokens: tokens.map(shownToken),
    more: hasMore,
    transactions: shownTransactions(transactions),
    sessions,
  };
}

function shownTokenSheet({ tokens, next, total }: TokenSheet): Shown<typeof TOKEN_SHEET> {
  const listed = tokens.map((token) => ({
    ...shownToken(token),
    owner_name: token.ownerName,
    open_challenges: token.openChallenges,
  }));
  return { tokens: listed, next, total };
}

function namesOf({
  givenName,
  surname,
  email,
  phone,
}: Omit<DirectoryUser, 'userId' | 'login'>): Shown<z.ZodObject<typeof NAMES>> {
  return { given_name: givenName, surname, email, phone };
}

function shownToken(token: OwnedToken): Shown<typeof TOKEN> {
  const { owner } = token;
  return {
    serial: token.serial,
    type: token.type,
    description: token.description,
    owner: owner && { user: owner.login, resolver: owner.resolver, realm: token.ownerRealm },
    realms: token.realms,
    second_factor: token.isSecondFactor,
    active: token.active,
    locked: token.isLocked,
    fail_count: token.failCount,
    max_fail: token.maxFail,
    valid_from: token.use.validFrom?.toISOString() ?? null,
    valid_until: token.use.validUntil?.toISOString() ?? null,
    use_count: token.use.useCount,
    max_uses: token.use.maxUses,
    success_count: token.use.successCount,
    max_successes: token.use.maxSuccesses,
    counter: String(token.counter),
    counter_window: token.counterWindow,
    sync_window: token.syncWindow,
    time_shift: token.timeShift,
    ocra_suite: token.ocraSuite,
    rollout: token.rollout,
    has_pin: token.hasPin,
    created: token.createdAt.toISOString(),
    last_success: token.lastSuccessAt?.toISOString() ?? null,
  };
}

function shownTransactions(transactions: readonly RecentTransaction[] | null): Shown<typeof TRANSACTIONS> {
  return (
    transactions?.map(({ transactionId, serial, issuedAt, state, wrongCount }) => ({
      transaction_id: transactionId,
      serial,
      issued: issuedAt.toISOString(),
      state,
      wrong: wrongCount,
    })) ?? null
  );
}

const EVENT = z.strictObject({
  at: z.string().describe('UTC, to the microsecond'),
  event: z.enum([
    'issued',
    'wrong',
    'accepted',
    'given up',
    'refused',
    'expired',
    'superseded',
    'declined',
    'reported',
    'other',
  ]),
  reason: z.string().describe('in words; empty where the event says it all'),
  action: z.string().describe('the action of the audit row; empty for a derived event'),
  actor: z.string(),
  client: z.string(),
  requestid: z.string(),
  derived: z.boolean().describe('true: no audit row reports the event, it follows from the challenge'),
});

const TRANSACTION = z.strictObject({
  transactionid: z.string(),
  serial: z.string(),
  realms: z.array(z.string()),
  state: z.enum(['open', 'expired', 'accepted', 'given up', 'superseded', 'declined', 'reported', 'ended']),
  stored: z.boolean().describe('false: the challenge is removed, and the audit alone tells its history'),
  data: z.string().optional().describe('the display data'),
  withheld: z.boolean().describe('true: the caller lacks the right to the display data'),
  code: z
    .string()
    .optional()
    .describe('what the QR code of an open challenge says, for callers with `ocra:request`, too'),
  events: z.array(EVENT),
  more: count.describe('the number of further events that have no row'),
});

function transactionEndpoint(transactions: TransactionService): Endpoint {
  return valueReading(
    {
      path: '/admin/transaction',
      summary: 'what happened to a transaction; its display data with `admin:transactiondata` only',
      requires: 'admin:transaction',
      value: TRANSACTION,
      parameters: { transactionid: required('the transaction') },
    },
    async ({ caller, parameters: { transactionid } }) =>
      shownHistory(await transactions.history(caller, transactionid)),
  );
}

/** `data` and `code` only where they are shown. */
function shownHistory(history: TransactionHistory): Shown<typeof TRANSACTION> {
  const { transactionId, serial, realms, state, isStored, data, isDataWithheld, code, events, more } =
    history;
  return {
    transactionid: transactionId,
    serial,
    realms,
    state,
    stored: isStored,
    ...(data === null ? {} : { data }),
    withheld: isDataWithheld,
    ...(code === null ? {} : { code }),
    events: events.map(shownEvent),
    more,
  };
}

function shownEvent(one: TransactionEvent): Shown<typeof EVENT> {
  const { at, event, reason, action, actor, client, requestId, derived } = one;
  return { at, event, reason, action, actor, client, requestid: requestId, derived };
}
