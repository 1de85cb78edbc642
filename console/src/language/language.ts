import { createContext, useContext } from 'react';

/** The languages of the console, as BCP 47 primary subtags. */
export type Language = 'en' | 'de';

/** The texts of one feature in every language. A function makes a text with values. */
export type Texts<Text> = Readonly<Record<Language, Readonly<Text>>>;

export const LanguageContext = createContext<Language>('en');

/** @returns the language of the console */
export function useLanguage(): Language {
  return useContext(LanguageContext);
}

/** @returns the texts in the language of the console */
export function useTexts<Text>(texts: Texts<Text>): Readonly<Text> {
  return texts[useLanguage()];
}

/**
 * @param preferred BCP 47 tags, the most wanted first, as `navigator.languages`
 * @returns the first of them that the console speaks; else English
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
 * Gives the browser an English tag in place of one that Intl refuses, as `C` of a machine without a language: libraries
 * hand it to Intl as it is, and the pages that load them would fail.
 */
export function mendLanguageTag(browser: { readonly language: string }): void {
  try {
    Intl.getCanonicalLocales(browser.language);
  } catch {
    Object.defineProperty(browser, 'language', { value: 'en' });
  }
}
