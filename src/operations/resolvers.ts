import { z } from 'zod';
import { RESOLVER_KINDS, type Resolver } from '../configuration/configuration.ts';
import { type Consequence, consequence } from '../consequences/consequence.ts';
import { ServiceError } from '../kernel/errors.ts';
import { mayHoldPassword } from '../kernel/text.ts';
import type { Caller } from '../policy/caller.ts';
import type { ResolverDraft } from '../resolvers/resolver-draft.ts';
import { describedKinds, isSecretSetting } from '../resolvers/settings/settings-rules.ts';
import { describeTrial, EXAMINATION } from '../resolvers/user-source.ts';
import type { Services } from '../services.ts';
import { choice, expected, flag, pairs, password, text } from './input.ts';
import { operation, type OperationGroup } from './operation.ts';

const name = text('the name of the resolver', 'staff');
const kind = choice('what it reads', RESOLVER_KINDS).optional();
const count = z.int().nonnegative();

const RESOLVER = z.object({
  name: z.string().meta({ column: 'NAME' }),
  kind: z.enum(RESOLVER_KINDS).meta({ column: 'KIND' }),
  settings: z.record(z.string(), z.string()).meta({ column: 'SETTINGS' }),
  hasSecret: z.boolean().meta({ column: 'SECRET', description: 'it signs in with a password' }),
});

const USER = z.object({
  login: z.string(),
  userId: z.string(),
  givenName: z.string(),
  surname: z.string(),
  email: z.string(),
  phone: z.string(),
});

const TRIAL = z.object({
  isReadable: z.boolean(),
  reason: z.string().optional().describe('why the users cannot be read'),
  users: count.optional(),
  first: z.array(USER).optional().describe('some users; absent: the caller may not list them'),
  hasMore: z.boolean().optional().describe('there are more of those that `find` asks for'),
  found: EXAMINATION.optional().describe(
    'present where not every entry is a user with an id of its own, or lines are passed over',
  ),
});

const CHANGES = {
  set: pairs(
    'a setting, as `resolver kinds` lists them; an empty value removes it',
    '{"TIMEOUT": "5", "BINDDN": ""}',
  ).optional(),
  secret: password('the password that the resolver signs in with').optional(),
};
const remove_secret = flag('it signs in without a password');

interface Changes {
  readonly name: string;
  readonly kind?: string | undefined;
  readonly set?: Readonly<Record<string, string>> | undefined;
  readonly secret?: string | undefined;
  readonly remove_secret?: boolean;
}

function shownResolver(resolver: Resolver): z.output<typeof RESOLVER> {
  return { ...resolver, hasSecret: typeof resolver.secretStamp === 'string' };
}

/** Command lines and settings are seen by others. @throws ServiceError 'resolver.invalid' for a password among them */
function draftOf(
  { resolvers }: Pick<Services, 'resolvers'>,
  { set = {}, secret, remove_secret: isRemoved = false, ...named }: Changes,
): Promise<ResolverDraft> {
  const [held] = Object.entries(set).find(
    ([setting, value]) => isSecretSetting(setting) || mayHoldPassword(value),
  ) ?? [undefined];
  if (held !== undefined || (isRemoved && secret !== undefined)) {
    throw new ServiceError(
      'resolver.invalid',
      held === undefined
        ? 'Give a password or remove the stored one, not both'
        : `The setting ${held.trim().slice(0, 100)} holds a password: leave it out, and give the password as the secret (--secret-file FILE, - for stdin, or --ask-secret)`,
    );
  }
  return resolvers.draft({ ...named, settings: set, secret: isRemoved ? null : secret });
}

/** Users that are kept here can be read. */
async function unreadable(
  services: Services,
  caller: Caller,
  changes: Changes,
): Promise<readonly Consequence[]> {
  const draft = await draftOf(services, changes);
  const trial = draft.kind === 'managed' ? undefined : await services.resolverTrials.try(caller, draft);
  return trial?.isReadable === false
    ? consequence(true, 'resolver.unreadable', `the users of ${draft.name} cannot be read: ${trial.reason}`)
    : [];
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

const listKinds = operation({
  name: 'resolver kinds',
  does: 'the kinds of resolvers, and the settings that they take',
  right: 'system:read',
  changes: false,
  input: {},
  output: z.object({
    kinds: z.array(
      z.object({
        kind: z.enum(RESOLVER_KINDS).meta({ column: 'KIND' }),
        meaning: z.string().meta({ column: 'MEANING' }),
      }),
    ),
    settings: z.array(
      z.object({
        kind: z.enum(RESOLVER_KINDS).meta({ column: 'KIND' }),
        name: z.string().meta({ column: 'SETTING' }),
        isRequired: z.boolean().meta({ column: 'REQUIRED' }),
        default: z
          .string()
          .optional()
          .meta({ column: 'DEFAULT', description: 'the value that applies without one' }),
        description: z.string().meta({ column: 'MEANING' }),
        values: z.array(z.string()).optional().describe('the only values'),
        example: z.string().optional(),
        form: z.enum(['lines', 'json']).optional().describe('`json`: a JSON object of texts'),
        isSecret: z.boolean().optional().describe('a password: given as `secret`, and never shown'),
        isBoundToSecret: z
          .boolean()
          .optional()
          .describe('where it changes, the stored password must be given again'),
      }),
    ),
  }),
  run: () => Promise.resolve(describedKinds()),
});

const addResolver = operation({
  name: 'resolver add',
  does: 'adds a resolver; of users that are kept here, where no kind is named',
  right: 'system:write',
  changes: true,
  input: { name, kind, ...CHANGES },
  run: async (services, caller, input) => {
    const draft = await draftOf(services, input);
    if (draft.expected !== null) {
      throw new ServiceError('resolver.invalid', `There is a resolver '${draft.name}' already`);
    }
    await services.resolvers.set(caller, draft);
  },
  asks: unreadable,
  asksByCommand: true,
  says: (_none, input) => `the resolver ${input.name} is added`,
});

const setResolver = operation({
  name: 'resolver set',
  does: 'changes settings of a resolver; what is not named stays as it is',
  right: 'system:write',
  changes: true,
  input: {
    name,
    ...CHANGES,
    remove_secret,
    expected: expected(
      z.record(z.string(), z.string()).nullable(),
      'the settings that were read: where there are others, nothing is done',
    ),
  },
  run: async (services, caller, { expected: read, ...changes }) => {
    await services.resolvers.show(changes.name);
    const draft = await draftOf(services, changes);
    await services.resolvers.set(caller, read === undefined ? draft : { ...draft, expected: read });
  },
  asks: async (services, caller, changes) => {
    await services.resolvers.show(changes.name);
    return unreadable(services, caller, changes);
  },
  asksByCommand: true,
  says: (_none, input) => `the resolver ${input.name} is changed`,
});

const testResolver = operation({
  name: 'resolver test',
  does: 'reads the users of a resolver as it is, or as it would be with these settings',
  right: 'system:write',
  changes: true,
  input: {
    name,
    kind,
    ...CHANGES,
    remove_secret,
    find: text(
      'shows only users whose login, name or e-mail address begins with these words',
      'ann',
    ).optional(),
  },
  output: TRIAL,
  run: async (services, caller, { find, ...changes }) => {
    const { kind: other, set, secret, remove_secret: isRemoved } = changes;
    const isAsItIs = other === undefined && set === undefined && secret === undefined && !isRemoved;
    const tried = isAsItIs ? { name: changes.name } : await draftOf(services, changes);
    return services.resolverTrials.try(caller, tried, find);
  },
  says: (trial, input) => `the resolver ${input.name} answers: ${describeTrial(trial)}`,
  fails: (trial, input) =>
    trial.isReadable ? undefined : `the users of ${input.name} cannot be read: ${trial.reason}`,
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

export const RESOLVERS: OperationGroup = {
  name: 'resolver',
  about: 'resolvers: where users live',
  operations: [
    listResolvers,
    showResolver,
    listKinds,
    addResolver,
    setResolver,
    testResolver,
    removeResolver,
  ],
};
