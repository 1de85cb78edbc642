import type { Configuration } from '../configuration/configuration.ts';
import { isServiceError } from '../kernel/errors.ts';
import { checkPolicy, policyRealms } from '../policy/policy.ts';
import { plainResolverName, splitList } from '../policy/policy-users.ts';
import type { Policy } from '../policy/stored-policy.ts';
import { type Finding, found } from './finding.ts';

/** Names of LinOTP that its policies use for administrators; the access control knows them. */
const LEGACY = { realm: 'linotp_admins', resolver: 'LinOTP_local_admins' };

/** @returns findings about policies that cannot be read, or name what does not exist */
export function checkPolicies(configuration: Configuration): readonly Finding[] {
  const { policies } = configuration;
  const readable = policies.filter((policy) => faultOf(policy) === undefined);
  return [
    ...policies.filter(({ active }) => active).flatMap(unreadable),
    ...unreadableInactive(policies.filter((policy) => !policy.active && faultOf(policy) !== undefined)),
    ...readable.flatMap((policy) => [
      ...unknownRealms(policy, configuration),
      ...unknownUsers(policy, configuration),
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
        found(
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
        found(
          'note',
          'policies.unreadable-inactive',
          `inactive policies have scopes, actions or other parts that are unknown here: ${names.join(', ')}`,
          `\`tankeeper policy remove ${names[0] ?? ''}\`, if it is of no use`,
        ),
      ];
}

function unknownRealms(policy: Policy, { realms }: Configuration): readonly Finding[] {
  const bounds = policyRealms(policy);
  const unknown = bounds === 'all' ? [] : bounds.filter((name) => !isRealm(name, realms));
  return unknown.length === 0
    ? []
    : [
        found(
          policy.active ? 'warning' : 'note',
          'policies.unknown-realm',
          `the policy ${policy.name} names the realm ${unknown.join(', ')}, which does not exist`,
          `\`tankeeper policy set ${policy.name}\` with one of the realms of \`tankeeper realm list\`, or \`tankeeper realm add ${unknown[0] ?? ''}\``,
        ),
      ];
}

/** Entries that certainly name a realm (`*@realm`) or a resolver (`name:`): an @ may also be a part of a login. */
function unknownUsers(policy: Policy, { realms, resolvers }: Configuration): readonly Finding[] {
  const entries = splitList(policy.user).map((entry) => entry.replace(/^!\s*/, ''));
  const unknown = entries.filter((entry) => {
    const realm = /^\*@(.+)$/.exec(entry)?.[1]?.toLowerCase();
    const resolver = entry.endsWith(':') ? plainResolverName(entry.slice(0, -1)) : undefined;
    return (
      (realm !== undefined && realm !== '*' && realm !== LEGACY.realm && !isRealm(realm, realms)) ||
      (resolver !== undefined &&
        resolver !== LEGACY.resolver &&
        !resolvers.some(({ name }) => name === resolver))
    );
  });
  return unknown.length === 0
    ? []
    : [
        found(
          policy.active ? 'warning' : 'note',
          'policies.unknown-user',
          `the policy ${policy.name} names the users ${unknown.join(', ')}, whose realm or resolver does not exist`,
          `\`tankeeper policy set ${policy.name}\` with existing ones in --user`,
        ),
      ];
}

function isRealm(name: string, realms: Configuration['realms']): boolean {
  return realms.some((realm) => realm.name === name);
}
