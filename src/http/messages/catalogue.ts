import type { Language } from './languages.ts';

/** A text in the languages that it was recorded in; English stands for the others. `{name}` is a place to fill. */
interface Message {
  readonly en: string;
  readonly de: string;
  readonly fr?: string;
}

/**
 * Every text that clients get in their own language, by its key: the code of the error, and after a slash what else the
 * text depends on. Texts that LinOTP was never translated from are not here; they are in English for everybody.
 */
const MESSAGES = {
  'right.missing/realms': {
    en: 'You do not have the rights to see these realms: [{realms}]. Check the policies!',
    de: 'Sie haben nicht die notwendigen Rechte um diese Realms einzusehen: [{realms}]. Überprüfen Sie die Richtlinien!',
  },
  'right.missing/policy': {
    en: 'You do not have the administrative right to do this. You are missing a policy scope={scope}, action={action}',
    de: 'Sie haben nicht die administrativen Rechte dies auszuführen. Es fehlt dazu eine Richtlinie mit scope={scope} und action={action}',
  },
  'right.missing/ocra': {
    en: 'You do not have the administrative right to do an ocra/{request}',
    de: 'Sie haben nicht die administrativen Rechte für die OCRA-Anfrage: ocra/{request}.',
    fr: "Vous ne disposez pas de droits d'administration pour la requête Ocra : ocra/{request}.",
  },
  'licence/none': { en: 'license file is empty!', de: 'Die Lizenzdatei ist leer!' },
  'licence/exceeded': {
    en: 'volume exceeded: {active} active tokens found > {licensed} tokens licensed.',
    de: 'Volumen überschritten: {active} aktive Token gefunden > {licensed} lizensierte Token.',
  },
  'enrolment/url': { en: 'URL for OCRA token', de: 'URL für OCRA-Token' },
  'enrolment/seed': { en: 'OTP seed', de: 'OTP Seed' },
} as const satisfies Record<string, Message>;

type MessageKey = keyof typeof MESSAGES;

/** The names of the places in a text. */
type Place<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Place<Rest>
  : never;

/** What fills the places of a text; left out where there is none. */
type Fillings<Key extends MessageKey> = [Place<(typeof MESSAGES)[Key]['en']>] extends [never]
  ? []
  : [fillings: Readonly<Record<Place<(typeof MESSAGES)[Key]['en']>, string | number>>];

/** @returns the text in that language, the English one where there is no other */
export function translate<Key extends MessageKey>(
  key: Key,
  language: Language,
  ...[fillings]: Fillings<Key>
): string {
  const message: Message = MESSAGES[key];
  const values = new Map(Object.entries<string | number>(fillings ?? {}));
  return (message[language] ?? message.en).replace(/\{(\w+)\}/g, (place, name: string) =>
    String(values.get(name) ?? place),
  );
}
