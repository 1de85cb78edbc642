import { isOpenWithoutPolicies, type Right, subjectOf } from './granting.ts';
import { knownActions } from './policy-actions.ts';
import type { ReadPolicy } from './read-policy.ts';

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
