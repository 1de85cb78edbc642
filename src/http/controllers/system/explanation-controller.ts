import { z } from 'zod';
import { ServiceError } from '../../../kernel/errors.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { parsePastInstant } from '../../../kernel/past-instant.ts';
import type { Caller } from '../../../policy/caller.ts';
import type {
  ExplanationService,
  RefusalExplanation,
  RightsExplanation,
  ValuesExplanation,
} from '../../../policy/explanation-service.ts';
import type { ExplainedRight, PolicyVerdict } from '../../../policy/explanation.ts';
import type { PolicyNames } from '../../../policy/policy-names.ts';
import { splitList } from '../../../policy/policy-users.ts';
import type { AdministrationDialect } from '../../dialects/dialect.ts';
import { administratorEndpoint, type Endpoint } from '../../endpoint-spec.ts';
import { optional } from '../../request/parameter-schemas.ts';
import { POLICY_EXPLANATION, POLICY_NAMES } from '../answers/policy-answers.ts';

/** @returns the endpoints of /system that name what policies may use, and explain decisions */
export function explanationEndpoints(
  explanations: ExplanationService,
  dialect: AdministrationDialect,
  clock: Clock,
): Endpoint[] {
  return [namesEndpoint(explanations, dialect), explainEndpoint(explanations, dialect, clock)];
}

function namesEndpoint(explanations: ExplanationService, dialect: AdministrationDialect): Endpoint {
  return administratorEndpoint(
    {
      path: '/system/policyNames',
      methods: ['GET', 'POST'],
      summary: 'the scopes, actions and names that policies may use, with their meanings',
      answers: POLICY_NAMES,
      requires: 'system:read',
      family: 'linotp2',
      usage: 'system/policyNames: list what policies may name.',
      changesState: false,
      parameters: z.object({}),
    },
    async ({ caller, context }) => dialect.value(namesObject(await explanations.names(caller)), context),
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

interface ExplanationParameters {
  readonly administrator?: string | undefined;
  readonly groups?: string | undefined;
  readonly user?: string | undefined;
  readonly resolver?: string | undefined;
  readonly realm?: string | undefined;
  readonly client?: string | undefined;
  readonly time?: string | undefined;
  readonly request?: string | undefined;
}

function explainEndpoint(
  explanations: ExplanationService,
  dialect: AdministrationDialect,
  clock: Clock,
): Endpoint {
  return administratorEndpoint(
    {
      path: '/system/explainPolicy',
      methods: ['GET', 'POST'],
      summary: 'what somebody may do, and why; or why a request was refused',
      answers: POLICY_EXPLANATION,
      requires: 'system:read',
      family: 'linotp2',
      usage: 'system/explainPolicy: explain what policies allow.',
      changesState: false,
      parameters: z.object(QUESTION),
    },
    async ({ caller, parameters, context }) =>
      dialect.value(await explain(explanations, caller, parameters, clock), context),
  );
}

async function explain(
  explanations: ExplanationService,
  caller: Caller,
  question: ExplanationParameters,
  clock: Clock,
): Promise<object> {
  const { user, resolver, realm, request, groups } = question;
  assertOneQuestion(question);
  if (isGiven(request)) {
    const names = isGiven(groups) ? splitList(groups) : undefined;
    return refusalObject(await explanations.explainRefusal(caller, request.trim(), names));
  }
  const at = isGiven(question.time) ? parsePastInstant(question.time, clock.now(), 'time') : undefined;
  if (user !== undefined) {
    const { client } = question;
    return valuesObject(await explanations.explainValues(caller, { user, resolver, realm, client, at }));
  }
  return rightsObject(await explanations.explainRights(caller, { ...personOf(question, caller), realm, at }));
}

/** @throws ServiceError 'parameter.invalid' */
function assertOneQuestion({ administrator, user, request }: ExplanationParameters): void {
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
  { administrator, groups, client }: ExplanationParameters,
  { principal }: Caller,
): Pick<Parameters<ExplanationService['explainRights']>[1], 'administrator' | 'groups' | 'client'> {
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

function namesObject({ scopes, ...names }: PolicyNames): object {
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

function rightsObject(explanation: RightsExplanation): object {
  const { administrator, groups, isKnown, realm, client, at, rights } = explanation;
  return {
    ...EMPTY,
    administrator,
    groups: groups ?? null,
    known: isKnown,
    realm: realm ?? null,
    client,
    time: at.toISOString(),
    rights: rights.map(rightObject),
  };
}

function rightObject({ right, decision, allowed, policies }: ExplainedRight): object {
  const realms = decision.allowed ? decision.realms : [];
  return {
    scope: right.scope,
    action: right.action,
    allowed,
    reason: reasonOf(decision, allowed),
    realms: realms === 'all' ? '*' : realms,
    policies: policies.map(verdictObject),
  };
}

function reasonOf(
  decision: ExplainedRight['decision'],
  allowed: boolean,
): 'policies' | 'open' | 'realm' | 'none' {
  if (!decision.allowed) {
    return 'none';
  }
  if (!allowed) {
    return 'realm';
  }
  return decision.by === 'policies' ? 'policies' : 'open';
}

function verdictObject({ policy, applies, obstacles }: PolicyVerdict): object {
  return { name: policy, applies, obstacles: obstacles.map(({ kind, text }) => ({ kind, text })) };
}

function valuesObject({ user, realm, client, at, values }: ValuesExplanation): object {
  return {
    ...EMPTY,
    user: user ?? null,
    realm: realm ?? null,
    client,
    time: at.toISOString(),
    values: values.map(({ action, values: granted, policies }) => ({
      action,
      values: granted,
      policies: policies.map((verdict) => ({ ...verdictObject(verdict), value: verdict.value })),
    })),
  };
}

function refusalObject(explanation: RefusalExplanation): object {
  const { refusal, changes } = explanation;
  const { right, endpoint, requestId, isByApiToken } = refusal;
  return {
    ...rightsObject(explanation),
    refusal: {
      request: requestId,
      time: refusal.at.toISOString(),
      endpoint,
      right: right === undefined ? null : `${right.scope}:${right.action}`,
      api_token: isByApiToken,
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
