import { nearestName } from '../kernel/text.ts';
import { policyRealms } from './policy.ts';
import { plainResolverName, splitList } from './policy-conditions.ts';
import type { PolicyBase } from './right-decision.ts';
import type { Policy } from './stored-policy.ts';

/** A name in a policy that does not exist. */
export interface UnknownPolicyName {
  /** The part of the policy. */
  readonly part: 'realm' | 'user';
  /** The name in the form of the policy: a realm, `*@realm` or `resolver:`. */
  readonly name: string;
  /** The existing name that was probably meant, in the same form. */
  readonly nearest: string | undefined;
}

/** Names of LinOTP that its policies use for administrators; the access control knows them. */
const LEGACY = { realm: 'linotp_admins', resolver: 'LinOTP_local_admins' };

/** Unknown names to which the nearest one is looked for: that takes time with the number of realms and resolvers. */
const MAX_NEAREST = 20;

/** @returns the realms and resolvers that a policy names and that do not exist; the nearest ones to the first names */
export function unknownNames(
  policy: Pick<Policy, 'realm' | 'user'>,
  { realms, resolvers }: PolicyBase,
): readonly UnknownPolicyName[] {
  const realmNames = realms.map(({ name }) => name);
  const resolverNames = resolvers.map(({ name }) => name);
  const bounds = policyRealms(policy);
  const unknownRealms = bounds === 'all' ? [] : bounds.filter((name) => !realmNames.includes(name));
  let left = MAX_NEAREST;
  const nearestOf = (name: string, known: readonly string[]): string | undefined => {
    left -= 1;
    return left < 0 ? undefined : nearestName(name, known);
  };
  return [
    ...unknownRealms.map((name) => ({ part: 'realm', name, nearest: nearestOf(name, realmNames) }) as const),
    ...splitList(policy.user).flatMap((entry) => unknownUser(entry, realmNames, resolverNames, nearestOf)),
  ];
}

/** @returns the names in one line: `realm offize (did you mean office?), user *@lap` */
export function listUnknownNames(unknown: readonly UnknownPolicyName[]): string {
  return unknown
    .map(
      ({ part, name, nearest }) =>
        `${part} ${name}${nearest === undefined ? '' : ` (did you mean ${nearest}?)`}`,
    )
    .join(', ');
}

/** Only entries that certainly name a realm (`*@realm`) or a resolver (`name:`): an @ may also be a part of a login. */
function unknownUser(
  text: string,
  realms: readonly string[],
  resolvers: readonly string[],
  nearestOf: (name: string, known: readonly string[]) => string | undefined,
): readonly UnknownPolicyName[] {
  const entry = text.replace(/^!\s*/, '');
  const realm = /^\*@(.+)$/.exec(entry)?.[1]?.toLowerCase();
  if (realm !== undefined) {
    return ['*', LEGACY.realm, ...realms].includes(realm)
      ? []
      : [unknownEntry(entry, nearestOf(realm, realms), (nearest) => `*@${nearest}`)];
  }
  const resolver = plainResolverName(entry.slice(0, -1));
  return !entry.endsWith(':') || [LEGACY.resolver, ...resolvers].includes(resolver)
    ? []
    : [unknownEntry(entry, nearestOf(resolver, resolvers), (nearest) => `${nearest}:`)];
}

function unknownEntry(
  name: string,
  nearest: string | undefined,
  toEntry: (nearest: string) => string,
): UnknownPolicyName {
  return { part: 'user', name, nearest: nearest === undefined ? undefined : toEntry(nearest) };
}
