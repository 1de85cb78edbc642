import type { Texts } from '../language/language.ts';
import type { ShownKey } from './rotation.ts';

interface KeyTexts {
  readonly title: string;
  readonly lead: string;
  readonly none: string;
  readonly keys: string;
  readonly uses: Readonly<Record<ShownKey['state'], string>>;
  readonly explained: Readonly<Record<ShownKey['state'], string>>;
  readonly added: string;
  readonly firstUsed: string;
  readonly retired: string;
  readonly secrets: string;
  readonly notCounted: string;
  readonly count: string;
  readonly counted: string;
  readonly progress: (done: string, all: string) => string;
  readonly change: string;
  readonly changeWhy: string;
  readonly steps: readonly (readonly [command: string, meaning: string])[];
}

export const keyTexts: Texts<KeyTexts> = {
  en: {
    title: 'Keys',
    lead: 'The encryption keys that seal the secrets in the database. A key itself is never shown.',
    none: 'There is no key yet: the first start of a server makes one.',
    keys: 'Keys',
    uses: {
      current: 'current',
      added: 'added',
      needed: 'needed',
      unused: 'unused',
      former: 'former',
      retired: 'retired',
      unknown: 'unknown',
    },
    explained: {
      current: 'It seals every new secret.',
      added: 'It seals nothing yet: the next step is to rotate.',
      needed: 'Secrets are still sealed with it: rotate once more.',
      unused: 'It seals no secret any more, and can be retired.',
      former: 'It was the current one before.',
      retired: 'It is needed for backups from before only.',
      unknown: 'Secrets are sealed with it, but it is not registered.',
    },
    added: 'Added',
    firstUsed: 'First used',
    retired: 'Retired',
    secrets: 'Secrets sealed with it',
    notCounted: 'not counted',
    count: 'Count the sealed secrets',
    counted: 'The sealed secrets are counted.',
    progress: (done, all) => `${done} of ${all} secrets are sealed with the current key.`,
    change: 'Change the key',
    changeWhy:
      'Keys are changed at the machine, by the owner of the key file: a new key must be copied to every machine before a server there starts again.',
    steps: [
      [
        'tankeeper key add',
        'makes a key. Renew the safe copy of the key file, and copy it to the other machines.',
      ],
      ['systemctl reload tankeeper', 'on every machine (SIGHUP): the servers read the key.'],
      [
        'tankeeper key rotate',
        'seals all secrets with it. This page shows the progress. Then reload the servers, and rotate once more.',
      ],
      ['tankeeper key retire KEY', 'retires the former key. Keep a copy of it for old backups.'],
    ],
  },
  de: {
    title: 'Schlüssel',
    lead: 'Die Schlüssel, mit denen die Geheimnisse in der Datenbank versiegelt sind. Ein Schlüssel selbst wird nie gezeigt.',
    none: 'Es gibt noch keinen Schlüssel: Der erste Start eines Servers legt einen an.',
    keys: 'Schlüssel',
    uses: {
      current: 'aktuell',
      added: 'neu',
      needed: 'benötigt',
      unused: 'unbenutzt',
      former: 'früherer',
      retired: 'außer Dienst',
      unknown: 'unbekannt',
    },
    explained: {
      current: 'Er versiegelt jedes neue Geheimnis.',
      added: 'Er versiegelt noch nichts: Der nächste Schritt ist der Wechsel.',
      needed: 'Noch sind Geheimnisse mit ihm versiegelt: Wechseln Sie noch einmal.',
      unused: 'Er versiegelt kein Geheimnis mehr und kann außer Dienst gehen.',
      former: 'Er war vorher der aktuelle.',
      retired: 'Er wird nur noch für ältere Sicherungen gebraucht.',
      unknown: 'Geheimnisse sind mit ihm versiegelt, aber er ist nicht eingetragen.',
    },
    added: 'Hinzugefügt',
    firstUsed: 'Zuerst benutzt',
    retired: 'Außer Dienst seit',
    secrets: 'Damit versiegelte Geheimnisse',
    notCounted: 'nicht gezählt',
    count: 'Versiegelte Geheimnisse zählen',
    counted: 'Die versiegelten Geheimnisse sind gezählt.',
    progress: (done, all) => `${done} von ${all} Geheimnissen sind mit dem aktuellen Schlüssel versiegelt.`,
    change: 'Schlüssel wechseln',
    changeWhy:
      'Schlüssel wechselt der Eigentümer der Schlüsseldatei am Rechner selbst: Ein neuer Schlüssel muss auf jedem Rechner sein, bevor dort ein Server wieder startet.',
    steps: [
      [
        'tankeeper key add',
        'legt einen Schlüssel an. Erneuern Sie die Sicherung der Schlüsseldatei und kopieren Sie die Datei auf die anderen Rechner.',
      ],
      ['systemctl reload tankeeper', 'auf jedem Rechner (SIGHUP): Die Server lesen den Schlüssel.'],
      [
        'tankeeper key rotate',
        'versiegelt alle Geheimnisse damit. Diese Seite zeigt den Fortschritt. Laden Sie dann die Server neu und wechseln Sie noch einmal.',
      ],
      [
        'tankeeper key retire KEY',
        'nimmt den früheren Schlüssel außer Dienst. Behalten Sie eine Kopie für alte Sicherungen.',
      ],
    ],
  },
};
