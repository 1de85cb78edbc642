import type { PolicySubject, UserMatch } from './policy-conditions.ts';
import type { ReadPolicy } from './read-policy.ts';

/** The query for a value of the scope authentication. */
export interface PolicyValueQuestion {
  readonly scope: 'authentication';
  readonly action: string;
  /** Names of the realms of the token. */
  readonly realms: readonly string[];
  /** The login of the token's owner; without one, only policies for everybody apply. */
  readonly user?: string | undefined;
  /** The name of the owner's resolver. */
  readonly resolver?: string | undefined;
  readonly client?: string | undefined;
  readonly at: Date;
}

/**
 * @returns the distinct values of an action in active policies, sorted; several if policies disagree
 */
export function policyValue(
  policies: readonly ReadPolicy[],
  question: PolicyValueQuestion,
): readonly string[] {
  const { scope, action, client = '', at } = question;
  const owner = ownerOf(question);
  const values: string[] = [];
  for (const policy of policies) {
    const value = policy.scope === scope ? policy.valueOf(action) : undefined;
    if (
      value !== undefined &&
      !values.includes(value) &&
      policy.covers(owner.realms) &&
      policy.holds(client, at) &&
      isMeant(policy.means(action, owner), question)
    ) {
      values.push(value);
    }
  }
  return values.sort();
}

/** @returns true for an active policy of the scope authentication that gives the action a value */
export function givesValue(policy: ReadPolicy, action: string): boolean {
  return policy.active && policy.scope === 'authentication' && policy.valueOf(action) !== undefined;
}

/**
 * @param client the address of the client
 * @returns the values of an action for a token, as `policyValue`
 */
export function valuesForToken(
  policies: readonly ReadPolicy[],
  action: string,
  { realms, owner }: { realms: readonly string[]; owner: { login: string; resolver: string } | null },
  { client, at }: Pick<PolicyValueQuestion, 'client' | 'at'>,
): readonly string[] {
  const { login: user, resolver } = owner ?? {};
  return policyValue(policies, { scope: 'authentication', action, realms, user, resolver, client, at });
}

/** @returns the owner of the token, as policies match them */
export function ownerOf({
  user = '',
  realms,
  resolver,
}: Pick<PolicyValueQuestion, 'user' | 'realms' | 'resolver'>): PolicySubject {
  return { login: user, realms: realms.map((name) => name.toLowerCase()), resolver };
}

/** @returns true if a policy of the scope authentication that matches in this way gives its value */
export function isMeant(match: UserMatch, { user }: Pick<PolicyValueQuestion, 'user'>): boolean {
  return match === 'everybody' || (match === 'named' && user !== undefined);
}
