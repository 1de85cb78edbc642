import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Language } from '../browser/language.ts';

export { detectLanguage, localeOf, type Language } from '../browser/language.ts';

/** The texts of one feature in every language. A function makes a text with values. */
export type Texts<Text> = Readonly<Record<Language, Readonly<Text>>>;

export const LanguageContext = createContext<Language>('en');

/** @returns the texts in the language of the app */
export function useTexts<Text>(texts: Texts<Text>): Readonly<Text> {
  return texts[useContext(LanguageContext)];
}
