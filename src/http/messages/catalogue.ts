import type { Language } from './languages.ts';

/** A text in the languages that it was recorded in; English stands for the others. `{}` is what differs from case to case. */
interface Message {
  readonly en: string;
  readonly de: string;
  readonly fr?: string;
}

/**
 * Every text that clients get in their own language: the one place for translations. A text that is not here is in
 * English for everybody, as texts of LinOTP are that it was never translated from.
 */
const MESSAGES: readonly Message[] = [
  {
    en: 'You do not have the rights to see these realms: {}. Check the policies!',
    de: 'Sie haben nicht die notwendigen Rechte um diese Realms einzusehen: {}. Überprüfen Sie die Richtlinien!',
  },
  { en: 'license file is empty!', de: 'Die Lizenzdatei ist leer!' },
  {
    en: 'You do not have the administrative right to do an ocra/{}',
    de: 'Sie haben nicht die administrativen Rechte für die OCRA-Anfrage: ocra/{}.',
    fr: "Vous ne disposez pas de droits d'administration pour la requête Ocra : ocra/{}.",
  },
  { en: 'URL for OCRA token', de: 'URL für OCRA-Token' },
  { en: 'OTP seed', de: 'OTP Seed' },
];

const PLACE = '{}';

/**
 * @param english the text as the domain says it
 * @returns the text in that language, the English one where there is no other
 */
export function translate(english: string, language: Language): string {
  for (const message of MESSAGES) {
    const translated = message[language];
    const filling = translated === undefined ? undefined : fillingOf(message.en, english);
    if (translated !== undefined && filling !== undefined) {
      return translated.split(PLACE).join(filling);
    }
  }
  return english;
}

/** @returns what stands in the place of `{}`; empty where the template has none; undefined where it is another text */
function fillingOf(template: string, text: string): string | undefined {
  const [before = '', after] = template.split(PLACE);
  if (after === undefined) {
    return text === template ? '' : undefined;
  }
  return text.startsWith(before) && text.endsWith(after) && text.length >= before.length + after.length
    ? text.slice(before.length, text.length - after.length)
    : undefined;
}
