import { createContext } from 'preact';
import { useContext } from 'preact/hooks';

/** The languages of the app, as BCP 47 primary subtags. */
export type Language = 'en' | 'de';

/** The texts of one feature in every language. A function makes a text with values. */
export type Texts<Text> = Readonly<Record<Language, Readonly<Text>>>;

export const LanguageContext = createContext<Language>('en');

/** @returns the texts in the language of the app */
export function useTexts<Text>(texts: Texts<Text>): Readonly<Text> {
  return texts[useContext(LanguageContext)];
}

/**
 * @param preferred BCP 47 tags, the most wanted first, as `navigator.languages`
 * @returns the first of them that the app speaks; else English
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
