import type { Texts } from '../language/language.ts';
import type { StrengthReason } from '../vault/pin-strength.ts';
import type { PasskeyFault, VaultErrorCode } from '../vault/vault.ts';

interface VaultTexts {
  readonly errors: Readonly<Record<VaultErrorCode, string>>;
  readonly passkeyFaults: Readonly<Record<PasskeyFault, string>>;
  readonly pinReasons: Readonly<Record<StrengthReason, string>>;
  readonly passphraseReasons: Readonly<Record<StrengthReason, string>>;
  readonly wrongPin: (attemptsLeft: number | null) => string;
  readonly wait: (seconds: number) => string;
  readonly wiped: string;
  readonly notTheSame: string;
  readonly pin: string;
  readonly passphrase: string;
  readonly withPasskey: string;
}

export const vaultTexts: Texts<VaultTexts> = {
  en: {
    errors: {
      'storage-full': 'The storage of this device is full. Nothing was stored. Make room and try again.',
      'storage-failed': 'The device could not read or store that. Nothing was changed. Try again.',
      'storage-missing':
        'This browser keeps no data for the app. Private windows and some settings forbid it. Open the app in a normal window.',
      'storage-newer': 'A newer version of this app was used here. Load the app again.',
      locked: 'The app is locked. Unlock it and try again.',
      'counter-used': 'This answer was used already, perhaps in another window. Scan a new code.',
      'token-unknown': 'This token is no longer on this device.',
      'pin-refused': 'This is too easy to guess. Choose another one.',
      'backup-invalid': 'This file is no backup of this app, or it is damaged. Nothing was changed.',
      'backup-newer': 'A newer version of the app made this backup. Load the newest app and try again.',
      'backup-too-large': 'This file is too large to be a backup. Nothing was changed.',
      'backup-passphrase':
        'The passphrase does not open this file. It is mistyped, or the file was changed. Nothing was changed here.',
    },
    passkeyFaults: {
      unsupported: 'This browser or this device cannot protect the app by a passkey. Use the PIN.',
      address: 'Passkeys do not work at this address. Use the PIN.',
      cancelled: 'The passkey was not confirmed. Try again, or use the PIN.',
      wrong: 'This passkey does not open the app. Use the PIN.',
    },
    pinReasons: {
      none: '',
      short: 'At least 4 digits, or at least 8 characters with letters.',
      long: 'At most 200 characters.',
      pattern: 'Digits in a row or repeated are guessed at once. Choose another one.',
      common: 'Many people choose this one. Choose another one.',
      'few-characters': 'Use more different characters.',
      guessable:
        'This is easy to guess for a person who copies the data of this browser. Six random digits are better, a long sentence much better.',
    },
    passphraseReasons: {
      none: '',
      short: 'At least 12 characters.',
      long: 'At most 200 characters.',
      pattern: 'Choose another one.',
      common: 'Many people choose this one. Choose another one.',
      'few-characters': 'Use more different characters.',
      guessable: 'It will do. Four or more random words are better.',
    },
    wrongPin: (attemptsLeft) =>
      attemptsLeft === null
        ? 'This is not the PIN.'
        : `This is not the PIN. After ${attemptsLeft} more wrong ones everything is removed.`,
    wait: (seconds) => `Too many wrong PINs. Wait ${waitText(seconds, 'minutes', 'seconds')}.`,
    wiped: 'Too many wrong PINs: the tokens were removed from this device, as you had set it.',
    notTheSame: 'The two are not the same.',
    pin: 'PIN',
    passphrase: 'Passphrase',
    withPasskey: 'Use the passkey',
  },
  de: {
    errors: {
      'storage-full':
        'Der Speicher dieses Geräts ist voll. Es wurde nichts gespeichert. Schaffen Sie Platz und versuchen Sie es noch einmal.',
      'storage-failed':
        'Das Gerät konnte das nicht lesen oder speichern. Es wurde nichts geändert. Versuchen Sie es noch einmal.',
      'storage-missing':
        'Dieser Browser bewahrt keine Daten für die App auf. Private Fenster und manche Einstellungen verbieten es. Öffnen Sie die App in einem normalen Fenster.',
      'storage-newer': 'Hier wurde eine neuere Version dieser App benutzt. Laden Sie die App neu.',
      locked: 'Die App ist gesperrt. Entsperren Sie sie und versuchen Sie es noch einmal.',
      'counter-used':
        'Diese Antwort wurde schon benutzt, vielleicht in einem anderen Fenster. Scannen Sie einen neuen Code.',
      'token-unknown': 'Dieses Token ist nicht mehr auf diesem Gerät.',
      'pin-refused': 'Das ist zu leicht zu erraten. Wählen Sie etwas anderes.',
      'backup-invalid':
        'Diese Datei ist keine Sicherung dieser App, oder sie ist beschädigt. Es wurde nichts geändert.',
      'backup-newer':
        'Eine neuere Version der App hat diese Sicherung gemacht. Laden Sie die neueste App und versuchen Sie es noch einmal.',
      'backup-too-large': 'Diese Datei ist zu groß für eine Sicherung. Es wurde nichts geändert.',
      'backup-passphrase':
        'Das Kennwort öffnet diese Datei nicht. Es ist vertippt, oder die Datei wurde verändert. Hier wurde nichts geändert.',
    },
    passkeyFaults: {
      unsupported:
        'Dieser Browser oder dieses Gerät kann die App nicht mit einem Passkey schützen. Verwenden Sie die PIN.',
      address: 'Unter dieser Adresse funktionieren Passkeys nicht. Verwenden Sie die PIN.',
      cancelled:
        'Der Passkey wurde nicht bestätigt. Versuchen Sie es noch einmal, oder verwenden Sie die PIN.',
      wrong: 'Dieser Passkey öffnet die App nicht. Verwenden Sie die PIN.',
    },
    pinReasons: {
      none: '',
      short: 'Mindestens 4 Ziffern, oder mindestens 8 Zeichen mit Buchstaben.',
      long: 'Höchstens 200 Zeichen.',
      pattern: 'Ziffern in einer Reihe oder Wiederholungen werden sofort erraten. Wählen Sie etwas anderes.',
      common: 'Das wählen viele Menschen. Wählen Sie etwas anderes.',
      'few-characters': 'Verwenden Sie mehr verschiedene Zeichen.',
      guessable:
        'Wer die Daten dieses Browsers kopiert, errät das leicht. Sechs zufällige Ziffern sind besser, ein langer Satz ist viel besser.',
    },
    passphraseReasons: {
      none: '',
      short: 'Mindestens 12 Zeichen.',
      long: 'Höchstens 200 Zeichen.',
      pattern: 'Wählen Sie etwas anderes.',
      common: 'Das wählen viele Menschen. Wählen Sie etwas anderes.',
      'few-characters': 'Verwenden Sie mehr verschiedene Zeichen.',
      guessable: 'Das reicht. Vier oder mehr zufällige Wörter sind besser.',
    },
    wrongPin: (attemptsLeft) =>
      attemptsLeft === null
        ? 'Das ist nicht die PIN.'
        : `Das ist nicht die PIN. Nach ${attemptsLeft} weiteren falschen wird alles entfernt.`,
    wait: (seconds) => `Zu viele falsche PINs. Warten Sie ${waitText(seconds, 'Minuten', 'Sekunden')}.`,
    wiped:
      'Zu viele falsche PINs: Die Token wurden von diesem Gerät entfernt, wie Sie es eingestellt hatten.',
    notTheSame: 'Die beiden sind nicht gleich.',
    pin: 'PIN',
    passphrase: 'Kennwort',
    withPasskey: 'Passkey verwenden',
  },
};

/** Seconds below two minutes; else whole minutes, rounded up. */
function waitText(seconds: number, minuteWord: string, secondWord: string): string {
  return seconds < 120 ? `${seconds} ${secondWord}` : `${Math.ceil(seconds / 60)} ${minuteWord}`;
}
