import type { Language } from './languages.ts';

/** A text in the languages that it was recorded in; English stands for the others. Each `{}` is what differs from case to case. */
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
  {
    en: 'You do not have the administrative right to do this. You are missing a policy scope={}, action={}',
    de: 'Sie haben nicht die administrativen Rechte dies auszuführen. Es fehlt dazu eine Richtlinie mit scope={} und action={}',
  },
  { en: 'license file is empty!', de: 'Die Lizenzdatei ist leer!' },
  {
    en: 'volume exceeded: {} active tokens found > {} tokens licensed.',
    de: 'Volumen überschritten: {} aktive Token gefunden > {} lizensierte Token.',
  },
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
    const fillings = translated === undefined ? undefined : fillingsOf(message.en, english);
    if (translated !== undefined && fillings !== undefined) {
      return translated
        .split(PLACE)
        .map((part, index) => part + (fillings[index] ?? ''))
        .join('');
    }
  }
  return english;
}

/** @returns what stands in each place of `{}`; undefined where it is another text */
function fillingsOf(template: string, text: string): readonly string[] | undefined {
  const parts = template.split(PLACE).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('(.*)')}$`, 's').exec(text)?.slice(1);
}
