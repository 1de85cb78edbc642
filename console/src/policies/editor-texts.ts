import type { Texts } from '../language/language.ts';

interface EditorTexts {
  /** By the value of the action otppin. */
  readonly otppin: Readonly<Record<'' | '0' | '1' | '2', string>>;
  readonly newTitle: string;
  readonly editTitle: (name: string) => string;
  readonly unknown: (name: string) => string;
  readonly back: string;
  readonly form: string;
  readonly text: string;
  readonly view: string;
  readonly wrongLine: (line: string) => string;
  readonly active: string;
  readonly all: string;
  readonly add: string;
  readonly forms: string;
  readonly save: string;
  readonly confirm: string;
  readonly unknownNames: string;
  readonly conflict: string;
  readonly gone: string;
  readonly field: string;
  readonly theirs: string;
  readonly yours: string;
  readonly keepMine: string;
  readonly takeTheirs: string;
  readonly added: (action: string) => string;
  readonly readOnly: string;
  readonly fix: string;
  readonly hints: Readonly<Record<'realm' | 'user' | 'client' | 'time', string>>;
}

export const editorTexts: Texts<EditorTexts> = {
  en: {
    otppin: {
      '': 'not set',
      0: '0: the token PIN before the response',
      1: '1: the password of the user before the response',
      2: '2: the response alone',
    },
    newTitle: 'New policy',
    editTitle: (name) => `Policy ${name}`,
    unknown: (name) => `There is no policy ${name}.`,
    back: 'All policies',
    form: 'Form',
    text: 'Text',
    view: 'View',
    wrongLine: (line) => `This line is not read: ${line}`,
    active: 'Active',
    all: 'All actions of the scope',
    add: 'Add:',
    forms: 'What may stand here',
    save: 'Save',
    confirm: 'Save this policy?',
    unknownNames: 'These names do not exist yet. The policy can be saved all the same.',
    conflict: 'Somebody else has changed this policy since you opened it. Nothing is saved yet.',
    gone: 'Somebody else has removed this policy since you opened it. Nothing is saved yet.',
    field: 'Field',
    theirs: 'Stored now',
    yours: 'Yours',
    keepMine: 'Keep mine and save again',
    takeTheirs: 'Take the stored one',
    added: (action) => `${action} is added below, and not saved yet.`,
    readOnly: 'You may see this policy, but not change it.',
    fix: 'Please correct the marked fields.',
    hints: {
      realm: 'A comma list; * for all',
      user: 'A comma list; * for everybody',
      client: 'A comma list of addresses and networks; empty: any',
      time: 'minute hour day month weekday year; empty: always',
    },
  },
  de: {
    otppin: {
      '': 'nicht gesetzt',
      0: '0: die Token-PIN vor der Antwort',
      1: '1: das Passwort des Benutzers vor der Antwort',
      2: '2: die Antwort allein',
    },
    newTitle: 'Neue Richtlinie',
    editTitle: (name) => `Richtlinie ${name}`,
    unknown: (name) => `Es gibt keine Richtlinie ${name}.`,
    back: 'Alle Richtlinien',
    form: 'Formular',
    text: 'Text',
    view: 'Ansicht',
    wrongLine: (line) => `Diese Zeile wird nicht gelesen: ${line}`,
    active: 'Aktiv',
    all: 'Alle Aktionen des Bereichs',
    add: 'Hinzufügen:',
    forms: 'Was hier stehen darf',
    save: 'Speichern',
    confirm: 'Diese Richtlinie speichern?',
    unknownNames: 'Diese Namen gibt es noch nicht. Die Richtlinie kann trotzdem gespeichert werden.',
    conflict: 'Jemand anderes hat diese Richtlinie inzwischen geändert. Noch ist nichts gespeichert.',
    gone: 'Jemand anderes hat diese Richtlinie inzwischen entfernt. Noch ist nichts gespeichert.',
    field: 'Feld',
    theirs: 'Jetzt gespeichert',
    yours: 'Ihre Eingabe',
    keepMine: 'Meine behalten und neu speichern',
    takeTheirs: 'Gespeicherte übernehmen',
    added: (action) => `${action} ist unten ergänzt und noch nicht gespeichert.`,
    readOnly: 'Sie dürfen diese Richtlinie sehen, aber nicht ändern.',
    fix: 'Bitte korrigieren Sie die markierten Felder.',
    hints: {
      realm: 'Liste mit Kommas; * für alle',
      user: 'Liste mit Kommas; * für jeden',
      client: 'Liste von Adressen und Netzen mit Kommas; leer: alle',
      time: 'Minute Stunde Tag Monat Wochentag Jahr; leer: immer',
    },
  },
};
