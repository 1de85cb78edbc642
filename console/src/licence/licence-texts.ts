import type { Texts } from '../language/language.ts';

interface LicenceTexts {
  readonly title: string;
  readonly lead: string;
  readonly none: string;
  readonly valid: string;
  readonly invalid: string;
  readonly counts: string;
  readonly units: Readonly<Record<'user' | 'token', string>>;
  readonly licensed: string;
  readonly active: string;
  readonly left: string;
  readonly starts: string;
  readonly ends: string;
  readonly signed: string;
  readonly installTitle: string;
  readonly text: string;
  readonly textHint: string;
  readonly install: string;
  readonly installed: string;
  readonly remove: string;
  readonly removeTitle: string;
  readonly removeText: string;
}

export const licenceTexts: Texts<LicenceTexts> = {
  en: {
    title: 'Licence',
    lead: 'The state of the licence. Nothing stops when it ends.',
    none: 'No licence is installed: support comes from the community.',
    valid: 'valid',
    invalid: 'does not count',
    counts: 'Counts',
    units: { user: 'users with an active token', token: 'active tokens' },
    licensed: 'Licensed',
    active: 'Present number',
    left: 'Left',
    starts: 'Valid from',
    ends: 'Ends',
    signed: 'What is signed',
    installTitle: 'Install a licence',
    text: 'Licence',
    textHint:
      'The whole text of the file. A licence that would not count is refused, and the present one stays.',
    install: 'Install',
    installed: 'The licence is installed.',
    remove: 'Remove',
    removeTitle: 'Remove the licence?',
    removeText: 'Support then comes from the community. Have the file at hand to install it again.',
  },
  de: {
    title: 'Lizenz',
    lead: 'Der Stand der Lizenz. Endet sie, läuft alles weiter.',
    none: 'Es ist keine Lizenz installiert: Unterstützung gibt die Gemeinschaft.',
    valid: 'gültig',
    invalid: 'gilt nicht',
    counts: 'Gezählt werden',
    units: { user: 'Benutzer mit einem aktiven Token', token: 'aktive Token' },
    licensed: 'Lizenziert',
    active: 'Derzeit',
    left: 'Frei',
    starts: 'Gültig ab',
    ends: 'Endet',
    signed: 'Unterschriebene Angaben',
    installTitle: 'Lizenz installieren',
    text: 'Lizenz',
    textHint:
      'Der ganze Text der Datei. Eine Lizenz, die nicht gelten würde, wird abgelehnt, und die bisherige bleibt.',
    install: 'Installieren',
    installed: 'Die Lizenz ist installiert.',
    remove: 'Entfernen',
    removeTitle: 'Lizenz entfernen?',
    removeText:
      'Danach gibt die Gemeinschaft Unterstützung. Halten Sie die Datei bereit, um sie wieder zu installieren.',
  },
};
