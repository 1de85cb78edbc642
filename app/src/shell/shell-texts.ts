import type { Texts } from '../language/language.ts';

interface ShellTexts {
  readonly lock: string;
  readonly navigation: string;
  readonly tokens: string;
  readonly scan: string;
  readonly history: string;
  readonly settings: string;
  readonly back: string;
  readonly loading: string;
  readonly insecureTitle: string;
  readonly insecure: string;
  readonly insecureWhat: string;
  readonly unavailableTitle: string;
  readonly unavailable: string;
  readonly unavailableWhat: string;
  readonly reload: string;
  readonly update: string;
  readonly linkWaits: string;
  readonly failed: string;
}

export const shellTexts: Texts<ShellTexts> = {
  en: {
    lock: 'Lock',
    navigation: 'Main menu',
    tokens: 'Tokens',
    scan: 'Scan',
    history: 'History',
    settings: 'Settings',
    back: 'Back',
    loading: 'One moment …',
    insecureTitle: 'This connection is not secure',
    insecure:
      'The app works only over an encrypted connection (https). Browsers give the camera and safe storage to such pages alone.',
    insecureWhat:
      'Open the address with https:// in front. If that does not work, ask the people who gave you this address.',
    unavailableTitle: 'This browser keeps no data',
    unavailable: 'Your tokens must be kept on this device, and the browser refuses to store them.',
    unavailableWhat:
      'Leave the private window, allow this page to store data, or free some space. Then load the page again.',
    reload: 'Load again',
    update: 'A new version of the app is here.',
    linkWaits: 'A code is waiting. It is opened as soon as you have unlocked the app.',
    failed: 'The data could not be read from this device. Load the page again.',
  },
  de: {
    lock: 'Sperren',
    navigation: 'Hauptmenü',
    tokens: 'Token',
    scan: 'Scannen',
    history: 'Verlauf',
    // A soft hyphen, for the narrowest phones.
    settings: 'Einstel\u00adlungen',
    back: 'Zurück',
    loading: 'Einen Moment …',
    insecureTitle: 'Diese Verbindung ist nicht sicher',
    insecure:
      'Die App funktioniert nur über eine verschlüsselte Verbindung (https). Nur solchen Seiten geben Browser die Kamera und einen sicheren Speicher.',
    insecureWhat:
      'Öffnen Sie die Adresse mit https:// davor. Wenn das nicht geht, fragen Sie dort nach, woher Sie die Adresse haben.',
    unavailableTitle: 'Dieser Browser speichert keine Daten',
    unavailable: 'Ihre Token müssen auf diesem Gerät gespeichert werden, und der Browser lässt das nicht zu.',
    unavailableWhat:
      'Verlassen Sie das private Fenster, erlauben Sie dieser Seite das Speichern, oder schaffen Sie Platz. Laden Sie die Seite dann neu.',
    reload: 'Neu laden',
    update: 'Eine neue Version der App ist da.',
    linkWaits: 'Ein Code wartet. Er wird geöffnet, sobald Sie die App entsperrt haben.',
    failed: 'Die Daten auf diesem Gerät konnten nicht gelesen werden. Laden Sie die Seite neu.',
  },
};
