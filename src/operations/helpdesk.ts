import { z } from 'zod';
import { TRANSACTION_STATES } from '../challenges/transaction-service.ts';
import { ServiceError } from '../kernel/errors.ts';
import { NO_REALM } from '../monitoring/monitoring-query.ts';
import { choice, filter, flag, list, text, wholeNumber } from './input.ts';
import { operation, type OperationGroup } from './operation.ts';
import { LATEST_TRANSACTIONS, TOKEN } from './tokens.ts';

const count = z.int().nonnegative();
const realms = z.array(z.string());
const hasMore = z.boolean().describe('true: there are more');
const NAMES = { givenName: z.string(), surname: z.string(), email: z.string(), phone: z.string() };
const login = z.string().meta({ column: 'USER', description: 'the login' });
const transactionId = z.string().meta({ column: 'TRANSACTION' });

const search = operation({
  name: 'helpdesk search',
  does: 'finds tokens by the beginning of the serial (`admin:show`), people by the beginning of a name or the digits of a telephone number (`admin:userlist`) and a transaction (`admin:transaction`), ten of each kind at most',
  right: [['admin:show', 'admin:userlist', 'admin:transaction']],
  changes: false,
  input: {
    text: text(
      'a serial, login, name, e-mail address, telephone number of five digits or more, `login@realm` or transaction',
      'QR1',
    ),
  },
  output: z.object({
    tokens: z
      .object({ hits: z.array(TOKEN).meta({ column: 'Tokens' }), hasMore })
      .nullable()
      .describe('null: the caller lacks the right `admin:show`'),
    people: z
      .object({
        hits: z
          .array(
            z.object({
              login,
              ...NAMES,
              resolver: z.string().meta({ column: 'RESOLVER' }),
              realms: realms.meta({
                column: 'REALMS',
                description: 'the visible realms that have the resolver, the default one first',
              }),
              hasLockedToken: z.boolean().describe('true: a visible token of the user is locked'),
            }),
          )
          .meta({ column: 'People' }),
        hasMore,
        incomplete: z
          .array(z.object({ resolver: z.string(), reason: z.string() }))
          .describe('the resolvers whose users may be missing'),
      })
      .nullable()
      .describe('null: the caller lacks the right `admin:userlist`'),
    transactions: z
      .array(
        z.object({
          transactionId,
          serial: z.string().meta({ column: 'SERIAL' }),
          realms,
          state: z.enum(TRANSACTION_STATES).meta({ column: 'STATE' }),
        }),
      )
      .nullable()
      .meta({ column: 'Transactions' })
      .describe('null: the caller lacks the right `admin:transaction`'),
  }),
  run: ({ helpdeskSearch }, caller, input) => helpdeskSearch.search(caller, input.text),
});

const NAMED = {
  user: text('the login of the user', 'anna'),
  realm: filter('the realm of the user; default: the default realm', 'office'),
  resolver: filter('the only resolver to ask', 'staff'),
};

const person = operation({
  name: 'helpdesk person',
  does: 'a user with their tokens; names with `admin:userlist`, the latest transactions with `admin:transaction`, the sessions at the account page with `admin:sessions` only',
  right: 'admin:show',
  changes: false,
  input: NAMED,
  output: z.object({
    login: z.string(),
    realm: z.string(),
    resolver: z.string(),
    details: z.object(NAMES).nullable().describe('null: the caller lacks the right `admin:userlist`'),
    tokens: z.array(TOKEN).meta({ column: 'Tokens', description: 'the first hundred' }),
    hasMore: hasMore.describe('true: there are further tokens'),
    transactions: LATEST_TRANSACTIONS.meta({ column: 'Transactions' }),
    sessions: count
      .nullable()
      .describe('open sessions at the account page; null: the caller lacks the right `admin:sessions`'),
  }),
  run: ({ people }, caller, input) => people.person(caller, input),
});

const endSessions = operation({
  name: 'helpdesk end-sessions',
  does: 'ends the sessions of a user at the account page, and the sign-ins under way',
  right: 'admin:sessions',
  changes: true,
  input: NAMED,
  output: count.describe('the number of sessions that were open'),
  run: ({ people }, caller, input) => people.endSessions(caller, input),
  says: (ended, { user }) => `sessions of ${user} ended: ${ended}`,
});

/** The conditions by their names. */
const STATUSES = {
  active: { active: true },
  inactive: { active: false },
  assigned: { assigned: true },
  unassigned: { assigned: false },
  locked: { isLocked: true },
} as const;

const STATUS_RULE = 'it must be a list of active or inactive, assigned or unassigned, and locked';

const STATUS = 'of `active`, `inactive`, `assigned`, `unassigned`, `locked`; all must hold';

const status = list(STATUS, 'active,locked')
  .refine((names) => names.every((name) => Object.hasOwn(STATUSES, name.toLowerCase())), STATUS_RULE)
  .transform((names) => names.map((name) => name.toLowerCase() as keyof typeof STATUSES))
  .refine(
    (names) =>
      !(names.includes('active') && names.includes('inactive')) &&
      !(names.includes('assigned') && names.includes('unassigned')),
    STATUS_RULE,
  )
  .meta({ description: STATUS, examples: ['active,locked'], given: 'option' });

const tokens = operation({
  name: 'helpdesk tokens',
  does: 'a page of tokens by serial, the only order with an index for each filter, without counting them one by one',
  right: 'admin:show',
  changes: false,
  input: {
    serial: filter('the beginning of the serial, in any case', 'QR1'),
    // A blank one would be read as anybody.
    user: text('the login of the owner', 'anna').min(1, 'it must be a login').optional(),
    user_realm: filter('the realm of the owner', 'office'),
    user_resolver: filter('the resolver of the owner', 'staff'),
    realm: filter(`a realm of the tokens, \`${NO_REALM}\` for tokens in none`, 'office'),
    status: status.optional(),
    limit: wholeNumber('at most so many; default: 50', 1, 200).optional(),
    cursor: filter('`next` of the page before', 'QR1'),
    order: choice('by serial', ['asc', 'desc']).optional(),
    names: flag('with the names of the owners'),
  },
  output: z.object({
    tokens: z
      .array(
        TOKEN.extend({
          ownerName: z
            .string()
            .nullable()
            .describe('given name and surname; null without `names`, `admin:userlist` or a timely answer'),
          openChallenges: count
            .nullable()
            .describe('the number of challenges that take responses; null without `admin:transaction`'),
        }),
      )
      .meta({ column: 'Tokens' }),
    next: z.string().nullable().describe('`cursor` of the next page; null: there is none'),
    total: count
      .nullable()
      .describe('the number of tokens on all pages; null: no count is kept for this filter'),
  }),
  run: async ({ tokenPages }, caller, { status: names = [], ...input }) => {
    if (input.user === undefined && (input.user_realm ?? input.user_resolver) !== undefined) {
      const message = "The parameter 'user' must be a login, where the owner is given";
      throw new ServiceError('parameter.invalid', message, { parameter: 'user' });
    }
    return tokenPages.page(caller, {
      serialPrefix: input.serial,
      user: input.user,
      userRealm: input.user_realm,
      userResolver: input.user_resolver,
      realm: input.realm === NO_REALM ? null : input.realm,
      ...(Object.assign({}, ...names.map((name) => STATUSES[name])) as object),
      limit: input.limit,
      cursor: input.cursor,
      isDescending: input.order === 'desc',
      hasNames: input.names,
    });
  },
});

export const HELPDESK: OperationGroup = {
  name: 'helpdesk',
  about: 'people, tokens and transactions as a helpdesk looks for them',
  operations: [search, person, endSessions, tokens],
};
