import type { Texts } from '../language/language.ts';

interface TokenTexts {
  readonly title: string;
  readonly emptyTitle: string;
  readonly empty: string;
  readonly scanFirst: string;
  readonly scan: string;
  readonly awaitsSecond: string;
  readonly ready: string;
  readonly back: string;
  readonly gone: string;
  readonly issuer: string;
  readonly serial: string;
  readonly state: string;
  readonly suite: string;
  readonly counter: string;
  readonly added: string;
  readonly name: string;
  readonly nameHint: string;
  readonly rename: string;
  readonly renamed: string;
  readonly remove: string;
  readonly removeTitle: string;
  readonly removeWarning: string;
  readonly removeNow: string;
  readonly keep: string;
  readonly failed: string;
  readonly restore: string;
  readonly backupReminder: string;
  readonly makeBackup: string;
  readonly noBackup: string;
  readonly installReminder: string;
  readonly installByMenu: string;
  readonly install: string;
  readonly noInstall: string;
}

export const tokenTexts: Texts<TokenTexts> = {
  en: {
    title: 'Your tokens',
    emptyTitle: 'Scan your first code',
    empty:
      'You get it as a QR code, in a letter or on a screen. After that, this device can confirm what you do.',
    scanFirst: 'Scan the first code',
    scan: 'Scan a code',
    awaitsSecond: 'Waits for the second code',
    ready: 'Ready',
    back: 'Your tokens',
    gone: 'This token is no longer on the device.',
    issuer: 'Issuer',
    serial: 'Serial number',
    state: 'State',
    suite: 'Method',
    counter: 'Counter',
    added: 'Added',
    name: 'Name',
    nameHint: 'As you want to call it, for example “My account”.',
    rename: 'Save the name',
    renamed: 'The name is saved.',
    remove: 'Remove this token',
    removeTitle: 'Remove this token?',
    removeWarning:
      'After that this device can confirm nothing with it. Without a backup it does not come back: its issuer has to give you a new one.',
    removeNow: 'Remove for ever',
    keep: 'Keep it',
    failed: 'The device could not store that. Try again.',
    restore: 'Restore a backup',
    backupReminder:
      'Without a backup your token is lost with this device, or when the browser clears its data. Make one now: it takes a minute.',
    makeBackup: 'Make a backup',
    noBackup: 'Not now',
    installReminder: 'Install the app: it opens from the start screen, and the browser keeps its data.',
    installByMenu:
      'Install the app: tap “Share” in Safari, then “Add to Home Screen”. Safari may remove the data of an app that is not installed after seven days without use.',
    install: 'Install',
    noInstall: 'No, thanks',
  },
  de: {
    title: 'Ihre Token',
    emptyTitle: 'Scannen Sie Ihren ersten Code',
    empty:
      'Sie bekommen ihn als QR-Code, im Brief oder auf einem Bildschirm. Danach kann dieses Gerät bestätigen, was Sie tun.',
    scanFirst: 'Ersten Code scannen',
    scan: 'Code scannen',
    awaitsSecond: 'Wartet auf den zweiten Code',
    ready: 'Bereit',
    back: 'Ihre Token',
    gone: 'Dieses Token ist nicht mehr auf dem Gerät.',
    issuer: 'Herausgeber',
    serial: 'Seriennummer',
    state: 'Zustand',
    suite: 'Verfahren',
    counter: 'Zähler',
    added: 'Hinzugefügt',
    name: 'Name',
    nameHint: 'So, wie Sie es nennen möchten, zum Beispiel „Mein Konto“.',
    rename: 'Namen speichern',
    renamed: 'Der Name ist gespeichert.',
    remove: 'Dieses Token entfernen',
    removeTitle: 'Dieses Token entfernen?',
    removeWarning:
      'Danach kann dieses Gerät damit nichts mehr bestätigen. Ohne Sicherung kommt es nicht wieder: Der Herausgeber muss Ihnen ein neues geben.',
    removeNow: 'Endgültig entfernen',
    keep: 'Behalten',
    failed: 'Das Gerät konnte das nicht speichern. Versuchen Sie es noch einmal.',
    restore: 'Sicherung wiederherstellen',
    backupReminder:
      'Ohne Sicherung ist Ihr Token weg, wenn dieses Gerät verloren geht oder der Browser seine Daten löscht. Machen Sie jetzt eine: Es dauert eine Minute.',
    makeBackup: 'Sicherung machen',
    noBackup: 'Jetzt nicht',
    installReminder:
      'Installieren Sie die App: Sie öffnet sich vom Startbildschirm, und der Browser behält ihre Daten.',
    installByMenu:
      'Installieren Sie die App: Tippen Sie in Safari auf „Teilen“, dann auf „Zum Home-Bildschirm“. Die Daten einer App, die nicht installiert ist, kann Safari nach sieben Tagen ohne Benutzung löschen.',
    install: 'Installieren',
    noInstall: 'Nein, danke',
  },
};
