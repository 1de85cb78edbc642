import { z } from 'zod';
import { password, text } from './input.ts';
import { operation, type OperationGroup } from './operation.ts';

const NAMED = { login: text('the login', 'anna'), resolver: text('a managed resolver', 'staff') };

const addUser = operation({
  name: 'user add',
  does: 'adds a user to a managed resolver; without a password, none matches',
  right: 'system:write',
  changes: true,
  input: {
    ...NAMED,
    given_name: text('the given name', 'Anna').optional(),
    surname: text('the surname', 'Berg').optional(),
    email: text('the e-mail address', 'anna@example.com').optional(),
    phone: text('the phone number', '+49 30 1').optional(),
    password: password('the password, of 8 characters or more').optional(),
  },
  output: z.object({ userId: z.string() }),
  run: ({ users }, caller, { given_name: givenName, ...user }) => users.add(caller, { ...user, givenName }),
  says: (_added, { login, resolver }) => `the user ${login} is added to ${resolver}`,
});

const setPassword = operation({
  name: 'user password',
  does: 'sets the password of a user of a managed resolver',
  right: 'system:write',
  changes: true,
  input: { ...NAMED, password: password('the new password, of 8 characters or more') },
  run: ({ users }, caller, input) => users.setPassword(caller, input),
  says: (_none, { login, resolver }) => `the user ${login} of ${resolver} has a new password`,
});

const removePassword = operation({
  name: 'user remove-password',
  does: 'takes the password of a user of a managed resolver away; none matches then',
  right: 'system:write',
  changes: true,
  input: NAMED,
  run: ({ users }, caller, input) => users.setPassword(caller, { ...input, password: null }),
  asks: ({ consequences }, _caller, input) => consequences.ofPasswordRemoval(input),
  says: (_none, { login, resolver }) => `the user ${login} of ${resolver} has no password any more`,
});

const removeUser = operation({
  name: 'user remove',
  does: 'removes a user of a managed resolver; the tokens become unassigned',
  right: 'system:write',
  changes: true,
  input: NAMED,
  run: ({ users }, caller, input) => users.remove(caller, input),
  asks: ({ consequences }, _caller, input) => consequences.ofUserRemoval(input),
  says: (_none, { login, resolver }) => `the user ${login} of ${resolver} is removed`,
});

export const USERS: OperationGroup = {
  name: 'user',
  about: 'users: those of managed resolvers are kept here',
  operations: [addUser, setPassword, removePassword, removeUser],
};
