import { z } from 'zod';
import { RESOLVER_KINDS, type Resolver } from '../configuration/configuration.ts';
import { text } from './input.ts';
import { operation, type OperationGroup } from './operation.ts';

const name = text('the name of the resolver', 'staff');

const RESOLVER = z.object({
  name: z.string().meta({ column: 'NAME' }),
  kind: z.enum(RESOLVER_KINDS).meta({ column: 'KIND' }),
  settings: z.record(z.string(), z.string()).meta({ column: 'SETTINGS' }),
  hasSecret: z.boolean().meta({ column: 'SECRET', description: 'it signs in with a password' }),
});

function shownResolver(resolver: Resolver): z.output<typeof RESOLVER> {
  return { ...resolver, hasSecret: typeof resolver.secretStamp === 'string' };
}

const listResolvers = operation({
  name: 'resolver list',
  does: 'resolvers by name',
  right: 'system:read',
  changes: false,
  input: {},
  output: z.array(RESOLVER),
  run: async ({ resolvers }) => (await resolvers.list()).map(shownResolver),
});

const showResolver = operation({
  name: 'resolver show',
  does: 'a resolver',
  right: 'system:read',
  changes: false,
  input: { name },
  output: RESOLVER,
  run: async ({ resolvers }, _caller, input) => shownResolver(await resolvers.show(input.name)),
});

const removeResolver = operation({
  name: 'resolver remove',
  does: 'removes a resolver that no realm and no token refers to',
  right: 'system:write',
  changes: true,
  input: { name },
  run: ({ resolvers }, caller, input) => resolvers.remove(caller, input.name),
  asks: ({ consequences }, _caller, input) => consequences.ofResolverRemoval(input.name),
  says: (_none, input) => `the resolver ${input.name} is removed`,
});

/** `add`, `set` and `test` are commands of their own: they try the resolver first, and read settings from files. */
export const RESOLVERS: OperationGroup = {
  name: 'resolver',
  about: 'resolvers: where users live',
  operations: [listResolvers, showResolver, removeResolver],
};
