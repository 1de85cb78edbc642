import { policyValue } from '../accounts/policy/policy.ts';
import type { Setup } from '../accounts/setup.ts';
import type { Token } from '../accounts/token.ts';

/**
 * @param action of the scope authentication, such as `qrtanurl`
 * @returns the different values that active policies give it for this token's realms and owner
 */
export function tokenPolicyValues(
  setup: Setup,
  action: 'qrtanurl' | 'otppin',
  { realms, owner }: Pick<Token, 'realms' | 'owner'>,
  at: Date,
): readonly string[] {
  return policyValue(setup.policies, {
    scope: 'authentication',
    action,
    realms,
    user: owner?.login,
    resolver: owner?.resolver,
    at,
  });
}
