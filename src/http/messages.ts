/** A text in the languages in which it was recorded; English is the default. `{name}` is a placeholder. */
interface TranslatedText {
  readonly en: string;
  readonly de: string;
  readonly fr?: string;
}

/**
 * Every translated text, by its key: the code of the error and, after a slash, the variant. Texts that LinOTP does not
 * translate are not here; every client gets them in English.
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
  'enrolment/key-uri': { en: 'OTPAuth Url', de: 'OTPAuth-URL' },
  'enrolment/seed': { en: 'OTP seed', de: 'OTP Seed' },
} as const satisfies Record<string, TranslatedText>;

type MessageKey = keyof typeof MESSAGES;

/** The names of the placeholders in a text. */
type Placeholder<Text extends string> = Text extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Placeholder<Rest>
  : never;

/** The values of the placeholders of a text; left out where there are none. */
type Fillings<Key extends MessageKey> = [Placeholder<(typeof MESSAGES)[Key]['en']>] extends [never]
  ? []
  : [fillings: Readonly<Record<Placeholder<(typeof MESSAGES)[Key]['en']>, string | number>>];

/** @returns the text in that language, in English where it is not translated */
export function translate<Key extends MessageKey>(
  key: Key,
  language: Language,
  ...[fillings]: Fillings<Key>
): string {
  const message: TranslatedText = MESSAGES[key];
  const values = new Map(Object.entries<string | number>(fillings ?? {}));
  return (message[language] ?? message.en).replace(/\{(\w+)\}/g, (place, name: string) =>
    String(values.get(name) ?? place),
  );
}

/** The languages of the texts. Every text has English. */
const LANGUAGES = ['en', 'de', 'fr'] as const;
export type Language = (typeof LANGUAGES)[number];

/** The most ranges that are read; browsers send fewer. The rest of a longer header is ignored. */
const MAX_RANGES = 32;

/**
 * @param header `Accept-Language` (RFC 9110 §12.5.4)
 * @returns the client's most preferred language of those available; English where none is acceptable
 */
export function preferredLanguage(header: string | undefined): Language {
  if (header === undefined) {
    return 'en';
  }
  let best: { language: Language; quality: number } = { language: 'en', quality: 0 };
  for (const range of header.split(',', MAX_RANGES)) {
    const [tag = '', ...options] = range.split(';').map((part) => part.trim().toLowerCase());
    const language = LANGUAGES.find((known) => tag === known || tag.startsWith(`${known}-`));
    const quality = qualityOf(options);
    if (language !== undefined && quality > best.quality) {
      best = { language, quality };
    }
  }
  return best.language;
}

/** Reads the weight (RFC 9110 §12.4.2): 0 to 1; default: 1. */
function qualityOf(options: readonly string[]): number {
  const weight = options.find((option) => option.startsWith('q='));
  if (weight === undefined) {
    return 1;
  }
  const value = weight.slice('q='.length);
  return /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(value) ? Number(value) : 0;
}
