import { detectLanguage, type Language } from '../language/language.ts';

export type LanguageChoice = 'auto' | Language;
export type Theme = 'system' | 'light' | 'dark';

const LANGUAGES: readonly LanguageChoice[] = ['auto', 'en', 'de'];
const THEMES: readonly Theme[] = ['system', 'light', 'dark'];

const INSTALL = ['declined'] as const;

/** The appearance of the app before it is unlocked, and whether it is to be installed. No secrets: it lives in localStorage. */
export class Preferences {
  readonly #listeners = new Set<() => void>();
  #languageChoice: LanguageChoice;
  #theme: Theme;

  constructor() {
    this.#languageChoice = stored('language', LANGUAGES) ?? 'auto';
    this.#theme = stored('theme', THEMES) ?? 'system';
    this.#apply();
  }

  get languageChoice(): LanguageChoice {
    return this.#languageChoice;
  }

  get theme(): Theme {
    return this.#theme;
  }

  get language(): Language {
    return this.#languageChoice === 'auto' ? detectLanguage(navigator.languages) : this.#languageChoice;
  }

  chooseLanguage(choice: LanguageChoice): void {
    this.#languageChoice = choice;
    store('language', choice);
    this.#apply();
  }

  chooseTheme(theme: Theme): void {
    this.#theme = theme;
    store('theme', theme);
    this.#apply();
  }

  /** True if the user does not want to be asked to install the app. */
  get declinesInstall(): boolean {
    return stored('install', INSTALL) === 'declined';
  }

  declineInstall(): void {
    store('install', 'declined');
    this.#apply();
  }

  /** @returns a function that ends the subscription */
  subscribe(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #apply(): void {
    const { documentElement: root } = document;
    root.lang = this.language;
    if (this.#theme === 'system') {
      delete root.dataset.theme;
    } else {
      root.dataset.theme = this.#theme;
    }
    for (const listener of this.#listeners) {
      listener();
    }
  }
}

/** Browsers may refuse localStorage: the choice then lasts until the app is closed. */
function stored<Value extends string>(name: string, values: readonly Value[]): Value | undefined {
  try {
    const text = localStorage.getItem(name);
    return values.find((value) => value === text);
  } catch {
    return undefined;
  }
}

function store(name: string, value: string): void {
  try {
    localStorage.setItem(name, value);
  } catch {
    // As in `stored`.
  }
}
