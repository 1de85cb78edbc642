import { z } from 'zod';
import { REFUSAL, RIGHTS, VALUES } from '../audit/explanation-service.ts';
import { consequence } from '../consequences/consequence.ts';
import { PREVIEW } from '../consequences/policy-consequences.ts';
import type { PolicyDraft } from '../policy/policy.ts';
import { listUnknownNames, NAMES } from '../policy/policy-names.ts';
import { POLICY_SCOPES } from '../policy/stored-policy.ts';
import { choice, expected, flag, list, text } from './input.ts';
import { operation, type OperationGroup } from './operation.ts';

const name = text('the name of the policy', 'helpdesk');

const POLICY = z.object({
  name: z.string().meta({ column: 'NAME' }),
  scope: z.string().meta({ column: 'SCOPE' }),
  action: z
    .string()
    .meta({ column: 'ACTION', description: 'a list with commas, of `action` or `action=value`' }),
  realm: z.string().meta({ column: 'REALM', description: 'a list with commas' }),
  user: z.string().meta({ column: 'USER', description: 'a list with commas' }),
  client: z.string().meta({
    column: 'CLIENT',
    description: 'a list with commas of addresses and networks; empty: any',
  }),
  time: z
    .string()
    .meta({ column: 'TIME', description: '`minute hour day month weekday year;`; empty: always' }),
  active: z.boolean().meta({ column: 'ACTIVE' }),
});

const READ = expected(
  POLICY.nullable(),
  'the policy that was read, or null: where another one is stored, nothing is done',
);

const CONDITIONS = {
  realm: text('the realms, * for all', 'office').optional(),
  user: text('the administrators, of the owners of tokens the logins; * for all', 'anna').optional(),
  client: text('the addresses and networks of clients; left out: all', '10.0.0.0/8').optional(),
  time: text('minute hour day month weekday year; left out: always', '* 7-19 * * 1-5 *;').optional(),
  inactive: flag('switched off'),
};

const DRAFT = {
  name,
  scope: text(`the scope: ${POLICY_SCOPES.join(', ')}`, 'admin').meta({ given: 'option' }),
  action: text('the actions, each `action` or `action=value`', 'show,enable').meta({ given: 'option' }),
  ...CONDITIONS,
};

function draftOf(given: Omit<PolicyDraft, 'active'> & { readonly inactive: boolean }): PolicyDraft {
  const { scope, action, realm, user, client, time, inactive } = given;
  return { name: given.name, scope, action, realm, user, client, time, active: !inactive };
}

const listPolicies = operation({
  name: 'policy list',
  does: 'policies by name',
  right: 'system:read',
  changes: false,
  input: {
    name: text('the one of a name', 'helpdesk').optional(),
    scope: choice('those of a scope', POLICY_SCOPES).optional(),
    action: text('those with an action', 'show').optional(),
    realm: text('those that hold in a realm', 'office').optional(),
    user: text('those whose list of users has this entry', 'anna').optional(),
  },
  output: z.array(POLICY),
  run: ({ policies }, _caller, input) => policies.list(input),
});

const showPolicy = operation({
  name: 'policy show',
  does: 'a policy',
  right: 'system:read',
  changes: false,
  input: { name },
  output: POLICY,
  run: ({ policies }, _caller, input) => policies.show(input.name),
});

const setPolicy = operation({
  name: 'policy set',
  does: 'creates a policy, or replaces the one of that name',
  right: 'system:write',
  changes: true,
  input: { ...DRAFT, expected: READ },
  run: async ({ policies }, caller, input) => {
    await policies.set(caller, draftOf(input), input.expected);
  },
  asks: async ({ policies, consequences }, caller, input) => {
    const draft = draftOf(input);
    const unknown = await policies.unknownNames(draft);
    return [
      ...consequence(
        unknown.length > 0,
        'policy.unknown-names',
        `it names what does not exist: ${listUnknownNames(unknown)}`,
        { names: unknown.map((one) => one.name) },
      ),
      ...(await consequences.ofPolicy(caller, draft)),
    ];
  },
  says: (_none, input) => `the policy ${input.name} is set`,
});

const checkPolicy = operation({
  name: 'policy check',
  does: 'whether a policy is valid, and what would follow from setting it',
  right: 'system:read',
  changes: false,
  input: {
    name: name.optional(),
    scope: DRAFT.scope.optional(),
    action: DRAFT.action.optional(),
    ...CONDITIONS,
  },
  output: PREVIEW,
  run: ({ consequences }, caller, { name: named = '', scope = '', action = '', ...conditions }) =>
    consequences.previewPolicy(caller, draftOf({ name: named, scope, action, ...conditions })),
});

const switching = (verb: 'enable' | 'disable', does: string) =>
  operation({
    name: `policy ${verb}`,
    does,
    right: 'system:write',
    changes: true,
    input: { name, expected: READ },
    run: async ({ policies }, caller, input) => {
      const policy = await policies.show(input.name);
      const read = input.expected === undefined ? policy : input.expected;
      await policies.set(caller, { ...policy, active: verb === 'enable' }, read);
    },
    asks: async ({ policies, consequences }, caller, input) => {
      const policy = await policies.show(input.name);
      return consequences.ofPolicy(caller, { ...policy, active: verb === 'enable' });
    },
    says: (_none, input) => `the policy ${input.name} is ${verb}d`,
  });

const removePolicy = operation({
  name: 'policy remove',
  does: 'removes a policy',
  right: 'system:write',
  changes: true,
  input: { name, expected: READ },
  run: ({ policies }, caller, input) => policies.remove(caller, input.name, input.expected ?? undefined),
  asks: ({ consequences }, caller, input) => consequences.ofPolicyRemoval(caller, input.name),
  says: (_none, input) => `the policy ${input.name} is removed`,
});

const listNames = operation({
  name: 'policy names',
  does: 'the scopes, actions and names that policies may use, with their meanings',
  right: 'system:read',
  changes: false,
  input: {},
  output: NAMES,
  run: ({ explanations }) => explanations.names(),
});

const CIRCUMSTANCES = {
  realm: text('in this realm', 'office').optional(),
  client: text('from this address; left out: from none', '10.0.0.5').optional(),
  time: text('at this date or time; left out: now', '2026-11-20T12:00:00Z').optional(),
};
const groups = list('the groups of oidc:NAME', 'helpdesk').meta({ given: 'option' }).optional();

const explainRights = operation({
  name: 'policy explain',
  does: 'what an administrator may do, and why',
  right: 'system:read',
  changes: false,
  input: { administrator: text('an administrator, or oidc:NAME', 'anna'), groups, ...CIRCUMSTANCES },
  output: RIGHTS,
  run: ({ explanations }, _caller, input) => explanations.explainRights(input),
});

const explainOwner = operation({
  name: 'policy explain-owner',
  does: 'the values of the scope authentication for the owner of a token, and why',
  right: 'system:read',
  changes: false,
  input: {
    user: text('the login of the owner; left out: the token belongs to nobody', 'bert').optional(),
    resolver: text('the resolver of the owner', 'staff').optional(),
    ...CIRCUMSTANCES,
  },
  output: VALUES,
  run: ({ explanations }, _caller, input) => explanations.explainValues(input),
});

const explainRefusal = operation({
  name: 'policy explain-refusal',
  does: 'why a request was refused, by the policies as they are now',
  right: ['system:read', 'admin:audit'],
  changes: false,
  input: { request_id: text('the id of the request', '3f0c'), groups },
  output: REFUSAL,
  run: ({ explanations }, caller, input) =>
    explanations.explainRefusal(caller, input.request_id, input.groups),
});

export const POLICIES: OperationGroup = {
  name: 'policy',
  about: 'policies: who may do what, and how tokens behave',
  operations: [
    listPolicies,
    showPolicy,
    setPolicy,
    checkPolicy,
    switching('enable', 'switches a policy on; all else of it stays'),
    switching('disable', 'switches a policy off; all else of it stays'),
    removePolicy,
    listNames,
    explainRights,
    explainOwner,
    explainRefusal,
  ],
};
