import { createContext } from 'react';
import type { Zone } from '../language/format.ts';
import type { Language } from '../language/language.ts';

/** The ways to change how the console is shown, each of which keeps the choice in this browser. */
export interface DisplayControl {
  readonly setLanguage: (language: Language) => void;
  readonly setZone: (zone: Zone) => void;
}

export const SetDisplayContext = createContext<DisplayControl>({
  setLanguage: () => undefined,
  setZone: () => undefined,
});
