import type { Principal } from './caller.ts';
import { knownActions } from './policy-actions.ts';
import type { PolicySubject } from './policy-users.ts';
import type { ReadPolicy } from './read-policy.ts';
import { type PolicyScope, RIGHT_SCOPES, type RightScope } from './stored-policy.ts';

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
