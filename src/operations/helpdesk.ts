import { z } from 'zod';
import { TRANSACTION_STATES } from '../challenges/transaction-service.ts';
import { filter, text } from './input.ts';
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

export const HELPDESK: OperationGroup = {
  name: 'helpdesk',
  about: 'people, tokens and transactions as a helpdesk looks for them',
  operations: [search, person, endSessions],
};
