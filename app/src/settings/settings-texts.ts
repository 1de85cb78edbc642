import type { Texts } from '../language/language.ts';

interface SettingsTexts {
  readonly title: string;
  readonly language: string;
  readonly automatic: string;
  readonly theme: string;
  readonly system: string;
  readonly light: string;
  readonly dark: string;
  readonly codes: string;
  readonly requireCallback: string;
  readonly requireCallbackHint: string;
  readonly failed: string;
  readonly more: string;
  readonly security: string;
  readonly backup: string;
  readonly about: string;
  readonly back: string;
  readonly aboutWhat: string;
  readonly aboutPrivacy: string;
  readonly aboutVersion: string;
  readonly aboutLicence: string;
}

export const settingsTexts: Texts<SettingsTexts> = {
  en: {
    title: 'Settings',
    language: 'Language',
    automatic: 'Automatic',
    theme: 'Appearance',
    system: 'As the device',
    light: 'Light',
    dark: 'Dark',
    codes: 'Codes',
    requireCallback: 'Allow codes without an address',
    requireCallbackHint:
      'For such codes the app shows digits that you type yourself. Allow it only if the issuer of your token asks for it.',
    failed: 'The device could not store that. Try again.',
    more: 'More',
    security: 'PIN and lock',
    backup: 'Backup',
    about: 'About this app',
    back: 'Settings',
    aboutWhat: 'Tankeeper confirms payments and logins with QR-TAN codes (OCRA, RFC 6287).',
    aboutPrivacy:
      'Your tokens stay on this device, encrypted. The app sends only the answers that you confirm, to the address that you see before. It loads nothing from others.',
    aboutVersion: 'Version',
    aboutLicence: 'Free software under the Apache License 2.0.',
  },
  de: {
    title: 'Einstellungen',
    language: 'Sprache',
    automatic: 'Automatisch',
    theme: 'Darstellung',
    system: 'Wie das Gerät',
    light: 'Hell',
    dark: 'Dunkel',
    codes: 'Codes',
    requireCallback: 'Codes ohne Adresse erlauben',
    requireCallbackHint:
      'Bei solchen Codes zeigt die App Ziffern, die Sie selbst eintippen. Erlauben Sie das nur, wenn der Herausgeber Ihres Tokens es verlangt.',
    failed: 'Das Gerät konnte das nicht speichern. Versuchen Sie es noch einmal.',
    more: 'Mehr',
    security: 'PIN und Sperre',
    backup: 'Sicherung',
    about: 'Über diese App',
    back: 'Einstellungen',
    aboutWhat: 'Tankeeper bestätigt Zahlungen und Anmeldungen mit QR-TAN-Codes (OCRA, RFC 6287).',
    aboutPrivacy:
      'Ihre Token bleiben verschlüsselt auf diesem Gerät. Die App sendet nur die Antworten, die Sie bestätigen, an die Adresse, die Sie vorher sehen. Von anderen lädt sie nichts.',
    aboutVersion: 'Version',
    aboutLicence: 'Freie Software unter der Apache-Lizenz 2.0.',
  },
};
