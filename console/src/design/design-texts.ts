import type { Texts } from '../language/language.ts';

interface DesignTexts {
  readonly loading: string;
  readonly retry: string;
  readonly away: string;
  readonly failed: string;
  readonly cancel: string;
  readonly close: string;
  readonly copy: string;
  readonly copied: string;
}

export const designTexts: Texts<DesignTexts> = {
  en: {
    loading: 'Loading …',
    retry: 'Try again',
    away: 'The server does not answer. This page goes on as soon as it does.',
    failed: 'That did not work.',
    cancel: 'Cancel',
    close: 'Close',
    copy: 'Copy',
    copied: 'Copied',
  },
  de: {
    loading: 'Wird geladen …',
    retry: 'Erneut versuchen',
    away: 'Der Server antwortet nicht. Sobald er es tut, geht es hier weiter.',
    failed: 'Das hat nicht geklappt.',
    cancel: 'Abbrechen',
    close: 'Schließen',
    copy: 'Kopieren',
    copied: 'Kopiert',
  },
};
