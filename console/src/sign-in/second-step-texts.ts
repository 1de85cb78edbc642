import type { Texts } from '../language/language.ts';

interface SecondStepTexts {
  readonly scan: string;
  readonly qrCode: string;
  readonly tan: string;
  readonly tanHint: string;
  readonly openApp: string;
  readonly code: string;
  readonly codeHint: string;
  readonly confirm: string;
  readonly restart: string;
  readonly expired: string;
  readonly passkey: string;
  readonly usePasskey: string;
  readonly noPasskey: string;
}

export const secondStepTexts: Texts<SecondStepTexts> = {
  en: {
    scan: 'Scan the QR code with the app of your token. Compare the text there before you confirm it.',
    qrCode: 'QR code for the app of your token',
    tan: 'TAN',
    tanHint: 'As the app shows it. If the app sends it by itself, this page goes on without.',
    openApp: 'Open your authenticator app, or take your token.',
    code: 'Code',
    codeHint:
      'The digits alone, without a PIN. Each code serves once: wait for the next one after another use.',
    confirm: 'Confirm',
    restart: 'Begin again',
    expired: 'The five minutes are over.',
    passkey: 'Your second factor is a passkey: this device, a phone or a security key.',
    usePasskey: 'Use the passkey',
    noPasskey:
      'The passkey was not used: it was cancelled, took too long, or is not on this device. Try again.',
  },
  de: {
    scan: 'Scannen Sie den QR-Code mit der App Ihres Tokens. Vergleichen Sie dort den Text, bevor Sie bestätigen.',
    qrCode: 'QR-Code für die App Ihres Tokens',
    tan: 'TAN',
    tanHint: 'Wie die App sie anzeigt. Sendet die App sie selbst, geht es hier von allein weiter.',
    openApp: 'Öffnen Sie Ihre Authenticator-App, oder nehmen Sie Ihr Token.',
    code: 'Code',
    codeHint:
      'Nur die Ziffern, ohne PIN. Jeder Code gilt einmal: Warten Sie nach einer Verwendung auf den nächsten.',
    confirm: 'Bestätigen',
    restart: 'Neu beginnen',
    expired: 'Die fünf Minuten sind vorbei.',
    passkey: 'Ihr zweiter Faktor ist ein Passkey: dieses Gerät, ein Telefon oder ein Sicherheitsschlüssel.',
    usePasskey: 'Passkey verwenden',
    noPasskey:
      'Der Passkey wurde nicht verwendet: abgebrochen, zu spät oder nicht auf diesem Gerät. Versuchen Sie es erneut.',
  },
};
