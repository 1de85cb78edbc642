import { comparableLogin } from '../resolvers/resolver-lookup.ts';
import type { Act } from '../policy/caller.ts';
import { knownActions } from '../policy/policy-actions.ts';
import type { ReadPolicy } from '../policy/read-policy.ts';
import type { ResolvedUser } from '../users/user-directory.ts';

/** A user at the account page: the owner of tokens, in the realm whose policies apply. */
export interface Person {
  readonly resolverId: string;
  readonly userId: string;
  readonly login: string;
  readonly realm: string;
}

/** An action of policies of the scope selfservice. Each includes the sign-in and the list of the own tokens. */
export type OwnAct = 'show' | 'rename' | 'lock' | 'enrol' | 'enroltotp';

/**
 * Sign-ins of one person that are under way at most. A further one is refused and ends none: who knows the password must
 * not end those of its owner. A few clients begin fewer in their life, by the default limits of logins.
 */
export const MAX_SIGN_INS = 100;

/** When and from where the account page is asked for. */
export interface Asks {
  readonly client: string;
  readonly at: Date;
}

/** @returns the policies that open the account page for users of the realm; undefined: of any realm */
export function opening(
  policies: readonly ReadPolicy[],
  { client, at }: Asks,
  realm?: string,
): readonly ReadPolicy[] {
  return policies.filter(
    (policy) =>
      policy.scope === 'selfservice' &&
      policy.holds(client, at) &&
      (realm === undefined || policy.covers([realm])),
  );
}

/** @returns the actions that policies let the user do */
export function allowedActs(
  policies: readonly ReadPolicy[],
  { login, realm, resolver }: Pick<ResolvedUser, 'login' | 'realm' | 'resolver'>,
  asks: Asks,
): ReadonlySet<OwnAct> {
  const subject = { login, realms: [realm.name], resolver: resolver.name };
  const meant = opening(policies, asks, realm.name).filter((policy) => policy.matchOf(subject) !== 'nobody');
  const acts = knownActions('selfservice') as readonly OwnAct[];
  return new Set(acts.filter((act) => meant.some((policy) => policy.names(act) && !policy.withholds(act))));
}

/** @returns the person, as sessions keep them */
export function personOf({ userId, login, resolver, realm }: ResolvedUser): Person {
  return { resolverId: resolver.id, userId, login, realm: realm.name };
}

/** @returns true if both are the same user in the same realm */
export function isSamePerson(one: Person, other: Person): boolean {
  return one.resolverId === other.resolverId && one.userId === other.userId && one.realm === other.realm;
}

/** @returns the act as the person's own. No administrator has a colon in the name */
export function ownAct(act: Act, { login, realm }: Pick<Person, 'login' | 'realm'>): Act {
  return { ...act, actor: `user:${login}@${realm}` };
}

/**
 * The name under which limits count wrong passwords, of everybody alike: whether there is such a user does not tell. No
 * administrator has a blank in the name.
 */
export function writtenName({ login, realm }: { readonly login: string; readonly realm: string }): string {
  return `user ${realm} ${comparableLogin(login)}`;
}

/** The name under which limits count what one person does, however the login and its realm are written. */
export function personName({ resolverId, userId }: Pick<Person, 'resolverId' | 'userId'>): string {
  return `person ${resolverId} ${userId}`;
}

/** The texts that the app displays before a person confirms something here. */
const TEXTS = {
  en: {
    signIn: (who: string, host: string) => `Sign in to your account as ${who} at ${host}`,
    enrol: (who: string, host: string) => `Add another phone to the account of ${who} at ${host}`,
    first: (who: string, host: string) => `This phone now belongs to the account of ${who} at ${host}`,
  },
  de: {
    signIn: (who: string, host: string) => `Anmeldung an Ihrem Konto als ${who} bei ${host}`,
    enrol: (who: string, host: string) => `Weiteres Telefon zum Konto von ${who} bei ${host} hinzufügen`,
    first: (who: string, host: string) => `Dieses Telefon gehört nun zum Konto von ${who} bei ${host}`,
  },
} as const;

export type OwnLanguage = keyof typeof TEXTS;

/** @returns the text in the language of the person, which names the act, the person and this server */
export function confirmedText(
  act: keyof (typeof TEXTS)['en'],
  language: OwnLanguage,
  { login }: Pick<Person, 'login'>,
  host: string,
): string {
  return TEXTS[language][act](login, host);
}
