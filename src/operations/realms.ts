import { z } from 'zod';
import { list, expected, text } from './input.ts';
import { operation, type OperationGroup } from './operation.ts';

const name = text('the name of the realm', 'office');
const resolvers = list('the resolvers, in the order of the look-up', 'staff').meta({ given: 'option' });
const READ = expected(
  z.array(z.string()).nullable(),
  'the resolvers that were read, or null for a new realm: where there are others, nothing is done',
);

const REALM = z.object({
  name: z.string().meta({ column: 'NAME' }),
  isDefault: z.boolean().meta({ column: 'DEFAULT' }),
  resolvers: z.array(z.string()).meta({ column: 'RESOLVERS' }),
});

const listRealms = operation({
  name: 'realm list',
  does: 'realms by name',
  right: 'system:read',
  changes: false,
  input: {},
  output: z.array(REALM),
  run: ({ realms }) => realms.list(),
});

const showRealm = operation({
  name: 'realm show',
  does: 'a realm',
  right: 'system:read',
  changes: false,
  input: { name },
  output: REALM,
  run: ({ realms }, _caller, input) => realms.show(input.name),
});

const addRealm = operation({
  name: 'realm add',
  does: 'adds a realm; the first one becomes the default',
  right: 'system:write',
  changes: true,
  input: { name, resolvers },
  run: ({ realms }, caller, input) => realms.set(caller, { ...input, expected: null }),
  says: (_none, input) => `the realm ${input.name} is added`,
});

const setRealm = operation({
  name: 'realm set',
  does: 'sets the resolvers of a realm',
  right: 'system:write',
  changes: true,
  input: { name, resolvers, expected: READ },
  run: async ({ realms }, caller, input) => {
    const { resolvers: stored } = await realms.show(input.name);
    // A realm that is removed meanwhile is not made again.
    await realms.set(caller, { ...input, expected: input.expected === undefined ? stored : input.expected });
  },
  asks: ({ consequences }, _caller, input) => consequences.ofRealmChange(input),
  says: (_none, input) => `the realm ${input.name} has these resolvers now: ${input.resolvers.join(', ')}`,
});

const setDefault = operation({
  name: 'realm default',
  does: 'says which realm counts where none is named',
  right: 'system:write',
  changes: true,
  input: { name },
  run: ({ realms }, caller, input) => realms.setDefault(caller, input.name),
  asks: ({ consequences }, _caller, input) => consequences.ofDefaultRealm(input.name),
  says: (_none, input) => `the default realm is ${input.name}`,
});

const removeDefault = operation({
  name: 'realm no-default',
  does: 'has no default realm any more; the realm stays',
  right: 'system:write',
  changes: true,
  input: {},
  run: ({ realms }, caller) => realms.setDefault(caller, null),
  asks: ({ consequences }) => consequences.ofDefaultRealm(null),
  says: () => 'there is no default realm now',
});

const removeRealm = operation({
  name: 'realm remove',
  does: 'removes a realm, also from its tokens',
  right: 'system:write',
  changes: true,
  input: { name },
  run: ({ realms }, caller, input) => realms.remove(caller, input.name),
  asks: ({ consequences }, _caller, input) => consequences.ofRealmRemoval(input.name),
  says: (_none, input) => `the realm ${input.name} is removed`,
});

export const REALMS: OperationGroup = {
  name: 'realm',
  about: 'realms: sets of users, fed from resolvers',
  operations: [listRealms, showRealm, addRealm, setRealm, setDefault, removeDefault, removeRealm],
};
