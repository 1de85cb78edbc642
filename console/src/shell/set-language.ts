import { createContext } from 'react';
import type { Language } from '../language/language.ts';

/** Changes the language of the console, and keeps the choice in this browser. */
export const SetLanguageContext = createContext<(language: Language) => void>(() => undefined);
