import type { Texts } from '../language/language.ts';

interface ApiTokenTexts {
  readonly title: string;
  readonly lead: string;
  readonly none: string;
  readonly name: string;
  readonly nameHint: string;
  readonly rights: string;
  readonly rightsHint: string;
  readonly created: string;
  readonly expires: string;
  readonly expiresHint: string;
  readonly never: string;
  readonly remove: string;
  readonly removeTitle: (name: string) => string;
  readonly removeText: string;
  readonly add: string;
  readonly made: string;
}

export const apiTokenTexts: Texts<ApiTokenTexts> = {
  en: {
    title: 'API tokens',
    lead: 'For programs, in place of a password. A token speaks for this administrator, at most with the rights given here.',
    none: 'No API tokens.',
    name: 'Name',
    nameHint: 'What it is for, such as nagios.',
    rights: 'Rights',
    rightsHint: 'scope:action, separated by commas, such as monitoring:*, ocra:request. All: *',
    created: 'Made',
    expires: 'Expires',
    expiresHint: 'A date (2027-01-31) or a duration (90D). Empty: never.',
    never: 'never',
    remove: 'Revoke',
    removeTitle: (name) => `Revoke the API token ${name}?`,
    removeText: 'Programs that use it are refused within a second.',
    add: 'Make an API token',
    made: 'This is shown now and never again. Put it where the program reads its secrets:',
  },
  de: {
    title: 'API-Token',
    lead: 'Für Programme, statt eines Passworts. Ein Token spricht für diese Person, höchstens mit den hier vergebenen Rechten.',
    none: 'Keine API-Token.',
    name: 'Name',
    nameHint: 'Wofür es ist, etwa nagios.',
    rights: 'Rechte',
    rightsHint: 'scope:action, mit Kommas getrennt, etwa monitoring:*, ocra:request. Alle: *',
    created: 'Angelegt',
    expires: 'Läuft ab',
    expiresHint: 'Ein Datum (2027-01-31) oder eine Dauer (90D). Leer: nie.',
    never: 'nie',
    remove: 'Widerrufen',
    removeTitle: (name) => `API-Token ${name} widerrufen?`,
    removeText: 'Programme, die es verwenden, werden binnen einer Sekunde abgelehnt.',
    add: 'API-Token anlegen',
    made: 'Es wird nur jetzt angezeigt. Hinterlegen Sie es dort, wo das Programm seine Geheimnisse liest:',
  },
};
