import type { Texts } from '../language/language.ts';
import type { RestoredToken } from '../vault/vault.ts';

interface BackupTexts {
  readonly title: string;
  readonly make: string;
  readonly makeText: string;
  readonly pin: string;
  readonly newPassphrase: string;
  readonly passphraseHint: string;
  readonly repeatPassphrase: string;
  readonly save: string;
  readonly saved: string;
  readonly restore: string;
  readonly restoreText: string;
  readonly file: string;
  readonly passphrase: string;
  readonly read: string;
  readonly plan: (date: string) => string;
  readonly kinds: Readonly<Record<RestoredToken['kind'], string>>;
  readonly nothing: string;
  readonly counters: string;
  readonly twoPhones: string;
  readonly confirm: string;
  readonly cancel: string;
  readonly restored: string;
}

export const backupTexts: Texts<BackupTexts> = {
  en: {
    title: 'Backup',
    make: 'Make a backup',
    makeText:
      'The file holds your tokens and settings, encrypted. It does not hold the history. Keep it apart from this device. Make a new one for each new token.',
    pin: 'PIN of this app',
    newPassphrase: 'Passphrase for the file',
    passphraseHint: 'At least 12 characters. Four random words are good. Without it nobody opens the file.',
    repeatPassphrase: 'Repeat the passphrase',
    save: 'Save the file',
    saved: 'The file was handed to the browser, which stores it among your downloads.',
    restore: 'Restore a backup',
    restoreText:
      'Adds the tokens of a file to those on this device. You see what happens before anything is stored.',
    file: 'File',
    passphrase: 'Passphrase of the file',
    read: 'Open the file',
    plan: (date) => `Backup of ${date}. This happens:`,
    kinds: {
      added: 'is added',
      merged: 'is on this device already, and stays as it is',
      kept: 'is on this device with another key. The one on this device stays.',
    },
    nothing: 'The file holds no token.',
    counters:
      'A backup does not know what you confirmed later. If an answer of an added token is refused, the app offers to move the token ahead.',
    twoPhones: 'Do not use the same token on two devices: each would spoil the answers of the other.',
    confirm: 'Restore now',
    cancel: 'Cancel',
    restored: 'The backup was restored.',
  },
  de: {
    title: 'Sicherung',
    make: 'Sicherung machen',
    makeText:
      'Die Datei enthält Ihre Token und Einstellungen, verschlüsselt. Den Verlauf enthält sie nicht. Bewahren Sie sie getrennt von diesem Gerät auf. Machen Sie für jedes neue Token eine neue.',
    pin: 'PIN dieser App',
    newPassphrase: 'Kennwort für die Datei',
    passphraseHint:
      'Mindestens 12 Zeichen. Gut sind vier zufällige Wörter. Ohne es öffnet niemand die Datei.',
    repeatPassphrase: 'Kennwort wiederholen',
    save: 'Datei speichern',
    saved: 'Die Datei wurde dem Browser übergeben. Er legt sie zu Ihren Downloads.',
    restore: 'Sicherung einspielen',
    restoreText:
      'Fügt die Token einer Datei zu denen auf diesem Gerät hinzu. Sie sehen vorher, was geschieht.',
    file: 'Datei',
    passphrase: 'Kennwort der Datei',
    read: 'Datei öffnen',
    plan: (date) => `Sicherung vom ${date}. Das geschieht:`,
    kinds: {
      added: 'wird hinzugefügt',
      merged: 'ist schon auf diesem Gerät und bleibt, wie es ist',
      kept: 'ist mit einem anderen Schlüssel auf diesem Gerät. Das auf diesem Gerät bleibt.',
    },
    nothing: 'Die Datei enthält kein Token.',
    counters:
      'Eine Sicherung weiß nicht, was Sie später bestätigt haben. Wird eine Antwort eines hinzugefügten Tokens abgelehnt, so bietet die App an, das Token vorzustellen.',
    twoPhones:
      'Benutzen Sie dasselbe Token nicht auf zwei Geräten: Jedes würde die Antworten des anderen verderben.',
    confirm: 'Jetzt einspielen',
    cancel: 'Abbrechen',
    restored: 'Die Sicherung wurde eingespielt.',
  },
};
