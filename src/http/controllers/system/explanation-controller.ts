import { z } from 'zod';
import { ServiceError } from '../../../kernel/errors.ts';
import { type Clock, parsePastInstant } from '../../../kernel/clock.ts';
import { splitList } from '../../../kernel/text.ts';
import type { Caller } from '../../../policy/caller.ts';
import type {
  ExplanationService,
  RefusalExplanation,
  RightsExplanation,
  ValuesExplanation,
} from '../../../audit/explanation-service.ts';
import type { ExplainedRight, PolicyVerdict } from '../../../policy/explanation.ts';
import type { PolicyNames } from '../../../policy/policy-names.ts';
import type { Shown } from '../../answers.ts';
import { type Endpoint, valueReading } from '../../endpoint-spec.ts';
import { optional } from '../../request/parameters.ts';

const names = z.array(z.string());
const time = z.iso.datetime();
const forms = z.array(z.strictObject({ form: z.string(), meaning: z.string() }));

const NAMES = z.strictObject({
  scopes: z.array(
    z.strictObject({
      name: z.string(),
      meaning: z.string(),
      actions: z.array(
        z.strictObject({
          name: z.string(),
          meaning: z.string(),
          value: z.string().nullable().describe('the allowed values; null: it takes none'),
        }),
      ),
      wildcard: z.boolean().describe('`*` means all actions'),
      requires_realm: z.boolean(),
      requires_user: z.boolean(),
      open: z.boolean().describe('without an active policy, every administrator has its rights'),
    }),
  ),
  realms: names,
  resolvers: names,
  administrators: names,
  groups: names.describe('groups of single sign-on that policies name'),
  forms: z.strictObject({ realm: forms, user: forms, client: forms, time: forms }),
});

const VERDICT = z.strictObject({
  name: z.string(),
  applies: z.boolean(),
  obstacles: z
    .array(
      z.strictObject({
        kind: z.enum(['inactive', 'unreadable', 'user', 'precedence', 'realm', 'client', 'time']),
        text: z.string(),
      }),
    )
    .describe('why it does not apply'),
});

const RIGHT = z.strictObject({
  scope: z.string(),
  action: z.string(),
  allowed: z.boolean(),
  reason: z
    .enum(['policies', 'open', 'realm', 'none'])
    .describe(
      '`open`: no policy of the scope is active; `realm`: allowed, but not in this realm; `none`: no policy gives it',
    ),
  realms: z
    .union([z.literal('*'), names])
    .describe('the realms in which it holds; `*` includes tokens in no realm'),
  policies: z.array(VERDICT).describe('the policies that name the action'),
});

const EXPLANATION = z.strictObject({
  administrator: z.string().nullable(),
  groups: names.nullable(),
  known: z.boolean().nullable().describe('false: there is no administrator of that name'),
  user: z.string().nullable(),
  realm: z.string().nullable(),
  client: z.string(),
  time,
  rights: z.array(RIGHT),
  values: z.array(
    z.strictObject({
      action: z.string(),
      values: names.describe('several: policies disagree'),
      policies: z.array(VERDICT.extend({ value: z.string() })),
    }),
  ),
  refusal: z
    .strictObject({
      request: z.string(),
      time,
      endpoint: z.string(),
      right: z.string().nullable().describe('`scope:action`; null: the audit does not name it'),
      api_token: z.boolean().describe('the API token lacked the right, whatever the policies say'),
      remedies: names.describe('policies that would give the right if they named its action, too'),
    })
    .nullable(),
  changes: z
    .array(
      z.strictObject({
        policy: z.string(),
        kind: z.enum(['set', 'removed']),
        administrator: z.string(),
        time,
      }),
    )
    .nullable()
    .describe('changes of policies since the refusal; null: the caller may not see them'),
});

type Explanation = Shown<typeof EXPLANATION>;

export function explanationEndpoints(explanations: ExplanationService, clock: Clock): Endpoint[] {
  return [namesEndpoint(explanations), explainEndpoint(explanations, clock)];
}

function namesEndpoint(explanations: ExplanationService): Endpoint {
  return valueReading(
    {
      path: '/system/policyNames',
      summary: 'the scopes, actions and names that policies may use, with their meanings',
      value: NAMES,
      parameters: {},
    },
    async () => shownNames(await explanations.names()),
  );
}

const QUESTION = {
  administrator: optional('the administrator, or `oidc:NAME`; default: the caller', 'anna'),
  groups: optional('the groups of a person who signs in by single sign-on, a comma list'),
  user: optional(
    'in place of `administrator`: the owner of a token, for the scope authentication; may be empty',
  ),
  resolver: optional('the resolver of `user`'),
  realm: optional('a realm; default: any'),
  client: optional(
    'the address; default: that of the caller, or none where another one is named',
    '10.0.0.5',
  ),
  time: optional('a date or a time; default: now', '2026-11-20T12:00:00Z'),
  request: optional(
    'in place of all these: the id of a refused request, which takes the right `admin:audit`, too; `groups` may be given',
  ),
} as const;

type Question = z.output<z.ZodObject<typeof QUESTION>>;

function explainEndpoint(explanations: ExplanationService, clock: Clock): Endpoint {
  return valueReading(
    {
      path: '/system/explainPolicy',
      summary: 'what somebody may do, and why; or why a request was refused',
      requiresFor: ({ request }) => (isGiven(request) ? ['system:read', 'admin:audit'] : ['system:read']),
      value: EXPLANATION,
      parameters: QUESTION,
    },
    ({ caller, parameters }) => explain(explanations, caller, parameters, clock),
  );
}

async function explain(
  explanations: ExplanationService,
  caller: Caller,
  question: Question,
  clock: Clock,
): Promise<Explanation> {
  const { user, resolver, realm, request, groups } = question;
  assertOneQuestion(question);
  if (isGiven(request)) {
    const names = isGiven(groups) ? splitList(groups) : undefined;
    return shownRefusal(await explanations.explainRefusal(caller, request.trim(), names));
  }
  const at = isGiven(question.time) ? parsePastInstant(question.time, clock.now(), 'time') : undefined;
  if (user !== undefined) {
    const { client } = question;
    return shownValues(await explanations.explainValues({ user, resolver, realm, client, at }));
  }
  return shownRights(await explanations.explainRights({ ...personOf(question, caller), realm, at }));
}

/** @throws ServiceError 'parameter.invalid' */
function assertOneQuestion({ administrator, user, request }: Question): void {
  const named = [
    ...(isGiven(request) ? ['request'] : []),
    ...(user === undefined ? [] : ['user']),
    ...(isGiven(administrator) ? ['administrator'] : []),
  ];
  const [parameter = '', conflictsWith] = named;
  if (conflictsWith !== undefined) {
    throw new ServiceError('parameter.invalid', 'Name one of administrator, user and request', {
      parameter,
      conflictsWith,
    });
  }
}

/** The caller is at the address of the request, in the groups of the session. */
function personOf(
  { administrator, groups, client }: Question,
  { principal }: Caller,
): Pick<Parameters<ExplanationService['explainRights']>[0], 'administrator' | 'groups' | 'client'> {
  const namedGroups = isGiven(groups) ? splitList(groups) : undefined;
  const isCaller = !isGiven(administrator);
  return {
    administrator: isCaller ? principal.administrator : administrator,
    groups: namedGroups ?? (isCaller ? principal.groups : undefined),
    client: client ?? (isCaller ? principal.client : undefined),
  };
}

function isGiven(text: string | undefined): text is string {
  return text !== undefined && text.trim() !== '';
}

function shownNames({ scopes, ...names }: PolicyNames): Shown<typeof NAMES> {
  return {
    scopes: scopes.map(({ name, meaning, actions, hasWildcard, requiresRealm, requiresUser, isOpen }) => ({
      name,
      meaning,
      actions: actions.map((action) => ({ ...action, value: action.value ?? null })),
      wildcard: hasWildcard,
      requires_realm: requiresRealm,
      requires_user: requiresUser,
      open: isOpen,
    })),
    ...names,
  };
}

/** The members that an answer has for no question of its kind. */
const EMPTY = {
  administrator: null,
  groups: null,
  known: null,
  user: null,
  rights: [],
  values: [],
  refusal: null,
  changes: null,
};

function shownRights(explanation: RightsExplanation): Explanation {
  const { administrator, groups, isKnown, realm, client, at, rights } = explanation;
  return {
    ...EMPTY,
    administrator,
    groups: groups ?? null,
    known: isKnown,
    realm: realm ?? null,
    client,
    time: at.toISOString(),
    rights: rights.map(shownRight),
  };
}

function shownRight({ right, decision, allowed, policies }: ExplainedRight): Shown<typeof RIGHT> {
  const realms = decision.allowed ? decision.realms : [];
  return {
    scope: right.scope,
    action: right.action,
    allowed,
    reason: reasonOf(decision, allowed),
    realms: realms === 'all' ? '*' : realms,
    policies: policies.map(shownVerdict),
  };
}

function reasonOf(decision: ExplainedRight['decision'], allowed: boolean): Shown<typeof RIGHT>['reason'] {
  if (!decision.allowed) {
    return 'none';
  }
  if (!allowed) {
    return 'realm';
  }
  return decision.by === 'policies' ? 'policies' : 'open';
}

function shownVerdict({ policy, applies, obstacles }: PolicyVerdict): Shown<typeof VERDICT> {
  return { name: policy, applies, obstacles: obstacles.map(({ kind, text }) => ({ kind, text })) };
}

function shownValues({ user, realm, client, at, values }: ValuesExplanation): Explanation {
  return {
    ...EMPTY,
    user: user ?? null,
    realm: realm ?? null,
    client,
    time: at.toISOString(),
    values: values.map(({ action, values: granted, policies }) => ({
      action,
      values: granted,
      policies: policies.map((verdict) => ({ ...shownVerdict(verdict), value: verdict.value })),
    })),
  };
}

function shownRefusal(explanation: RefusalExplanation): Explanation {
  const { refusal, remedies, changes } = explanation;
  const { right, endpoint, requestId, isByApiToken } = refusal;
  return {
    ...shownRights(explanation),
    refusal: {
      request: requestId,
      time: refusal.at.toISOString(),
      endpoint,
      right: right === undefined ? null : `${right.scope}:${right.action}`,
      api_token: isByApiToken,
      remedies: [...remedies],
    },
    changes:
      changes?.map(({ policy, kind, administrator, at }) => ({
        policy,
        kind,
        administrator,
        time: at.toISOString(),
      })) ?? null,
  };
}
