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
