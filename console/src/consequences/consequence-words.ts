import type { Language } from '../language/language.ts';

/** A consequence of an act, as the server foretells it. */
export interface Consequence {
  readonly code: string;
  /** In English. */
  readonly text: string;
  readonly count?: number | undefined;
  readonly names?: readonly string[] | undefined;
  readonly rights?: readonly string[] | undefined;
}

interface Facts {
  readonly count: number;
  readonly names: readonly string[];
  readonly rights: readonly string[];
}

/** Names in a clause; more are counted. */
const MAX_NAMES = 5;

/** @returns `a, b und c`; of many, the first ones and the number of the others */
function listed(names: readonly string[]): string {
  const shown = names.length > MAX_NAMES ? names.slice(0, MAX_NAMES - 1) : names;
  const others = names.length - shown.length;
  return new Intl.ListFormat('de').format(others > 0 ? [...shown, `${others} weitere`] : shown);
}

function chosen<Form>(count: number, one: Form, several: Form): Form {
  return count === 1 ? one : several;
}

/** German clauses by the code of the consequence. */
const GERMAN: Readonly<Record<string, (facts: Facts) => string>> = {
  'policy.lock-out': () =>
    'Danach kann niemand mehr Richtlinien über HTTP ändern, nur noch `tankeeper policy` auf dem Server',
  'policy.rights': ({ names, rights }) =>
    `${listed(names)} ${chosen(names.length, 'verliert', 'verlieren')} ${listed(rights)}`,
  'policy.unknown-names': ({ names }) => `Sie nennt, was es nicht gibt: ${listed(names)}`,
  'policy.own': ({ rights }) =>
    `Sie verlieren ${listed(rights)}, zumindest von dieser Adresse und zu dieser Zeit`,
  'policy.own-realms': ({ rights }) => `Sie haben ${listed(rights)} in weniger Realms`,
  'setting.unread': () => 'Der Server liest diese Einstellung nicht',
  'realm.tokens': ({ count }) => `${count} Token ${chosen(count, 'verlässt', 'verlassen')} diesen Realm`,
  'realm.default': () => 'Er ist der Standard-Realm',
  'realm.resolvers': ({ names }) =>
    `Benutzer aus ${listed(names)} werden in diesem Realm nicht mehr gefunden`,
  'realm.new-default': ({ names }) =>
    `Benutzer ohne Angabe eines Realms werden nicht mehr in ${listed(names)} gesucht`,
  'resolver.settings': () => 'Seine Einstellungen sind endgültig weg',
  'resolver.users': ({ count }) =>
    `${count} Benutzer ${chosen(count, 'wird', 'werden')} mit Passwort entfernt`,
  'user.tokens': ({ count }) =>
    `${count} Token ${chosen(count, 'gehört', 'gehören')} danach niemandem, offene Challenges werden geschlossen`,
  'user.password': () => 'Das Passwort ist endgültig weg, Anmeldungen damit werden abgelehnt',
};

/** @returns a consequence in that language; in the words of the server where there are none */
export function consequenceWords(
  { code, text, count = 0, names = [], rights = [] }: Consequence,
  language: Language,
): { readonly text: string; readonly language: Language | undefined } {
  const german = language === 'de' ? GERMAN[code] : undefined;
  return german === undefined
    ? { text, language: language === 'en' ? undefined : 'en' }
    : { text: german({ count, names, rights }), language: undefined };
}
