import { type ReactNode, useEffect, useMemo, useState } from 'react';
import { type Zone, ZoneContext } from '../language/format.ts';
import { detectLanguage, type Language, LanguageContext } from '../language/language.ts';
import { type DisplayControl, SetDisplayContext } from './set-display.ts';

const LANGUAGE = 'tankeeper-language';
const ZONE = 'tankeeper-zone';

/**
 * Keeps how the console is shown, as it was chosen in this browser; else in the language of the browser, and in its zone.
 */
export function DisplayChoice({ children }: { readonly children: ReactNode }): ReactNode {
  const [language, setLanguage] = useState<Language>(() =>
    detectLanguage([localStorage.getItem(LANGUAGE) ?? '', ...navigator.languages]),
  );
  const [zone, setZone] = useState<Zone>(() => (localStorage.getItem(ZONE) === 'UTC' ? 'UTC' : 'local'));
  useEffect(() => {
    document.documentElement.lang = language;
  }, [language]);
  const control = useMemo(
    (): DisplayControl => ({
      setLanguage: (chosen) => {
        localStorage.setItem(LANGUAGE, chosen);
        setLanguage(chosen);
      },
      setZone: (chosen) => {
        localStorage.setItem(ZONE, chosen);
        setZone(chosen);
      },
    }),
    [],
  );
  return (
    <LanguageContext value={language}>
      <ZoneContext value={zone}>
        <SetDisplayContext value={control}>{children}</SetDisplayContext>
      </ZoneContext>
    </LanguageContext>
  );
}
