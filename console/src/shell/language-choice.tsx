import { type ReactNode, useEffect, useMemo, useState } from 'react';
import { detectLanguage, type Language, LanguageContext } from '../language/language.ts';
import { SetLanguageContext } from './set-language.ts';

const STORED = 'tankeeper-language';

/** Keeps the language: the one that was chosen in this browser, else that of the browser. */
export function LanguageChoice({ children }: { readonly children: ReactNode }): ReactNode {
  const [language, setLanguage] = useState<Language>(() =>
    detectLanguage([storedLanguage(), ...navigator.languages]),
  );
  useEffect(() => {
    document.documentElement.lang = language;
  }, [language]);
  const choose = useMemo(
    () => (chosen: Language) => {
      localStorage.setItem(STORED, chosen);
      setLanguage(chosen);
    },
    [],
  );
  return (
    <LanguageContext value={language}>
      <SetLanguageContext value={choose}>{children}</SetLanguageContext>
    </LanguageContext>
  );
}

function storedLanguage(): string {
  return localStorage.getItem(STORED) ?? '';
}
