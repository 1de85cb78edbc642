/** The languages that there are texts in. English is the one that every text has. */
const LANGUAGES = ['en', 'de', 'fr'] as const;
export type Language = (typeof LANGUAGES)[number];

/** More ranges than anybody's browser sends; the rest of a longer header is not looked at. */
const MAX_RANGES = 32;

/**
 * @param header `Accept-Language` (RFC 9110 §12.5.4)
 * @returns the language that the client likes best of those there are, English where it likes none of them
 */
export function preferredLanguage(header: string | undefined): Language {
  let best: { language: Language; quality: number } = { language: 'en', quality: 0 };
  for (const range of (header ?? '').split(',', MAX_RANGES)) {
    const [tag = '', ...options] = range.split(';').map((part) => part.trim().toLowerCase());
    const language = LANGUAGES.find((known) => tag === known || tag.startsWith(`${known}-`));
    const quality = qualityOf(options);
    if (language !== undefined && quality > best.quality) {
      best = { language, quality };
    }
  }
  return best.language;
}

/** RFC 9110 §12.4.2: a weight from 0 to 1; none given means 1. */
function qualityOf(options: readonly string[]): number {
  const weight = options.find((option) => option.startsWith('q='));
  if (weight === undefined) {
    return 1;
  }
  const value = weight.slice('q='.length);
  return /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(value) ? Number(value) : 0;
}
