import type { Principal } from './caller.ts';
import { decide, type Decision, isBoundByRealms } from './decision.ts';
import { grantingPolicies, type Right, subjectOf } from './granting.ts';
import {
  coversRealm,
  holdsAt,
  holdsFor,
  isMeant,
  namesAction,
  policyMeans,
  policyProblems,
  policyValue,
  type PolicyValueQuestion,
} from './policy.ts';
import { readActions } from './policy-actions.ts';
import type { UserMatch } from './policy-users.ts';
import type { PolicyBase } from './ports.ts';
import type { Policy } from './stored-policy.ts';

/** Why a policy does not apply. */
type ObstacleKind =
  | 'inactive'
  | 'unreadable'
  | 'user'
  /** It is for everybody, and policies that name the administrator come before it. */
  | 'precedence'
  | 'realm'
  | 'client'
  | 'time';

/** One of the reasons why a policy does not apply. */
export interface Obstacle {
  readonly kind: ObstacleKind;
  /** A clause for people: `it is for the clients 10.0.0.0/8`. */
  readonly text: string;
}

/** The part of one policy in a decision. */
export interface PolicyVerdict {
  readonly policy: string;
  readonly applies: boolean;
  /** Why it does not apply; none: it does. */
  readonly obstacles: readonly Obstacle[];
}

/** A decision on a right, and its reasons. */
export interface ExplainedRight {
  readonly right: Right;
  readonly decision: Decision;
  /** True if the right holds, in the realm in question where there is one. */
  readonly allowed: boolean;
  /** The policies that name the action, by name. */
  readonly policies: readonly PolicyVerdict[];
}

/** A value of the scope authentication, and its reasons. */
export interface ExplainedValue {
  readonly action: string;
  /** Sorted; several if policies disagree. */
  readonly values: readonly string[];
  /** The policies that name the action, by name, each with the value that it gives or would give. */
  readonly policies: readonly (PolicyVerdict & { readonly value: string })[];
}

/** @param realm lower-case; undefined: any. @returns the decision that the access control takes, with its reasons */
export function explainRight(
  base: PolicyBase,
  principal: Principal,
  right: Right,
  at: Date,
  realm?: string,
): ExplainedRight {
  const decision = decide(base, principal, right, at);
  const granting = grantingPolicies(base.policies, principal, right);
  const chosen = granting === 'open' ? [] : granting;
  const isBound = isBoundByRealms(right.scope);
  const policies = base.policies
    .filter((policy) => policy.scope === right.scope && concerns(policy, right.action))
    .map((policy) =>
      verdictOf(policy, [
        ...userObstacles(policy, principal, right, chosen),
        ...conditionObstacles(policy, principal.client, at),
        ...(isBound && realm !== undefined ? realmObstacle(policy, [realm]) : []),
      ]),
    );
  return { right, decision, allowed: allowsIn(decision, realm), policies };
}

/** @returns the values that apply, with the policies that give them and those that do not apply */
export function explainValue(policies: readonly Policy[], question: PolicyValueQuestion): ExplainedValue {
  const { scope, action, client = '', at, user, resolver } = question;
  const realms = question.realms.map((name) => name.toLowerCase());
  const subject = { login: user ?? '', realms, resolver };
  const named = policies.filter((policy) => policy.scope === scope && concerns(policy, action));
  return {
    action,
    values: policyValue(policies, question),
    policies: named.map((policy) => ({
      value: valueOf(policy, action),
      ...verdictOf(policy, [
        ...(isMeant(policyMeans({ ...policy, active: true }, action, subject), question)
          ? []
          : obstacle('user', `it is for the users ${policy.user}`)),
        ...realmObstacle(policy, realms),
        ...conditionObstacles(policy, client, at),
      ]),
    })),
  };
}

function allowsIn(decision: Decision, realm: string | undefined): boolean {
  return (
    decision.allowed && (realm === undefined || decision.realms === 'all' || decision.realms.includes(realm))
  );
}

/** A policy that cannot be read may concern any action. */
function concerns(policy: Policy, action: string): boolean {
  return namesAction(policy, action) || isUnreadable(policy);
}

function verdictOf(policy: Policy, obstacles: readonly Obstacle[]): PolicyVerdict {
  const all = policy.active ? obstacles : [...obstacle('inactive', 'it is switched off'), ...obstacles];
  return {
    policy: policy.name,
    applies: all.length === 0,
    obstacles:
      all.length > 0 && isUnreadable(policy)
        ? obstacle('unreadable', 'it cannot be read, and has no effect')
        : all,
  };
}

function isUnreadable(policy: Policy): boolean {
  return policyProblems(policy).some(({ field }) => field !== 'name');
}

/** @param chosen the policies that give the right to the principal, regardless of their times and clients */
function userObstacles(
  policy: Policy,
  principal: Principal,
  { action }: Right,
  chosen: readonly Policy[],
): readonly Obstacle[] {
  const matchOf = (one: Policy): UserMatch => policyMeans(one, action, subjectOf(principal));
  const match = matchOf({ ...policy, active: true });
  if (match !== 'everybody') {
    return match === 'named' ? [] : obstacle('user', `it is for the users ${policy.user}`);
  }
  if (principal.groups !== undefined) {
    return obstacle('user', 'a policy for everybody does not include people who signed in by single sign-on');
  }
  const [first] = chosen;
  return first !== undefined && matchOf(first) === 'named'
    ? obstacle(
        'precedence',
        `policies that name ${principal.administrator} come before it: ${chosen.map(({ name }) => name).join(', ')}`,
      )
    : [];
}

function conditionObstacles(policy: Policy, client: string, at: Date): readonly Obstacle[] {
  return [
    ...(holdsFor(policy, client) ? [] : obstacle('client', `it is for the clients ${policy.client}`)),
    ...(holdsAt(policy, at) ? [] : obstacle('time', `it holds at ${policy.time}`)),
  ];
}

function realmObstacle(policy: Policy, realms: readonly string[]): readonly Obstacle[] {
  return coversRealm(policy, realms) ? [] : obstacle('realm', `it is for the realms ${policy.realm}`);
}

function obstacle(kind: ObstacleKind, text: string): readonly [Obstacle] {
  return [{ kind, text }];
}

function valueOf(policy: Policy, action: string): string {
  return isUnreadable(policy) ? '' : (readActions('authentication', policy.action).get(action) ?? '');
}
