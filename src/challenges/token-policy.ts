import { policyValue } from '../policy/policy.ts';
import type { Configuration } from '../configuration/configuration.ts';
import type { Token } from '../tokens/token.ts';

/**
 * @param action of the scope authentication, such as `qrtanurl`
 * @param asking the address of who asks for a challenge or answers one, empty where there is none; and when
 * @returns the different values that active policies give it for this token's realms and owner, and that client
 */
export function tokenPolicyValues(
  configuration: Configuration,
  action: 'qrtanurl' | 'otppin',
  { realms, owner }: Pick<Token, 'realms' | 'owner'>,
  { client, at }: { readonly client: string; readonly at: Date },
): readonly string[] {
  return policyValue(configuration.policies, {
    scope: 'authentication',
    action,
    realms,
    user: owner?.login,
    resolver: owner?.resolver,
    client,
    at,
  });
}
