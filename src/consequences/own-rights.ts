import { listNames } from '../kernel/text.ts';
import type { Principal } from '../policy/caller.ts';
import { decideRight } from '../policy/right-decision.ts';
import type { Right } from '../policy/granting.ts';
import { changedScopes } from '../policy/lost-rights.ts';
import { knownActions } from '../policy/policy-actions.ts';
import type { PolicyBase } from '../policy/right-decision.ts';
import type { ReadPolicy } from '../policy/read-policy.ts';
import { type Consequence, consequence } from './consequence.ts';

/** The effect of a change of policies on the caller. */
interface OwnChange {
  /** `scope:action`. */
  readonly lost: readonly string[];
  readonly consequences: readonly Consequence[];
}

/**
 * Compares the rights of the caller here and now: a policy that ends at another address or time locks its editor out, too.
 * @param after the policies that there would be
 * @returns the rights that the caller loses, and those that hold in fewer realms
 */
export function ownConsequences(
  base: PolicyBase,
  after: readonly ReadPolicy[],
  principal: Principal,
  at: Date,
): OwnChange {
  const lost: string[] = [];
  const narrowed: string[] = [];
  for (const right of rightsOf(base.policies, after)) {
    const was = decideRight(base, principal, right, at);
    const is = decideRight({ ...base, policies: after }, principal, right, at);
    if (was.allowed && !is.allowed) {
      lost.push(`${right.scope}:${right.action}`);
    } else if (was.allowed && is.allowed && isNarrower(was.realms, is.realms)) {
      narrowed.push(`${right.scope}:${right.action}`);
    }
  }
  const consequences = [
    ...consequence(
      lost.length > 0,
      'policy.own',
      `you lose ${listNames(lost)}, at least from this address and at this time`,
      { rights: lost },
    ),
    ...consequence(
      narrowed.length > 0,
      'policy.own-realms',
      `you have ${listNames(narrowed)} in fewer realms`,
      {
        rights: narrowed,
      },
    ),
  ];
  return { lost, consequences };
}

/** @returns the rights in the scopes of which a policy is new, changed or gone */
function rightsOf(before: readonly ReadPolicy[], after: readonly ReadPolicy[]): readonly Right[] {
  return changedScopes(before, after).flatMap((scope) =>
    knownActions(scope).map((action) => ({ scope, action })),
  );
}

function isNarrower(was: 'all' | readonly string[], is: 'all' | readonly string[]): boolean {
  return is !== 'all' && (was === 'all' || was.some((realm) => !is.includes(realm)));
}
