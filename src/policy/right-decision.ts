import { covers } from './api-token-rights.ts';
import type { Principal } from './caller.ts';
import { grantingPolicies, type Right } from './granting.ts';
import type { ReadPolicy } from './read-policy.ts';
import type { PolicyScope } from './stored-policy.ts';

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
  const granting = policies.filter((policy) => policy.holds(principal.client, at));
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
