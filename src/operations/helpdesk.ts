import { z } from 'zod';
import { PERSON_WITH_TOKENS } from '../helpdesk/person-service.ts';
import { SEARCH_RESULT } from '../helpdesk/search-service.ts';
import { filter, text } from './input.ts';
import { operation, type OperationGroup } from './operation.ts';

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
  output: SEARCH_RESULT,
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
  output: PERSON_WITH_TOKENS,
  run: ({ people }, caller, input) => people.person(caller, input),
});

const endSessions = operation({
  name: 'helpdesk end-sessions',
  does: 'ends the sessions of a user at the account page, and the sign-ins under way',
  right: 'admin:sessions',
  changes: true,
  input: NAMED,
  output: z.int().nonnegative().describe('the number of sessions that were open'),
  run: ({ people }, caller, input) => people.endSessions(caller, input),
  says: (ended, { user }) => `sessions of ${user} ended: ${ended}`,
});

export const HELPDESK: OperationGroup = {
  name: 'helpdesk',
  about: 'people, tokens and transactions as a helpdesk looks for them',
  operations: [search, person, endSessions],
};
