/** The languages of app and console, as BCP 47 primary subtags. */
export type Language = 'en' | 'de';

/**
 * @param preferred BCP 47 tags, the most wanted first, as `navigator.languages`
 * @returns the first of them that app and console speak; else English
 */
export function detectLanguage(preferred: readonly string[]): Language {
  for (const tag of preferred) {
    const [primary] = tag.toLowerCase().split('-');
    if (primary === 'de' || primary === 'en') {
      return primary;
    }
  }
  return 'en';
}

/**
 * @returns the language as it is written in the browser's region, for Intl: `en-GB`, `de-AT`. A language alone would be
 *   that of its largest country; a region that has no way of its own to write it is passed over by Intl
 */
export function localeOf(language: Language, preferred = navigator.languages): string {
  const regions = [...preferred.filter((tag) => tag.startsWith(language)), ...preferred].flatMap(
    (tag) => /^[a-z]{2,3}(?:-[a-z]{4})?-([a-z]{2}|\d{3})(?:-|$)/i.exec(tag)?.[1] ?? [],
  );
  return [language, ...regions.slice(0, 1)].join('-');
}
