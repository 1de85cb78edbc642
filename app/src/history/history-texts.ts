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
      'declined-refused': 'Declined too late or in vain',
      'declined-unknown': 'Declined here, the issuer may not know',
      reported: 'Reported: “This was not me”',
      'reported-refused': '“This was not me”, too late or in vain',
      'reported-unknown': '“This was not me”, the issuer may not know',
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
      'declined-refused': 'Zu spät oder vergeblich abgelehnt',
      'declined-unknown': 'Hier abgelehnt, der Herausgeber weiß es vielleicht nicht',
      reported: 'Gemeldet: „Das war ich nicht“',
      'reported-refused': '„Das war ich nicht“, zu spät oder vergeblich',
      'reported-unknown': '„Das war ich nicht“, der Herausgeber weiß es vielleicht nicht',
    },
  },
};
