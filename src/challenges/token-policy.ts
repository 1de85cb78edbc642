import { policyValue } from '../policy/policy-value.ts';
import type { Configuration } from '../configuration/configuration.ts';
import type { Token } from '../tokens/token.ts';

/**
 * @param action of the scope authentication, such as `qrtanurl`
 * @param asking the address of the client that requests or answers a challenge, empty if unknown; and the time
 * @returns the different values of active policies for the token's realms and owner, and that client
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
