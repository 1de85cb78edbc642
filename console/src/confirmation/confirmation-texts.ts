import type { Texts } from '../language/language.ts';

interface ConfirmationTexts {
  readonly title: string;
  readonly lead: string;
  readonly password: string;
  readonly go: string;
  readonly cancelled: string;
}

export const confirmationTexts: Texts<ConfirmationTexts> = {
  en: {
    title: 'Is it you?',
    lead: 'Give your password again. For five minutes you are then not asked again.',
    password: 'Your password',
    go: 'Go on',
    cancelled: 'Not confirmed: nothing was changed.',
  },
  de: {
    title: 'Sind Sie es?',
    lead: 'Geben Sie Ihr Passwort erneut ein. Danach werden Sie fünf Minuten lang nicht mehr gefragt.',
    password: 'Ihr Passwort',
    go: 'Weiter',
    cancelled: 'Nicht bestätigt: Es wurde nichts geändert.',
  },
};
