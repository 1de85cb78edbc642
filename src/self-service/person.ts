import { comparableLogin } from '../resolvers/resolver-lookup.ts';
import type { Act } from '../policy/caller.ts';

/** A user at the account page: the owner of tokens, in the realm whose policies apply. */
export interface Person {
  readonly resolverId: string;
  readonly userId: string;
  readonly login: string;
  readonly realm: string;
}

/** An action of policies of the scope selfservice. Each includes the sign-in and the list of the own tokens. */
export type OwnAct = 'show' | 'rename' | 'lock' | 'enrol';

/** @returns the act as the person's own. No administrator has a colon in the name */
export function ownAct(act: Act, { login, realm }: Pick<Person, 'login' | 'realm'>): Act {
  return { ...act, actor: `user:${login}@${realm}` };
}

/**
 * The name under which limits count wrong passwords: one for each user, however the login is spelled, and one for each
 * login that nobody has. No administrator has a blank in the name.
 */
export function limitedName(
  person: Pick<Person, 'resolverId' | 'userId'> | undefined,
  named: { readonly login: string; readonly realm: string },
): string {
  return person === undefined
    ? `user ${named.realm} ${comparableLogin(named.login)}`
    : `user ${person.resolverId} ${person.userId}`;
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
