import type { Texts } from '../language/language.ts';
import type { Persistence } from '../vault/vault.ts';

interface SecurityTexts {
  readonly title: string;
  readonly changePin: string;
  readonly currentPin: string;
  readonly pinChanged: string;
  readonly passkey: string;
  readonly passkeyText: string;
  readonly passkeyMissing: string;
  readonly passkeyOn: string;
  readonly addPasskey: string;
  readonly passkeyAdded: string;
  readonly removePasskey: string;
  readonly passkeyRemoved: string;
  readonly lock: string;
  readonly lockAfter: string;
  readonly minutes: (count: number) => string;
  readonly wipe: string;
  readonly wipeText: string;
  readonly never: string;
  readonly wrongPins: (count: number) => string;
  readonly storage: string;
  readonly persistence: Readonly<Record<Persistence, string>>;
  readonly remove: string;
  readonly removeText: string;
}

export const securityTexts: Texts<SecurityTexts> = {
  en: {
    title: 'PIN and lock',
    changePin: 'Change the PIN',
    currentPin: 'Present PIN',
    pinChanged: 'The PIN was changed.',
    passkey: 'Passkey',
    passkeyText:
      'A passkey opens the app by fingerprint, face or the lock of the device. The PIN opens it as well.',
    passkeyMissing: 'This browser has no passkeys that can protect the app.',
    passkeyOn: 'A passkey is set up.',
    addPasskey: 'Set up a passkey',
    passkeyAdded: 'The passkey was set up.',
    removePasskey: 'Remove the passkey',
    passkeyRemoved: 'The passkey no longer opens the app. You can delete it in the settings of your device.',
    lock: 'Automatic lock',
    lockAfter: 'Lock when unused for',
    minutes: (count) => (count === 1 ? '1 minute' : `${count} minutes`),
    wipe: 'Remove everything after wrong PINs',
    wipeText:
      'If somebody types a wrong PIN that often, all tokens are removed from this device for good. You then need a backup or new codes from the issuers. Beware of children and of jokes.',
    never: 'Never',
    wrongPins: (count) => `After ${count} wrong PINs`,
    storage: 'Storage',
    persistence: {
      kept: 'The browser has promised to keep the tokens.',
      'at-risk':
        'The browser may remove the tokens when its storage is full, or when the app is not used for weeks. Make a backup, and add the app to the home screen.',
      unknown: 'The browser does not say whether it keeps the tokens. Make a backup.',
    },
    remove: 'Remove everything',
    removeText: 'Removes tokens, history, settings, PIN and passkey from this device.',
  },
  de: {
    title: 'PIN und Sperre',
    changePin: 'PIN ändern',
    currentPin: 'Bisherige PIN',
    pinChanged: 'Die PIN wurde geändert.',
    passkey: 'Passkey',
    passkeyText:
      'Ein Passkey öffnet die App mit Fingerabdruck, Gesicht oder der Sperre des Geräts. Die PIN öffnet sie weiterhin.',
    passkeyMissing: 'Dieser Browser hat keine Passkeys, die die App schützen können.',
    passkeyOn: 'Ein Passkey ist eingerichtet.',
    addPasskey: 'Passkey einrichten',
    passkeyAdded: 'Der Passkey wurde eingerichtet.',
    removePasskey: 'Passkey entfernen',
    passkeyRemoved:
      'Der Passkey öffnet die App nicht mehr. Sie können ihn in den Einstellungen Ihres Geräts löschen.',
    lock: 'Automatische Sperre',
    lockAfter: 'Sperren, wenn unbenutzt seit',
    minutes: (count) => (count === 1 ? '1 Minute' : `${count} Minuten`),
    wipe: 'Nach falschen PINs alles entfernen',
    wipeText:
      'Gibt jemand so oft eine falsche PIN ein, werden alle Token endgültig von diesem Gerät entfernt. Sie brauchen dann eine Sicherung oder neue Codes der Herausgeber. Denken Sie an Kinder und Scherze.',
    never: 'Nie',
    wrongPins: (count) => `Nach ${count} falschen PINs`,
    storage: 'Speicher',
    persistence: {
      kept: 'Der Browser hat zugesagt, die Token zu behalten.',
      'at-risk':
        'Der Browser kann die Token entfernen, wenn sein Speicher voll ist oder die App wochenlang nicht benutzt wird. Machen Sie eine Sicherung, und legen Sie die App auf den Startbildschirm.',
      unknown: 'Der Browser sagt nicht, ob er die Token behält. Machen Sie eine Sicherung.',
    },
    remove: 'Alles entfernen',
    removeText: 'Entfernt Token, Verlauf, Einstellungen, PIN und Passkey von diesem Gerät.',
  },
};
