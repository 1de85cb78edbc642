import { isOpenWithoutPolicies, type Right, subjectOf } from './granting.ts';
import { readPolicy, type ReadPolicy } from './policy.ts';
import { knownActions } from './policy-actions.ts';
import type { Policy } from './stored-policy.ts';

/**
 * The rights that policies give at some time and for some client, as `grantingPolicies` says. Each policy is read once:
 * questions about many administrators and all actions would read it thousands of times.
 */
export class GivenRights {
  readonly #policies: readonly Policy[];
  readonly #read = new Map<Right['scope'], readonly ReadPolicy[]>();

  constructor(policies: readonly Policy[]) {
    this.#policies = policies;
  }

  /** @returns the actions of the scope that an administrator of this server may do, in the order of `knownActions` */
  of(administrator: string, scope: Right['scope']): ReadonlySet<string> {
    const known = knownActions(scope);
    const policies = this.#ofScope(scope);
    if (policies.length === 0 && isOpenWithoutPolicies(scope)) {
      return new Set(known);
    }
    const subject = subjectOf({ administrator, groups: undefined });
    const meant = policies.filter(({ match }) => match(subject) !== 'nobody');
    return new Set(known.filter((action) => meant.some(({ names }) => names(action))));
  }

  #ofScope(scope: Right['scope']): readonly ReadPolicy[] {
    const found =
      this.#read.get(scope) ??
      this.#policies.filter((policy) => policy.active && policy.scope === scope).map(readPolicy);
    this.#read.set(scope, found);
    return found;
  }
}
