import type { Principal } from './caller.ts';
import { knownActions } from './policy-actions.ts';
import type { PolicySubject } from './policy-conditions.ts';
import { ReadPolicy } from './read-policy.ts';
import { type Policy, type PolicyScope, RIGHT_SCOPES, type RightScope } from './stored-policy.ts';

/** A right that an operation needs. */
export interface Right {
  readonly scope: RightScope;
  readonly action: string;
}

/** The realm and resolver of LinOTP 3's administrators, which its policies name. */
const ADMINISTRATORS = { realms: ['linotp_admins'], resolver: 'LinOTP_local_admins' } as const;
/** Scopes whose rights every administrator has while no policy of the scope is active. */
const OPEN_WITHOUT_POLICIES: readonly PolicyScope[] = ['monitoring', 'admin', 'system'];

/** @returns every right that there is */
export function allRights(): readonly Right[] {
  return RIGHT_SCOPES.flatMap((scope) => knownActions(scope).map((action) => ({ scope, action })));
}

/**
 * For one action, policies that name the user take precedence over those for everybody, as recorded of LinOTP 3.4.4: a
 * policy for everybody does not widen a narrower one. That also holds outside the time and clients of the narrower
 * policy; otherwise rights would widen by the clock.
 *
 * A person of single sign-on has the rights of policies that name the person or a group: never those for everybody, nor
 * those of an installation without policies.
 * @returns the policies that give an administrator a right, regardless of their times and clients; 'open': no policy is
 *   needed
 */
export function grantingPolicies(
  policies: readonly ReadPolicy[],
  { administrator, groups }: Pick<Principal, 'administrator' | 'groups'>,
  { scope, action }: Right,
): 'open' | readonly ReadPolicy[] {
  const subject = subjectOf({ administrator, groups });
  let isOpen = groups === undefined && isOpenWithoutPolicies(scope);
  const named: ReadPolicy[] = [];
  const forEverybody: ReadPolicy[] = [];
  for (const policy of policies) {
    if (policy.active && policy.scope === scope) {
      isOpen = false;
      const match = policy.means(action, subject);
      if (match === 'named') {
        named.push(policy);
      } else if (match === 'everybody') {
        forEverybody.push(policy);
      }
    }
  }
  if (isOpen) {
    return 'open';
  }
  return groups === undefined && named.length === 0 ? forEverybody : named;
}

/** @returns an administrator, or a person of single sign-on, as policies match them */
export function subjectOf({
  administrator,
  groups,
}: Pick<Principal, 'administrator' | 'groups'>): PolicySubject {
  return groups === undefined
    ? { login: administrator, ...ADMINISTRATORS }
    : { login: administrator, realms: [], resolver: undefined, groups };
}

/** @returns true if every administrator of this server has the rights of a scope while no policy of it is active */
export function isOpenWithoutPolicies(scope: PolicyScope): boolean {
  return OPEN_WITHOUT_POLICIES.includes(scope);
}

/**
 * The rights that policies give at some time and for some client, as `grantingPolicies` says, of a whole scope at once.
 * @returns the actions of the scope that an administrator of this server may do, in the order of `knownActions`
 */
export function grantedActions(
  policies: readonly ReadPolicy[],
  administrator: string,
  scope: Right['scope'],
): ReadonlySet<string> {
  const known = knownActions(scope);
  const active = policies.filter((policy) => policy.active && policy.scope === scope);
  if (active.length === 0 && isOpenWithoutPolicies(scope)) {
    return new Set(known);
  }
  const subject = subjectOf({ administrator, groups: undefined });
  const meant = active.filter((policy) => policy.matchOf(subject) !== 'nobody');
  return new Set(known.filter((action) => meant.some((policy) => policy.names(action))));
}

/** Administrators who lose the same rights. */
interface LostRights {
  readonly administrators: readonly string[];
  /** `scope:action`; `scope:*` where nothing of the scope is left. */
  readonly rights: readonly string[];
}

/** The effect of a change of policies on the rights of administrators. */
export interface RightsChange {
  /** By the rights that are lost. */
  readonly lost: readonly LostRights[];
  /** Nobody may change policies over HTTP afterwards, and somebody may before. */
  readonly nobodyWrites: boolean;
}

/** Administrators that are examined; more are not named in a question. */
const MAX_ADMINISTRATORS = 500;

/**
 * Compares rights regardless of times and clients: a right that holds at some time and for some client is not lost.
 * @param names the administrators
 */
export function changeOfRights(
  before: readonly ReadPolicy[],
  after: readonly ReadPolicy[],
  names: readonly string[],
): RightsChange {
  const lost = new Map<string, string[]>();
  const scopes = changedScopes(before, after);
  for (const name of names.slice(0, MAX_ADMINISTRATORS)) {
    const rights = scopes
      .flatMap((scope) =>
        lostOf(scope, grantedActions(before, name, scope), grantedActions(after, name, scope)),
      )
      .join(', ');
    if (rights !== '') {
      lost.set(rights, [...(lost.get(rights) ?? []), name]);
    }
  }
  return {
    lost: [...lost].map(([rights, administrators]) => ({ administrators, rights: rights.split(', ') })),
    nobodyWrites: somebodyWrites(before, names) && !somebodyWrites(after, names),
  };
}

/** @returns the policies after one is stored, or removed */
export function policiesAfter(
  policies: readonly ReadPolicy[],
  change: { readonly stored: Policy } | { readonly removed: string },
): readonly ReadPolicy[] {
  return 'stored' in change
    ? [...policies.filter(({ name }) => name !== change.stored.name), new ReadPolicy(change.stored)]
    : policies.filter(({ name }) => name !== change.removed);
}

/** @returns true if an administrator may change policies over HTTP at some time */
export function somebodyWrites(policies: readonly ReadPolicy[], names: readonly string[]): boolean {
  return names.some((name) => grantedActions(policies, name, 'system').has('write'));
}

/** @returns the scopes of which a policy is new, changed or gone */
export function changedScopes(
  before: readonly ReadPolicy[],
  after: readonly ReadPolicy[],
): readonly Right['scope'][] {
  const changed = [
    ...before.filter((policy) => !after.includes(policy)),
    ...after.filter((policy) => !before.includes(policy)),
  ];
  return RIGHT_SCOPES.filter((scope) => changed.some((policy) => policy.scope === scope));
}

function lostOf(
  scope: Right['scope'],
  held: ReadonlySet<string>,
  kept: ReadonlySet<string>,
): readonly string[] {
  const lost = [...held].filter((action) => !kept.has(action));
  return lost.length > 1 && lost.length === held.size
    ? [`${scope}:*`]
    : lost.map((action) => `${scope}:${action}`);
}
