import type { Texts } from '../language/language.ts';

interface PinTexts {
  readonly newPin: string;
  readonly newPinHint: string;
  readonly repeatPin: string;
  readonly letters: string;
  readonly firstTitle: string;
  readonly firstText: string;
  readonly firstForgotten: string;
  readonly firstBackup: string;
  readonly create: string;
  readonly unlockTitle: string;
  readonly unlock: string;
  readonly forgotten: string;
  readonly forgottenText: string;
  readonly removeEverything: string;
  readonly removeSure: string;
  readonly removeNow: string;
  readonly keep: string;
}

export const pinTexts: Texts<PinTexts> = {
  en: {
    newPin: 'New PIN',
    newPinHint: '4 to 12 digits, or a longer passphrase. Six random digits or more are good.',
    repeatPin: 'Repeat the PIN',
    letters: 'Passphrase with letters',
    firstTitle: 'Choose a PIN',
    firstText: 'The PIN protects your tokens on this device. You type it when you open the app.',
    firstForgotten: 'Nobody can tell you a forgotten PIN. Make a backup once you have a token.',
    firstBackup: 'I have a backup, and restore it next',
    create: 'Set the PIN',
    unlockTitle: 'The app is locked',
    unlock: 'Unlock',
    forgotten: 'PIN forgotten?',
    forgottenText:
      'Without the PIN nobody can open the tokens. You can remove everything from this device and begin anew: with a backup, or with new codes from the issuers.',
    removeEverything: 'Remove everything',
    removeSure: 'All tokens on this device will be gone for good. Continue?',
    removeNow: 'Remove everything now',
    keep: 'Keep everything',
  },
  de: {
    newPin: 'Neue PIN',
    newPinHint: '4 bis 12 Ziffern, oder ein längeres Kennwort. Gut sind sechs oder mehr zufällige Ziffern.',
    repeatPin: 'PIN wiederholen',
    letters: 'Kennwort mit Buchstaben',
    firstTitle: 'PIN wählen',
    firstText: 'Die PIN schützt Ihre Token auf diesem Gerät. Sie geben sie ein, wenn Sie die App öffnen.',
    firstForgotten:
      'Eine vergessene PIN kann Ihnen niemand sagen. Machen Sie eine Sicherung, sobald Sie ein Token haben.',
    firstBackup: 'Ich habe eine Sicherung und stelle sie danach wieder her',
    create: 'PIN festlegen',
    unlockTitle: 'Die App ist gesperrt',
    unlock: 'Entsperren',
    forgotten: 'PIN vergessen?',
    forgottenText:
      'Ohne die PIN kann niemand die Token öffnen. Sie können alles von diesem Gerät entfernen und neu beginnen: mit einer Sicherung oder mit neuen Codes der Herausgeber.',
    removeEverything: 'Alles entfernen',
    removeSure: 'Alle Token auf diesem Gerät sind dann endgültig weg. Fortfahren?',
    removeNow: 'Jetzt alles entfernen',
    keep: 'Alles behalten',
  },
};
