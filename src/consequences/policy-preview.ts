import type { Configuration } from '../configuration/configuration.ts';
import type { Principal } from '../policy/caller.ts';
import { changeOfRights, type RightsChange } from '../policy/lost-rights.ts';
import type { PolicyProblem } from '../policy/policy.ts';
import type { ReadPolicy } from '../policy/read-policy.ts';
import type { UnknownPolicyName } from '../policy/unknown-names.ts';
import type { Consequence } from './consequence.ts';
import { ownConsequences } from './own-rights.ts';
import { policyConsequences } from './policy-consequences.ts';

/** The outcome of a change of policies, before it is made. */
export interface PolicyPreview {
  /** The reason why the policy cannot be stored; the rest is then empty. */
  readonly problems: readonly PolicyProblem[];
  /** Realms and resolvers in it that do not exist. It can be stored all the same. */
  readonly unknownNames: readonly UnknownPolicyName[];
  readonly consequences: readonly Consequence[];
  /** The administrators who lose rights, at any time and for any client. */
  readonly lost: RightsChange['lost'];
  /** Nobody may change policies over HTTP afterwards, or not the caller. */
  readonly locksOut: boolean;
}

/**
 * @param after the policies that there would be
 * @param administrators their names
 */
export function previewChange(
  configuration: Configuration,
  after: readonly ReadPolicy[],
  {
    administrators,
    principal,
    at,
  }: {
    readonly administrators: readonly string[];
    readonly principal: Principal;
    readonly at: Date;
  },
): PolicyPreview {
  const own = ownConsequences(configuration, after, principal, at);
  const change = changeOfRights(configuration.policies, after, administrators);
  return {
    problems: [],
    unknownNames: [],
    consequences: [...policyConsequences(configuration, after, change, at), ...own.consequences],
    lost: change.lost,
    locksOut: change.nobodyWrites || own.lost.includes('system:write'),
  };
}
