import { z } from 'zod';
import type { ReadonlyDeep } from '../kernel/readonly-deep.ts';
import { listNames } from '../kernel/text.ts';
import type { Principal } from './caller.ts';
import {
  decideRight,
  isBoundByRealms,
  type RightDecision,
  type PolicyBase,
  grantingPolicies,
  type Right,
  subjectOf,
} from './granting.ts';
import { isMeant, ownerOf, policyValue, type PolicyValueQuestion, ReadPolicy } from './read-policy.ts';
import type { PolicySubject, UserMatch } from './policy-conditions.ts';
import type { Policy } from './stored-policy.ts';

const strings = z.array(z.string());

/** The part of one policy in a decision. */
const VERDICT = z.object({
  policy: z.string(),
  applies: z.boolean(),
  obstacles: z
    .array(
      z.object({
        // `precedence`: it is for everybody, and policies that name the administrator come before it.
        kind: z.enum(['inactive', 'unreadable', 'user', 'precedence', 'realm', 'client', 'time']),
        // A clause for people: `it is for the clients 10.0.0.0/8`.
        text: z.string(),
      }),
    )
    .describe('why it does not apply'),
});

const why = z.string().meta({ column: 'WHY' });

/** A decision on a right, and its reasons. */
export const EXPLAINED_RIGHT = z.object({
  scope: z.string().meta({ column: 'SCOPE' }),
  action: z.string().meta({ column: 'ACTION' }),
  // In the realm in question where there is one.
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
  // By name.
  policies: z.array(VERDICT).describe('the policies that name the action'),
  why,
});

/** A value of the scope authentication, and its reasons. */
export const EXPLAINED_VALUE = z.object({
  action: z.string().meta({ column: 'ACTION' }),
  // Sorted.
  values: strings.meta({ column: 'VALUES', description: 'several: policies disagree' }),
  // Those that name the action, by name, each with the value that it gives or would give.
  policies: z.array(VERDICT.extend({ value: z.string() })),
  why,
});

export type PolicyVerdict = ReadonlyDeep<z.output<typeof VERDICT>>;
export type Obstacle = PolicyVerdict['obstacles'][number];
type ExplainedRight = ReadonlyDeep<z.output<typeof EXPLAINED_RIGHT>>;
type ExplainedValue = ReadonlyDeep<z.output<typeof EXPLAINED_VALUE>>;

/**
 * @param realm lower-case; undefined: any
 * @returns the decision that the access control takes, with its reasons
 */
export function explainRight(
  base: PolicyBase,
  principal: Principal,
  right: Right,
  at: Date,
  realm?: string,
): ExplainedRight {
  const decision = decideRight(base, principal, right, at);
  const granting = grantingPolicies(base.policies, principal, right);
  const before = granting === 'open' ? undefined : precedence(granting, principal, right);
  const isBound = isBoundByRealms(right.scope);
  const policies = base.policies
    .filter((policy) => policy.scope === right.scope && concerns(policy, right.action))
    .map((policy) =>
      verdictOf(policy, [
        ...userObstacles(policy, principal, right, before),
        ...conditionObstacles(policy, principal.client, at),
        ...(isBound && realm !== undefined ? realmObstacle(policy, [realm]) : []),
        ...(policy.withholds(right.action)
          ? obstacle('unreadable', 'a value in it is unknown here, and may bound the right')
          : []),
      ]),
    );
  const reason = reasonOf(decision, realm);
  const realms = decision.allowed ? decision.realms : [];
  return {
    ...right,
    isAllowed: allowsIn(decision, realm),
    reason,
    realms: realms === 'all' ? ['*'] : realms,
    policies,
    why: reason === 'open' ? 'no policy of the scope is active' : wordsOf(policies),
  };
}

function reasonOf(decision: RightDecision, realm: string | undefined): ExplainedRight['reason'] {
  if (!decision.allowed) {
    return 'none';
  }
  if (!allowsIn(decision, realm)) {
    return 'realm';
  }
  return decision.by === 'policies' ? 'policies' : 'open';
}

function wordsOf(policies: readonly PolicyVerdict[]): string {
  const applying = policies.filter(({ applies }) => applies).map(({ policy }) => policy);
  if (applying.length > 0) {
    return applying.join(', ');
  }
  const others = policies.map(
    ({ policy, obstacles }) => `${policy}: ${obstacles.map(({ text }) => text).join(', and ')}`,
  );
  return others.length === 0 ? 'no policy names it' : others.join('; ');
}

/**
 * Looks for a remedy for a right that is lacking.
 * @returns the names of the active policies that would give it if they named its action, too; those that name the
 *   administrator first
 */
export function remediesFor(
  base: PolicyBase,
  principal: Principal,
  right: Right,
  at: Date,
  realm?: string,
): readonly string[] {
  const { scope, action } = right;
  const candidates = base.policies
    .filter((policy) => policy.scope === scope && !policy.isUnreadable && !policy.names(action))
    .map((policy) => ({ policy, match: policy.matchOf(subjectOf(principal)) }))
    .filter(({ policy, match }) => match !== 'nobody' && policy.holds(principal.client, at));
  const helping = candidates.filter(({ policy }) => {
    const extended = withAction(policy, action);
    const policies = base.policies.map((one) => (one === policy ? extended : one));
    return allowsIn(decideRight({ ...base, policies }, principal, right, at), realm);
  });
  return [
    ...helping.filter(({ match }) => match === 'named'),
    ...helping.filter(({ match }) => match !== 'named'),
  ].map(({ policy }) => policy.name);
}

function withAction(policy: Policy, action: string): ReadPolicy {
  return new ReadPolicy({ ...policy, action: `${policy.action}, ${action}` });
}

/** @returns the values that apply, with the policies that give them and those that do not apply */
export function explainValue(policies: readonly ReadPolicy[], question: PolicyValueQuestion): ExplainedValue {
  const { scope, action, client = '', at } = question;
  const owner = ownerOf(question);
  const concerned = policies.filter((policy) => policy.scope === scope && concerns(policy, action));
  const verdicts = concerned.map((policy) => ({
    value: policy.valueOf(action) ?? '',
    ...verdictOf(policy, [
      ...(isMeant(matchOf(policy, action, owner), question)
        ? []
        : obstacle('user', `it is for the users ${policy.user}`)),
      ...realmObstacle(policy, owner.realms),
      ...conditionObstacles(policy, client, at),
    ]),
  }));
  return { action, values: policyValue(policies, question), policies: verdicts, why: wordsOf(verdicts) };
}

function allowsIn(decision: RightDecision, realm: string | undefined): boolean {
  return (
    decision.allowed && (realm === undefined || decision.realms === 'all' || decision.realms.includes(realm))
  );
}

/** A policy that cannot be read may concern any action. */
function concerns(policy: ReadPolicy, action: string): boolean {
  return policy.names(action) || policy.isUnreadable;
}

/** Also of an inactive policy. */
function matchOf(policy: ReadPolicy, action: string, subject: PolicySubject): UserMatch {
  return policy.names(action) ? policy.matchOf(subject) : 'nobody';
}

function verdictOf(policy: ReadPolicy, obstacles: readonly Obstacle[]): PolicyVerdict {
  const all = policy.active ? obstacles : [...obstacle('inactive', 'it is switched off'), ...obstacles];
  return {
    policy: policy.name,
    applies: all.length === 0,
    obstacles:
      all.length > 0 && policy.isUnreadable
        ? obstacle('unreadable', 'it cannot be read, and gives nothing')
        : all,
  };
}

/**
 * @param granting the policies that give the right to the principal, regardless of their times and clients
 * @returns the reason why a policy for everybody does not apply; undefined where they are for everybody themselves
 */
function precedence(
  granting: readonly ReadPolicy[],
  principal: Principal,
  { action }: Right,
): string | undefined {
  const [first] = granting;
  if (first?.means(action, subjectOf(principal)) !== 'named') {
    return undefined;
  }
  return `policies that name ${principal.administrator} come before it: ${listNames(granting.map(({ name }) => name))}`;
}

/** @param before the reason why a policy for everybody does not apply, if it does not */
function userObstacles(
  policy: ReadPolicy,
  principal: Principal,
  { action }: Right,
  before: string | undefined,
): readonly Obstacle[] {
  const match = matchOf(policy, action, subjectOf(principal));
  if (match !== 'everybody') {
    return match === 'named' ? [] : obstacle('user', `it is for the users ${policy.user}`);
  }
  if (principal.groups !== undefined) {
    return obstacle('user', 'a policy for everybody does not include people who signed in by single sign-on');
  }
  return before === undefined ? [] : obstacle('precedence', before);
}

function conditionObstacles(policy: ReadPolicy, client: string, at: Date): readonly Obstacle[] {
  return [
    ...(policy.holdsFor(client) ? [] : obstacle('client', `it is for the clients ${policy.client}`)),
    ...(policy.holdsAt(at) ? [] : obstacle('time', `it holds at ${policy.time}`)),
  ];
}

function realmObstacle(policy: ReadPolicy, realms: readonly string[]): readonly Obstacle[] {
  return policy.covers(realms) ? [] : obstacle('realm', `it is for the realms ${policy.realm}`);
}

function obstacle(kind: Obstacle['kind'], text: string): readonly [Obstacle] {
  return [{ kind, text }];
}
