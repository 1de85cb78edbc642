import type { Texts } from '../language/language.ts';
import type { HistoryOutcome } from '../vault/vault.ts';

interface HistoryTexts {
  readonly title: string;
  readonly empty: string;
  readonly noText: string;
  readonly outcomes: Readonly<Record<HistoryOutcome, string>>;
}

export const historyTexts: Texts<HistoryTexts> = {
  en: {
    title: 'History',
    empty: 'Nothing was confirmed on this device yet.',
    noText: '(no text)',
    outcomes: {
      accepted: 'Confirmed',
      refused: 'Not accepted',
      unknown: 'Sent, result unknown',
      shown: 'Digits shown',
      declined: 'Declined',
    },
  },
  de: {
    title: 'Verlauf',
    empty: 'Auf diesem Gerät wurde noch nichts bestätigt.',
    noText: '(kein Text)',
    outcomes: {
      accepted: 'Bestätigt',
      refused: 'Nicht angenommen',
      unknown: 'Gesendet, Ergebnis unbekannt',
      shown: 'Ziffern gezeigt',
      declined: 'Abgelehnt',
    },
  },
};
