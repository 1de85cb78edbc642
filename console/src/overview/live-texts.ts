import type { Texts } from '../language/language.ts';

interface LiveTexts {
  readonly live: string;
  readonly connecting: string;
  readonly lost: (since: string) => string;
  readonly unavailable: (since: string) => string;
}

export const liveTexts: Texts<LiveTexts> = {
  en: {
    live: 'Live: changes appear by themselves',
    connecting: 'Connecting …',
    lost: (since) =>
      `No connection since ${since}. The numbers are those of that time; they go on by themselves.`,
    unavailable: (since) =>
      `The server has not been able to read its state since ${since}. The numbers are those of that time.`,
  },
  de: {
    live: 'Live: Änderungen erscheinen von selbst',
    connecting: 'Verbindung wird aufgebaut …',
    lost: (since) =>
      `Keine Verbindung seit ${since}. Die Zahlen sind von diesem Zeitpunkt; es geht von selbst weiter.`,
    unavailable: (since) =>
      `Der Server kann seinen Stand seit ${since} nicht lesen. Die Zahlen sind von diesem Zeitpunkt.`,
  },
};
