import type { Configuration } from '../configuration/configuration.ts';
import { isServiceError } from '../kernel/errors.ts';
import { checkPolicy } from '../policy/policy.ts';
import type { Policy } from '../policy/stored-policy.ts';
import { unknownNames, type UnknownPolicyName } from '../policy/unknown-names.ts';
import { type Finding, findingOf } from './finding.ts';

/** @returns findings about policies that cannot be read, or name what does not exist */
export function checkPolicies(configuration: Configuration): readonly Finding[] {
  const { policies } = configuration;
  const readable = policies.filter((policy) => faultOf(policy) === undefined);
  return [
    ...policies.filter(({ active }) => active).flatMap(unreadable),
    ...unreadableInactive(policies.filter((policy) => !policy.active && faultOf(policy) !== undefined)),
    ...readable.flatMap((policy) => [
      ...unknownRealms(policy, unknownNames(policy, configuration)),
      ...unknownUsers(policy, unknownNames(policy, configuration)),
    ]),
  ];
}

/** @returns an unknown scope or action, or another reason why it cannot be read; undefined: there is none */
function faultOf(policy: Policy): string | undefined {
  try {
    checkPolicy(policy);
    return undefined;
  } catch (error) {
    if (isServiceError(error, 'policy.invalid')) {
      return error.message;
    }
    throw error;
  }
}

function unreadable(policy: Policy): readonly Finding[] {
  const fault = faultOf(policy);
  return fault === undefined
    ? []
    : [
        findingOf(
          'error',
          'policies.unreadable',
          `the policy ${policy.name} cannot be read, and has no effect: ${fault}`,
          `\`tankeeper policy set ${policy.name}\` with known names, or \`tankeeper policy remove ${policy.name}\``,
        ),
      ];
}

/** An import brings along inactive policies of scopes that are unknown here: they are one note. */
function unreadableInactive(policies: readonly Policy[]): readonly Finding[] {
  const names = policies.map(({ name }) => name);
  return names.length === 0
    ? []
    : [
        findingOf(
          'note',
          'policies.unreadable-inactive',
          `inactive policies have scopes, actions or other parts that are unknown here: ${names.join(', ')}`,
          `\`tankeeper policy remove ${names[0] ?? ''}\`, if it is of no use`,
        ),
      ];
}

function unknownRealms(policy: Policy, unknown: readonly UnknownPolicyName[]): readonly Finding[] {
  const realms = unknown.filter(({ part }) => part === 'realm');
  return realms.length === 0
    ? []
    : [
        findingOf(
          policy.active ? 'warning' : 'note',
          'policies.unknown-realm',
          `the policy ${policy.name} names the realm ${namesOf(realms)}, which does not exist`,
          `\`tankeeper policy set ${policy.name}\` with one of the realms of \`tankeeper realm list\`, or \`tankeeper realm add ${realms[0]?.name ?? ''}\``,
        ),
      ];
}

function unknownUsers(policy: Policy, unknown: readonly UnknownPolicyName[]): readonly Finding[] {
  const users = unknown.filter(({ part }) => part === 'user');
  return users.length === 0
    ? []
    : [
        findingOf(
          policy.active ? 'warning' : 'note',
          'policies.unknown-user',
          `the policy ${policy.name} names the users ${namesOf(users)}, whose realm or resolver does not exist`,
          `\`tankeeper policy set ${policy.name}\` with existing ones in --user`,
        ),
      ];
}

function namesOf(unknown: readonly UnknownPolicyName[]): string {
  return unknown
    .map(({ name, nearest }) => (nearest === undefined ? name : `${name} (did you mean ${nearest}?)`))
    .join(', ');
}
