import type { Texts } from '../language/language.ts';
import { overviewTexts } from '../overview/overview-texts.ts';

/** By the first words of outcomes; details may follow. In English, those of administration say it themselves. */
export const outcomeWords: Texts<Readonly<Record<string, string>>> = {
  en: { ...overviewTexts.en.outcomes, issued: 'issued' },
  de: {
    ...overviewTexts.de.outcomes,
    issued: 'ausgestellt',
    created: 'angelegt',
    changed: 'geändert',
    stored: 'gespeichert',
    removed: 'entfernt',
    imported: 'importiert',
    done: 'erledigt',
    refused: 'abgelehnt',
    failed: 'gescheitert',
    added: 'hinzugefügt',
    sealed: 'versiegelt',
    retired: 'außer Dienst',
    installed: 'installiert',
    confirmed: 'bestätigt',
    copied: 'kopiert',
    migrated: 'migriert',
    mended: 'berichtigt',
    pruned: 'gelöscht nach Frist',
    'handed out': 'herausgegeben',
    restored: 'wiederhergestellt',
    begun: 'begonnen',
    verified: 'geprüft',
    enabled: 'aktiviert',
    retried: 'erneut versucht',
    delivered: 'zugestellt',
  },
};

/** @returns the outcome of a row with its first words in that language; its details as the server wrote them */
export function outcomeText(outcome: string, words: Readonly<Record<string, string>>): string {
  const { lead = '', rest = '' } = /^(?<lead>[a-z]+(?: out)?)(?<rest>.*)$/s.exec(outcome)?.groups ?? {};
  return Object.hasOwn(words, lead) ? `${words[lead] ?? ''}${rest}` : outcome;
}

/** @returns what the server calls the outcome that a person has typed in words; else what was typed */
export function typedOutcome(typed: string, words: Readonly<Record<string, string>>): string {
  const sought = typed.trim().toLowerCase();
  const found = Object.keys(words).find((word) => words[word]?.toLowerCase() === sought);
  return found ?? typed.trim();
}
