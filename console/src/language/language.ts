import { createContext, useContext } from 'react';
import type { Language } from '../../../app/src/browser/language.ts';

export { detectLanguage, localeOf, type Language } from '../../../app/src/browser/language.ts';

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
