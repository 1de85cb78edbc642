import { z } from 'zod';
import { consequence, CONSEQUENCES } from '../consequences/consequence.ts';
import type { PolicyDraft } from '../policy/policy.ts';
import { listUnknownNames } from '../policy/policy-names.ts';
import { POLICY_SCOPES } from '../policy/stored-policy.ts';
import { choice, expected, flag, list, text } from './input.ts';
import { operation, type OperationGroup } from './operation.ts';

const name = text('the name of the policy', 'helpdesk');
const strings = z.array(z.string());

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
  output: z.object({
    problems: z
      .array(
        z.object({
          field: z.string().meta({ column: 'FIELD' }),
          message: z.string().meta({ column: 'PROBLEM' }),
        }),
      )
      .describe('why the policy is invalid; the rest is then empty'),
    unknownNames: z
      .array(z.object({ part: z.enum(['realm', 'user']), name: z.string() }))
      .describe('realms and resolvers that do not exist'),
    consequences: CONSEQUENCES,
  }),
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

const FORMS = z.array(z.object({ form: z.string(), meaning: z.string() }));

const listNames = operation({
  name: 'policy names',
  does: 'the scopes, actions and names that policies may use, with their meanings',
  right: 'system:read',
  changes: false,
  input: {},
  output: z.object({
    scopes: z.array(
      z.object({
        name: z.string().meta({ column: 'SCOPE' }),
        meaning: z.string().meta({ column: 'MEANING' }),
        actions: z.array(
          z.object({
            name: z.string(),
            meaning: z.string(),
            value: z.string().optional().describe('the allowed values; absent: it takes none'),
          }),
        ),
        hasWildcard: z.boolean().describe('`*` means all actions'),
        requiresRealm: z.boolean(),
        requiresUser: z.boolean(),
        isOpen: z.boolean().describe('without an active policy, every administrator has its rights'),
      }),
    ),
    realms: strings,
    resolvers: strings,
    administrators: strings,
    groups: strings.describe('groups of single sign-on that policies name'),
    forms: z.object({ realm: FORMS, user: FORMS, client: FORMS, time: FORMS }),
  }),
  run: ({ explanations }) => explanations.names(),
});

const VERDICT = z.object({
  policy: z.string(),
  applies: z.boolean(),
  obstacles: z
    .array(
      z.object({
        kind: z.enum(['inactive', 'unreadable', 'user', 'precedence', 'realm', 'client', 'time']),
        text: z.string(),
      }),
    )
    .describe('why it does not apply'),
});

const why = z.string().meta({ column: 'WHY' });

const RIGHTS = z.object({
  administrator: z.string(),
  groups: strings.optional().describe('of a person who signs in by single sign-on'),
  isKnown: z.boolean().describe('false: there is no administrator of that name'),
  realm: z.string().optional(),
  client: z.string(),
  at: z.date(),
  rights: z.array(
    z.object({
      scope: z.string().meta({ column: 'SCOPE' }),
      action: z.string().meta({ column: 'ACTION' }),
      isAllowed: z.boolean().meta({ column: 'ALLOWED' }),
      reason: z
        .enum(['policies', 'open', 'realm', 'none'])
        .describe(
          '`open`: no policy of the scope is active; `realm`: allowed, but not in this realm; `none`: no policy gives it',
        ),
      realms: strings.meta({
        column: 'REALMS',
        description: 'the realms in which it holds; `*` includes tokens in no realm',
      }),
      policies: z.array(VERDICT).describe('the policies that name the action'),
      why,
    }),
  ),
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
  output: z.object({
    user: z.string().optional(),
    realm: z.string().optional(),
    client: z.string(),
    at: z.date(),
    values: z.array(
      z.object({
        action: z.string().meta({ column: 'ACTION' }),
        values: strings.meta({ column: 'VALUES', description: 'several: policies disagree' }),
        policies: z.array(VERDICT.extend({ value: z.string() })),
        why,
      }),
    ),
  }),
  run: ({ explanations }, _caller, input) => explanations.explainValues(input),
});

const explainRefusal = operation({
  name: 'policy explain-refusal',
  does: 'why a request was refused, by the policies as they are now',
  right: ['system:read', 'admin:audit'],
  changes: false,
  input: { request_id: text('the id of the request', '3f0c'), groups },
  output: RIGHTS.extend({
    refusal: z.object({
      requestId: z.string(),
      at: z.date(),
      endpoint: z.string(),
      right: z
        .object({ scope: z.string(), action: z.string() })
        .optional()
        .describe('absent: the audit does not name it'),
      isByApiToken: z.boolean().describe('the API token lacked the right, whatever the policies say'),
    }),
    remedies: strings.describe('policies that would give the right if they named its action, too'),
    changes: z
      .array(
        z.object({
          policy: z.string().meta({ column: 'CHANGED POLICY' }),
          kind: z.enum(['set', 'removed']).meta({ column: 'HOW' }),
          administrator: z.string().meta({ column: 'BY' }),
          at: z.date().meta({ column: 'AT' }),
        }),
      )
      .optional()
      .describe('changes of policies since the refusal; absent: the caller may not see them'),
  }),
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
