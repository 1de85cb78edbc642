import type { Principal } from './caller.ts';
import { knownActions } from './policy-actions.ts';
import type { PolicySubject } from './policy-conditions.ts';
import { ReadPolicy } from './read-policy.ts';
import { type Policy, type PolicyScope, RIGHT_SCOPES, type RightScope } from './stored-policy.ts';
import { covers } from './api-token-rights.ts';

/** A right that an operation needs. */
export interface Right {
  readonly scope: RightScope;
  readonly action: string;
}

/** The part of the configuration that decides on rights, as of one revision. */
export interface PolicyBase {
  /** Sorted by name. */
  readonly policies: readonly ReadPolicy[];
  /** All realms, sorted by name. */
  readonly realms: readonly { readonly name: string }[];
  /** All resolvers, sorted by name. */
  readonly resolvers: readonly { readonly name: string }[];
}

/** The decision on a right. */
export type RightDecision =
  | {
      readonly allowed: true;
      /** `open`: no policy of the scope is active, and the scope is then open to administrators of this server. */
      readonly by: 'operator' | 'open' | 'policies';
      /** Names of the existing realms that the policies allow, sorted; `all` includes tokens without a realm. */
      readonly realms: 'all' | readonly string[];
      /** The policies that give the right; none unless `by` is `policies`. */
      readonly policies: readonly ReadPolicy[];
    }
  /** `api-token`: it is limited to other rights, so that no policy would help. */
  | { readonly allowed: false; readonly lack: 'api-token' | 'policy' };

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

/** Scopes whose policies allow their action in the realms that they name. */
const BOUND_BY_REALMS: readonly PolicyScope[] = ['monitoring', 'admin', 'ocra'];

/**
 * Decides by both the credential (an API token may be limited) and the policies. Operators at the machine itself have
 * every right.
 */
export function decideRight(base: PolicyBase, principal: Principal, right: Right, at: Date): RightDecision {
  if (principal.operator) {
    return { allowed: true, by: 'operator', realms: 'all', policies: [] };
  }
  const requested = `${right.scope}:${right.action}`;
  if (!principal.rights.some((held) => covers(held, requested))) {
    return { allowed: false, lack: 'api-token' };
  }
  const policies = grantingPolicies(base.policies, principal, right);
  if (policies === 'open') {
    return { allowed: true, by: 'open', realms: 'all', policies: [] };
  }
  const granting = policies.filter(
    (policy) => policy.holds(principal.client, at) && !policy.withholds(right.action),
  );
  if (granting.length === 0) {
    return { allowed: false, lack: 'policy' };
  }
  const realms = isBoundByRealms(right.scope) ? unionOfRealms(base, granting) : 'all';
  return { allowed: true, by: 'policies', realms, policies: granting };
}

/** @returns true if the rights of a scope hold in the realms of their policies */
export function isBoundByRealms(scope: PolicyScope): boolean {
  return BOUND_BY_REALMS.includes(scope);
}

function unionOfRealms(base: PolicyBase, policies: readonly ReadPolicy[]): 'all' | readonly string[] {
  const bounds = policies.map(({ realms }) => realms);
  if (bounds.includes('all')) {
    return 'all';
  }
  const allowed = new Set(bounds.flat());
  return base.realms.map(({ name }) => name).filter((name) => allowed.has(name));
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
  const byMatch = (wanted: 'named' | 'everybody'): readonly ReadPolicy[] =>
    active.filter((policy) => policy.matchOf(subject) === wanted);
  const [named, forEverybody] = [byMatch('named'), byMatch('everybody')];
  const isGiven = (action: string): boolean => {
    const preceding = named.filter((policy) => policy.names(action));
    return (preceding.length > 0 ? preceding : forEverybody).some(
      (policy) => policy.names(action) && !policy.withholds(action),
    );
  };
  return new Set(known.filter(isGiven));
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
