import type { Texts } from '../../language/language.ts';
import type { BulkAct } from './bulk-foresight.ts';

interface BulkTexts {
  readonly selected: (count: string) => string;
  readonly allSelected: (count: string | undefined) => string;
  readonly select: (name: string) => string;
  readonly page: string;
  readonly matching: (count: string | undefined) => string;
  readonly clear: string;
  readonly acts: Readonly<Record<BulkAct, string>>;
  readonly titles: Readonly<Record<BulkAct, string>>;
  readonly reading: (count: string) => string;
  readonly tooMany: (most: string) => string;
  readonly realm: string;
  readonly changes: Readonly<Record<BulkAct, (count: string) => string>>;
  readonly nothing: string;
  readonly unchanged: Readonly<Record<BulkAct, (count: string) => string>>;
  readonly unready: (count: string) => string;
  readonly lost: (count: string) => string;
  readonly forbidden: (count: string) => string;
  readonly secondFactors: (serials: string) => string;
  readonly open: Readonly<Partial<Record<BulkAct, (count: string) => string>>>;
  readonly openUnknown: Readonly<Partial<Record<BulkAct, string>>>;
  readonly owners: (count: string) => string;
  readonly leaving: (count: string) => string;
  readonly separate: string;
  readonly progress: string;
  readonly ended: (ended: string, all: string) => string;
  readonly done: Readonly<Record<BulkAct, (count: string) => string>>;
  readonly failed: (count: string) => string;
  readonly left: (count: string) => string;
  readonly again: string;
  /** Leaves the dialog while its run, or its report, stays. */
  readonly aside: string;
  readonly show: string;
  readonly more: (count: string) => string;
}

/** @returns the text with the count: for one, and for another number */
function counted(one: string, several: string): (count: string) => string {
  return (count) => (count === '1' ? one : `${count} ${several}`);
}

export const bulkTexts: Texts<BulkTexts> = {
  en: {
    selected: (count) => `${count} selected`,
    allSelected: (count) =>
      count === undefined ? 'All that match are selected' : `All ${count} are selected`,
    select: (name) => `Select ${name}`,
    page: 'Select all on this page',
    matching: (count) => (count === undefined ? 'Select all that match' : `Select all ${count} that match`),
    clear: 'Clear the selection',
    acts: {
      enable: 'Enable',
      disable: 'Disable',
      reset: 'Unlock',
      unassign: 'Unassign',
      tokenrealm: 'Set realm',
    },
    titles: {
      enable: 'Enable tokens',
      disable: 'Disable tokens',
      reset: 'Unlock tokens',
      unassign: 'Take tokens from their owners',
      tokenrealm: 'Put tokens into a realm',
    },
    reading: (count) => `${count} tokens read …`,
    tooMany: (most) => `More than ${most} tokens match. Narrow the filter: nothing was changed.`,
    realm: 'choose a realm',
    changes: {
      enable: counted('1 token is enabled', 'tokens are enabled'),
      disable: counted(
        '1 token is disabled and takes no responses',
        'tokens are disabled and take no responses',
      ),
      reset: counted(
        'The fail counter of 1 token is set to 0, which unlocks it',
        'tokens: their fail counters are set to 0, which unlocks them',
      ),
      unassign: counted('1 token belongs to nobody afterwards', 'tokens belong to nobody afterwards'),
      tokenrealm: counted(
        '1 token is in this realm afterwards, and in no other that you may see',
        'tokens are in this realm afterwards, and in no other that you may see',
      ),
    },
    nothing: 'No token would be changed.',
    unchanged: {
      enable: counted('1 is enabled already', 'are enabled already'),
      disable: counted('1 is disabled already', 'are disabled already'),
      reset: counted('1 has no wrong responses to reset', 'have no wrong responses to reset'),
      unassign: counted('1 belongs to nobody already', 'belong to nobody already'),
      tokenrealm: counted('1 is there already', 'are there already'),
    },
    unready: counted(
      '1 is left out: its roll-out has not begun',
      'are left out: their roll-outs have not begun',
    ),
    lost: counted('1 is left out: it was reported lost', 'are left out: they were reported lost'),
    forbidden: counted(
      '1 is left out: you have no right to this in its realms',
      'are left out: you have no right to this in their realms',
    ),
    secondFactors: (serials) => `Administrators sign in with these: ${serials}`,
    open: {
      disable: counted(
        '1 open challenge cannot be answered while its token is disabled',
        'open challenges cannot be answered while their tokens are disabled',
      ),
      unassign: counted('1 open challenge is closed', 'open challenges are closed'),
    },
    openUnknown: {
      disable: 'Open challenges cannot be answered while their tokens are disabled',
      unassign: 'Open challenges are closed',
    },
    owners: counted('1 person is affected', 'people are affected'),
    leaving: counted('1 leaves another realm', 'leave other realms'),
    separate: 'Each token is changed by itself, with a row of its own in the audit.',
    progress: 'Progress',
    ended: (ended, all) => `${ended} of ${all}`,
    done: {
      enable: counted('1 token is enabled.', 'tokens are enabled.'),
      disable: counted('1 token is disabled.', 'tokens are disabled.'),
      reset: counted('1 token is unlocked.', 'tokens are unlocked.'),
      unassign: counted('1 token belongs to nobody now.', 'tokens belong to nobody now.'),
      tokenrealm: counted('1 token is in its new realm.', 'tokens are in their new realm.'),
    },
    failed: counted(
      '1 token was not changed, or it is not known:',
      'tokens were not changed, or it is not known:',
    ),
    left: counted('1 token was not begun with.', 'tokens were not begun with.'),
    again: 'Try these again',
    aside: 'Put aside',
    show: 'Show the report',
    more: (count) => `and ${count} more`,
  },
  de: {
    selected: (count) => `${count} ausgewählt`,
    allSelected: (count) =>
      count === undefined ? 'Alle passenden sind ausgewählt' : `Alle ${count} sind ausgewählt`,
    select: (name) => `${name} auswählen`,
    page: 'Alle auf dieser Seite auswählen',
    matching: (count) =>
      count === undefined ? 'Alle passenden auswählen' : `Alle ${count} passenden auswählen`,
    clear: 'Auswahl aufheben',
    acts: {
      enable: 'Aktivieren',
      disable: 'Deaktivieren',
      reset: 'Entsperren',
      unassign: 'Zuweisung aufheben',
      tokenrealm: 'Realm setzen',
    },
    titles: {
      enable: 'Token aktivieren',
      disable: 'Token deaktivieren',
      reset: 'Token entsperren',
      unassign: 'Zuweisung von Token aufheben',
      tokenrealm: 'Token in einen Realm setzen',
    },
    reading: (count) => `${count} Token gelesen …`,
    tooMany: (most) => `Mehr als ${most} Token passen. Engen Sie den Filter ein: Es wurde nichts geändert.`,
    realm: 'Realm wählen',
    changes: {
      enable: counted('1 Token wird aktiviert', 'Token werden aktiviert'),
      disable: counted(
        '1 Token wird deaktiviert und nimmt keine Antworten an',
        'Token werden deaktiviert und nehmen keine Antworten an',
      ),
      reset: counted(
        'Der Fehlerzähler von 1 Token wird auf 0 gesetzt, das entsperrt es',
        'Token: Ihre Fehlerzähler werden auf 0 gesetzt, das entsperrt sie',
      ),
      unassign: counted('1 Token gehört danach niemandem', 'Token gehören danach niemandem'),
      tokenrealm: counted(
        '1 Token ist danach in diesem Realm und in keinem anderen, den Sie sehen dürfen',
        'Token sind danach in diesem Realm und in keinem anderen, den Sie sehen dürfen',
      ),
    },
    nothing: 'Es würde kein Token geändert.',
    unchanged: {
      enable: counted('1 ist schon aktiviert', 'sind schon aktiviert'),
      disable: counted('1 ist schon deaktiviert', 'sind schon deaktiviert'),
      reset: counted('1 hat keine falschen Antworten', 'haben keine falschen Antworten'),
      unassign: counted('1 gehört schon niemandem', 'gehören schon niemandem'),
      tokenrealm: counted('1 ist schon dort', 'sind schon dort'),
    },
    unready: counted(
      '1 bleibt aus: Sein Ausrollen hat nicht begonnen',
      'bleiben aus: Ihr Ausrollen hat nicht begonnen',
    ),
    lost: counted(
      '1 bleibt aus: Es ist als verloren gemeldet',
      'bleiben aus: Sie sind als verloren gemeldet',
    ),
    forbidden: counted(
      '1 bleibt aus: In seinen Realms haben Sie dazu kein Recht',
      'bleiben aus: In ihren Realms haben Sie dazu kein Recht',
    ),
    secondFactors: (serials) => `Damit melden sich Administratoren an: ${serials}`,
    open: {
      disable: counted(
        '1 offene Challenge kann nicht beantwortet werden, solange ihr Token deaktiviert ist',
        'offene Challenges können nicht beantwortet werden, solange ihre Token deaktiviert sind',
      ),
      unassign: counted('1 offene Challenge wird geschlossen', 'offene Challenges werden geschlossen'),
    },
    openUnknown: {
      disable: 'Offene Challenges können nicht beantwortet werden, solange ihre Token deaktiviert sind',
      unassign: 'Offene Challenges werden geschlossen',
    },
    owners: counted('1 Person ist betroffen', 'Personen sind betroffen'),
    leaving: counted('1 verlässt einen anderen Realm', 'verlassen andere Realms'),
    separate: 'Jedes Token wird für sich geändert, mit einer eigenen Zeile im Audit.',
    progress: 'Fortschritt',
    ended: (ended, all) => `${ended} von ${all}`,
    done: {
      enable: counted('1 Token ist aktiviert.', 'Token sind aktiviert.'),
      disable: counted('1 Token ist deaktiviert.', 'Token sind deaktiviert.'),
      reset: counted('1 Token ist entsperrt.', 'Token sind entsperrt.'),
      unassign: counted('1 Token gehört jetzt niemandem.', 'Token gehören jetzt niemandem.'),
      tokenrealm: counted('1 Token ist in seinem neuen Realm.', 'Token sind in ihrem neuen Realm.'),
    },
    failed: counted(
      '1 Token wurde nicht geändert, oder es ist nicht bekannt:',
      'Token wurden nicht geändert, oder es ist nicht bekannt:',
    ),
    left: counted('1 Token wurde nicht mehr begonnen.', 'Token wurden nicht mehr begonnen.'),
    again: 'Diese erneut versuchen',
    aside: 'Zur Seite legen',
    show: 'Bericht anzeigen',
    more: (count) => `und ${count} weitere`,
  },
};
