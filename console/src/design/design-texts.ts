import type { Texts } from '../language/language.ts';

interface DesignTexts {
  readonly loading: string;
  readonly retry: string;
  /** Of an act, of which only the server knows. */
  readonly away: string;
  readonly unreadable: (status: number) => string;
  readonly awayGoesOn: string;
  /** Of what was read in vain, and is not read again by itself. */
  readonly awayEnded: string;
  /** After what the server says of itself. */
  readonly goesOn: string;
  readonly failed: string;
  /** Of a dialog that cannot be shown. */
  readonly dialogFailed: string;
  readonly cancel: string;
  readonly close: string;
  readonly copy: string;
  /** The link of each page to its guide. */
  readonly documentation: string;
  readonly copied: string;
  readonly showSecret: string;
  readonly undo: string;
  /** @param title of the dialog that has asked */
  readonly done: (title: string) => string;
  /** The column of the marks of rows. */
  readonly selection: string;
  readonly sort: string;
  readonly ascending: (column: string) => string;
  readonly descending: (column: string) => string;
  readonly columns: string;
  readonly saveCsv: string;
  readonly stop: string;
  readonly read: (count: string) => string;
  readonly saved: (count: string) => string;
  /** After too many attempts. */
  readonly tryIn: (seconds: number) => string;
  /** Where a right is missing. */
  readonly askForRight: string;
}

export const designTexts: Texts<DesignTexts> = {
  en: {
    loading: 'Loading …',
    retry: 'Try again',
    away: 'The server does not answer. Whether this was done is not known.',
    unreadable: (status) =>
      `The answer is none of this server: it cannot be read (HTTP ${status}). Something between it and you may have changed it, such as a proxy.`,
    awayGoesOn: 'The server does not answer. This page goes on as soon as it does.',
    awayEnded: 'The server has not answered in time.',
    goesOn: 'This page goes on as soon as that is over.',
    failed: 'That did not work.',
    dialogFailed: 'This dialog has failed.',
    cancel: 'Cancel',
    close: 'Close',
    copy: 'Copy',
    documentation: 'Documentation',
    copied: 'Copied',
    showSecret: 'Show what is typed',
    undo: 'Undo',
    done: (title) => `Done: ${title}`,
    selection: 'Selection',
    sort: 'Sort by',
    ascending: (column) => `${column}, up`,
    descending: (column) => `${column}, down`,
    columns: 'Columns',
    saveCsv: 'Save as CSV',
    stop: 'Stop',
    read: (count) => `${count} read`,
    saved: (count) => `Rows saved: ${count}.`,
    tryIn: (seconds) =>
      `Try again in ${seconds > 90 ? `${Math.ceil(seconds / 60)} minutes` : `${seconds} seconds`}.`,
    askForRight: 'Ask whoever may change policies (system:write) for the right.',
  },
  de: {
    loading: 'Wird geladen …',
    retry: 'Erneut versuchen',
    away: 'Der Server antwortet nicht. Ob das ausgeführt wurde, ist nicht bekannt.',
    unreadable: (status) =>
      `Die Antwort ist keine dieses Servers: Sie lässt sich nicht lesen (HTTP ${status}). Etwas dazwischen hat sie vielleicht verändert, etwa ein Proxy.`,
    awayGoesOn: 'Der Server antwortet nicht. Sobald er es tut, geht es hier weiter.',
    awayEnded: 'Der Server hat nicht rechtzeitig geantwortet.',
    goesOn: 'Sobald das vorbei ist, geht es hier weiter.',
    failed: 'Das hat nicht geklappt.',
    dialogFailed: 'In diesem Dialog ist ein Fehler aufgetreten.',
    cancel: 'Abbrechen',
    close: 'Schließen',
    copy: 'Kopieren',
    documentation: 'Dokumentation',
    copied: 'Kopiert',
    showSecret: 'Eingabe anzeigen',
    undo: 'Rückgängig',
    done: (title) => `Erledigt: ${title}`,
    selection: 'Auswahl',
    sort: 'Sortieren nach',
    ascending: (column) => `${column}, aufsteigend`,
    descending: (column) => `${column}, absteigend`,
    columns: 'Spalten',
    saveCsv: 'Als CSV speichern',
    stop: 'Anhalten',
    read: (count) => `${count} gelesen`,
    saved: (count) => `Gespeicherte Zeilen: ${count}.`,
    tryIn: (seconds) =>
      `Versuchen Sie es in ${seconds > 90 ? `${Math.ceil(seconds / 60)} Minuten` : `${seconds} Sekunden`} noch einmal.`,
    askForRight: 'Bitten Sie jemanden, der Richtlinien ändern darf (system:write), um das Recht.',
  },
};
