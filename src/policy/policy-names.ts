import { z } from 'zod';
import { type PolicyBase, isOpenWithoutPolicies } from './granting.ts';
import { describedActions, hasWildcard } from './policy-actions.ts';
import { BOUND_TO_REALMS, isAboutOwners, policyRealms } from './policy.ts';
import { GROUP, plainResolverName } from './policy-conditions.ts';
import { type Policy, POLICY_SCOPES, type PolicyScope } from './stored-policy.ts';
import type { ReadonlyDeep } from '../kernel/readonly-deep.ts';
import { splitList } from '../kernel/text.ts';

const strings = z.array(z.string());
const forms = z.array(z.object({ form: z.string(), meaning: z.string() }));

/** The names that policies may use, each list sorted. */
export const NAMES = z.object({
  scopes: z.array(
    z.object({
      name: z.string().meta({ column: 'SCOPE' }),
      meaning: z.string().meta({ column: 'MEANING' }),
      actions: z.array(
        z.object({
          name: z.string(),
          meaning: z.string(),
          value: z.string().optional().describe('the allowed values; absent: it takes none'),
        }),
      ),
      hasWildcard: z.boolean().describe('`*` means all actions'),
      // A policy of the scope must name a realm.
      requiresRealm: z.boolean(),
      // A policy of the scope must name users.
      requiresUser: z.boolean(),
      isOpen: z.boolean().describe('without an active policy, every administrator has its rights'),
    }),
  ),
  realms: strings,
  resolvers: strings,
  // Of this server.
  administrators: strings,
  groups: strings.describe('groups of single sign-on that policies name'),
  forms: z.object({ realm: forms, user: forms, client: forms, time: forms }),
});

type PublishedNames = ReadonlyDeep<z.output<typeof NAMES>>;
type PublishedScope = PublishedNames['scopes'][number];

interface DescribedScope extends PublishedScope {
  readonly name: PolicyScope;
}

export interface PolicyNames extends PublishedNames {
  readonly scopes: readonly DescribedScope[];
}

const MEANINGS: Readonly<Record<PolicyScope, string>> = {
  admin: 'tokens, users, the audit and sessions',
  system: 'policies, realms, resolvers and settings',
  monitoring: 'counts and states',
  ocra: 'challenges of portals',
  authentication: 'how tokens behave',
  selfservice: 'what users do with their own tokens',
};

/** The entries of the fields, each field a comma list but for `time`, whose entries `;` separates. */
const FORMS = {
  realm: [
    { form: 'office', meaning: 'a realm' },
    { form: '*', meaning: 'all realms' },
  ],
  user: [
    { form: 'anna', meaning: 'an administrator; in authentication and selfservice, the login of an owner' },
    { form: '*', meaning: 'everybody' },
    { form: 'anna@office', meaning: 'a user in a realm' },
    { form: '*@office', meaning: 'all users of a realm' },
    { form: 'staff:', meaning: 'all users of a resolver' },
    { form: 'probe-.*', meaning: 'a pattern for whole names' },
    { form: 'group:helpdesk', meaning: 'a group of people who sign in by single sign-on' },
    { form: 'oidc:anna', meaning: 'a person who signs in by single sign-on' },
    { form: '!anna', meaning: 'not this one; so for every form' },
  ],
  client: [
    { form: '10.0.0.5', meaning: 'an address' },
    { form: '10.0.0.0/8', meaning: 'a network' },
    { form: '2001:db8::/32', meaning: 'a network' },
    { form: '!10.0.0.5', meaning: 'not this one' },
    { form: '', meaning: 'any client' },
  ],
  time: [
    { form: '* 8-17 * * 1-5 *', meaning: 'Monday to Friday from 8:00 to 17:59' },
    { form: '* * * 12 * 2026', meaning: 'December 2026' },
    { form: '', meaning: 'always' },
  ],
} as const;

/** @param administrators their names */
export function policyNames(
  { policies, realms, resolvers }: PolicyBase,
  administrators: readonly string[],
): PolicyNames {
  const users = policies.flatMap(({ user }) => splitList(user)).map((entry) => entry.replace(/^!\s*/, ''));
  const groups = users.flatMap((entry) => (entry.startsWith(GROUP) ? entry.slice(GROUP.length) : []));
  return {
    scopes: POLICY_SCOPES.map(describeScope),
    realms: realms.map(({ name }) => name),
    resolvers: resolvers.map(({ name }) => name),
    administrators: administrators.toSorted(),
    groups: [...new Set(groups)].filter((group) => group !== '').sort(),
    forms: FORMS,
  };
}

function describeScope(name: PolicyScope): DescribedScope {
  return {
    name,
    meaning: MEANINGS[name],
    actions: describedActions(name),
    hasWildcard: hasWildcard(name),
    requiresRealm: BOUND_TO_REALMS.includes(name),
    requiresUser: !isAboutOwners(name),
    isOpen: isOpenWithoutPolicies(name),
  };
}

/** A name in a policy that does not exist, in the form of the policy: a realm, `*@realm` or `resolver:`. */
export const UNKNOWN_NAME = z.object({ part: z.enum(['realm', 'user']), name: z.string() });

export type UnknownPolicyName = Readonly<z.output<typeof UNKNOWN_NAME>>;

/** Names of LinOTP that its policies use for administrators; the access control knows them. */
const LEGACY = { realm: 'linotp_admins', resolver: 'LinOTP_local_admins' };

/** @returns the realms and resolvers that a policy names and that do not exist */
export function unknownNames(
  policy: Pick<Policy, 'realm' | 'user'>,
  { realms, resolvers }: PolicyBase,
): readonly UnknownPolicyName[] {
  const realmNames = realms.map(({ name }) => name);
  const resolverNames = resolvers.map(({ name }) => name);
  const bounds = policyRealms(policy);
  const unknownRealms = bounds === 'all' ? [] : bounds.filter((name) => !realmNames.includes(name));
  return [
    ...unknownRealms.map((name) => ({ part: 'realm', name }) as const),
    ...splitList(policy.user)
      .map((entry) => entry.replace(/^!\s*/, ''))
      .filter((entry) => isUnknownUser(entry, realmNames, resolverNames))
      .map((name) => ({ part: 'user', name }) as const),
  ];
}

/** @returns the names in one line: `realm offize, user *@lap` */
export function listUnknownNames(unknown: readonly UnknownPolicyName[]): string {
  return unknown.map(({ part, name }) => `${part} ${name}`).join(', ');
}

/** Only entries that certainly name a realm (`*@realm`) or a resolver (`name:`): an @ may also be a part of a login. */
function isUnknownUser(entry: string, realms: readonly string[], resolvers: readonly string[]): boolean {
  const realm = /^\*@(.+)$/.exec(entry)?.[1]?.toLowerCase();
  if (realm !== undefined) {
    return !['*', LEGACY.realm, ...realms].includes(realm);
  }
  const resolver = plainResolverName(entry.slice(0, -1));
  return entry.endsWith(':') && ![LEGACY.resolver, ...resolvers].includes(resolver);
}
